"""The routes of a game that a person plays: its page, what the person does, and the same game once more.

They are the same on a ladder and in the window of `arena play --web`; whose game it is, and what is around it, is
decided there. What happens in a game is in `person.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from adsearch.errors import AdsearchError
from arena.errors import ArenaError
from arena.history import words
from arena.web import forms, links
from arena.web.answers import leads_to, wants_page

if TYPE_CHECKING:
    from arena.web.answers import Drawing
    from arena.web.person import PersonsGame

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
        site: Drawing = request.app.state.site
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
