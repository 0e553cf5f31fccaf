"""The routes of a game that a person plays: its page, what the person does, and the same game once more.

They are the same on a ladder and in the window of `arena play --web`; whose game it is, and what is around it, is
decided there. What happens in a game is in `persons_game.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from time import monotonic_ns
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from adsearch.errors import AdsearchError
from arena.errors import ArenaError
from arena.history import words
from arena.web import forms, links
from arena.web.answers import in_thread, leads_to, wants_page
from arena.web.cache import TooBusy
from arena.web.events import Change, event

if TYPE_CHECKING:
    from arena.web.answers import PageDrawing
    from arena.web.persons_game import PersonsGame

Find = Callable[[Request], Awaitable["PersonsGame"]]
"""The game of the request's path; NotThere if there is none, or if it is another person's."""
Draw = Callable[[Request, str], Awaitable[Response]]
"""The page of that game. The text says why the last move was not taken, or is empty."""
Again = Callable[[Request, "PersonsGame", int], Awaitable["PersonsGame"]]
"""That game again, with the person at this seat; ArenaError if that is not possible."""


def routes(find: Find, draw: Draw, again: Again) -> tuple[BaseRoute, ...]:
    """The routes."""

    async def shown(request: Request) -> Response:
        return await draw(request, "")

    async def acted(request: Request) -> Response:
        """The person moves, or does something else. A script gets the words of a mistake alone."""
        site: PageDrawing = request.app.state.site
        game = await find(request)
        given = await forms.fields(request)
        if "seat" in given:
            try:
                return leads_to(links.table((await again(request, game, _seat(given["seat"]))).seen.key))
            except ArenaError as error:
                return await draw(request, words.printable(str(error)))
        threads = site.hints if given.get("do") == "hint" else site.threads  # a hint takes seconds
        wrong = await asyncio.get_running_loop().run_in_executor(threads, partial(_done, game, given))
        if wants_page(request):
            return await draw(request, wrong) if wrong else leads_to(links.table(game.seen.key))
        return PlainTextResponse(wrong, 400 if wrong else 200)

    return (
        Route("/p/{key:segment}", shown, methods=["GET"]),
        Route("/p/{key:segment}", acted, methods=["POST"]),
    )


def _seat(text: str) -> int:
    """The number of a seat; -1, which no game has, if it is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 3 else -1


def _done(game: PersonsGame, given: Mapping[str, str]) -> str:
    """Does that; returns what is wrong with it, or nothing."""
    at = given.get("turn")
    acts: dict[str, Callable[[], None]] = {
        "hint": partial(game.find_hint, at),
        "take_back": partial(game.take_back, at),
        "flip": game.flip,
        "resign": game.resign,
        "give_up": game.give_up,
    }
    try:
        if "move" in given:
            game.move(given["move"], at)
        elif (act := acts.get(given.get("do", ""))) is not None:
            act()
        else:
            return "expected a move"
    except (ArenaError, AdsearchError) as error:
        return words.printable(str(error))
    return ""


# Sends the games that people play to their open pages: a game is drawn after each change, and once for all its pages.


def topic(game: PersonsGame) -> str:
    """The topic of the game's stream."""
    return f"p={game.seen.key}"


class TableStreams:
    """What it draws is published on the streams of the running event loop."""

    def __init__(self, site: PageDrawing, parts: Callable[[PersonsGame], Mapping[str, str]]) -> None:
        """`parts` draws the parts of a game's page, in a thread."""
        self._site = site
        self._parts = parts
        self._loop = asyncio.get_running_loop()
        # By key: whether the game has changed since its drawing began.
        self._drawing: dict[str, bool] = {}
        self._tasks = set[asyncio.Task[None]]()

    def changed(self, game: PersonsGame) -> None:
        """The game has changed. Any thread may call this."""
        self._loop.call_soon_threadsafe(self._note, game)

    def _note(self, game: PersonsGame) -> None:
        key = game.seen.key
        if key in self._drawing:
            self._drawing[key] = True
            return
        self._drawing[key] = False
        task = asyncio.create_task(self._draw(game))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _draw(self, game: PersonsGame) -> None:
        key = game.seen.key
        try:
            while True:
                self._drawing[key] = False
                streams = self._site.streams
                if topic(game) in streams.wanted:
                    streams.publish([await in_thread(self._site, partial(self._change, game))])
                else:
                    streams.forget(topic(game))  # a page that opens a stream asks for a new drawing
                if not self._drawing[key]:
                    return
        except TooBusy:
            self._loop.call_later(1.0, self._note, game)
        finally:
            del self._drawing[key]

    def _change(self, game: PersonsGame) -> Change:
        """The parts of the game's page. Runs in a thread."""
        data = self._parts(game)
        return Change(topic(game), "parts", data, event("parts", data, now=monotonic_ns()))
