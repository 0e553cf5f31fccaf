"""The window of `arena play --web`: the page of one game after the other, for one person on this machine.

It has no ladder and no accounts. The secret of the address that the command prints works once: it is exchanged for a
cookie, and without that cookie every other address is refused. Other users of the machine can see the secret in the
arguments of the browser, but then it has been used. The game itself, with its page, its routes and its streams, is
that of a ladder (`play_routes.py`).
"""

from __future__ import annotations

import secrets
from collections import Counter
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Final, NamedTuple

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from arena.errors import ArenaError
from arena.history import words
from arena.pages import replay_page
from arena.play.helper import Asker
from arena.web import links, server
from arena.web.analyses import Analyses
from arena.web.answers import PageStream, RequestGuard, in_thread, leads_to, page, takes_gzip
from arena.web.app import how_it_failed, static
from arena.web.cache import Turns
from arena.web.events import Streams
from arena.web.live_routes import mistakes
from arena.web.page_values import Asked, BadQuery, NotThere
from arena.web.pages import frame, play_pages, result_pages
from arena.web.persons_game import PersonsGame, PersonsGames
from arena.web.play_routes import TableStreams, table_routes, topic
from arena.web.web_process import WindowSettings
from db import games as recorded
from db.database import Database

_THREADS: Final = 3
_PERSON: Final = "person"
"""Whose the games are: there is one person."""
_CLOSED: Final = (
    "This page belongs to the person who started arena play --web, in the browser that opened its address first. The "
    "address works once: to open the page elsewhere, end the command with Ctrl-C and give it again.\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What the routes need. The first four are as in `Site`."""

    threads: Executor
    hints: Executor
    streams: Streams
    tables: PersonsGames
    database: Database
    settings: WindowSettings
    analyses: Analyses
    complain: server.Complaints
    open_pages: Counter[tuple[int | str, str]] = field(default_factory=Counter)
    lock: Lock = field(default_factory=Lock)
    """Held while the first game is begun: two open pages begin one game."""

    def names(self, seat: int) -> tuple[str, ...]:
        """The players by seat if the person has this one: they move on together, as with `arena play --swap`."""
        players = self.settings.names
        first = (self.settings.seat - seat) % len(players)
        return (*players[first:], *players[:first])

    def opponent(self, seat: int) -> str:
        """All others."""
        return ", ".join(name for at, name in enumerate(self.names(seat)) if at != seat)

    def game(self) -> PersonsGame:
        """The last game; if there is none, it begins."""
        asked = self.settings
        with self.lock:
            return next(iter(self.tables.games(_PERSON)), None) or self.tables.open(
                _PERSON,
                game=asked.game,
                opponent=self.opponent(asked.seat),
                seat=asked.seat,
                clock=asked.clock,
                players=len(asked.names),
            )

    def parts(self, game: PersonsGame) -> dict[str, str]:
        """The parts of the game's page, for its stream."""
        seat = game.seen.seat
        return play_pages.parts(game.seen, self.opponent(seat), others=self.names(seat))


class Door:
    """Lets in the browser that brings the secret first, and from then on only that one."""

    def __init__(self, app: ASGIApp, secret: str, port: int) -> None:
        self._app = app
        self._secret = secret
        self._key = secrets.token_urlsafe(32)
        self._cookie = f"arena-window-{port}"  # all servers of a machine share its cookies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        if _same(request.cookies.get(self._cookie, ""), self._key):
            is_link = scope["path"].startswith(links.invitation(""))  # opened a second time
            await (leads_to(links.HOME) if is_link else self._app)(scope, receive, send)
        elif request.method == "GET" and _same(scope["path"], links.invitation(self._secret)) and self._secret:
            self._secret = ""
            # Not a redirect: if a page of another site led here, the browser would not send the cookie after it.
            headers = {"refresh": f"0; url={links.HOME}", "referrer-policy": "no-referrer"}
            answer = PlainTextResponse("The game opens.\n", headers=headers)
            answer.set_cookie(self._cookie, self._key, path="/", httponly=True, samesite="strict")
            await answer(scope, receive, send)
        else:
            await PlainTextResponse(_CLOSED, 403)(scope, receive, send)


def _same(given: str, expected: str) -> bool:
    return secrets.compare_digest(given.encode("utf-8", "replace"), expected.encode())


def application(window: Window) -> ASGIApp:
    """The page server of the window as an ASGI application."""
    app = Starlette(
        routes=(
            Route(links.HOME, _home, methods=["GET"]),
            *table_routes(_found, _drawn, _again),
            Route("/events", _events, methods=["GET"]),
            Route("/g/{id:int}", _replay, methods=["GET"]),
            Route("/g/{id:int}/mistakes", _mistakes, methods=["POST"]),
            Route(links.STATIC + "{name:segment}", _static, methods=["GET"]),
        ),
        exception_handlers={
            HTTPException: _refused,
            NotThere: _not_there,
            BadQuery: _wrong,
            ArenaError: _wrong,
            Exception: _failed,
        },
    )
    app.router.redirect_slashes = False
    app.state.site = window
    return RequestGuard(Door(app, window.settings.secret, window.settings.port), tokens=False)


async def _home(request: Request) -> Response:
    """Leads to the last game; the first time, it begins."""
    window: Window = request.app.state.site
    return leads_to(links.table((await in_thread(window, window.game)).seen.key))


async def _again(request: Request, game: PersonsGame, seat: int) -> PersonsGame:
    """Another game begins."""
    window: Window = request.app.state.site
    return await in_thread(window, partial(window.tables.again, _PERSON, game, seat))


async def _found(request: Request) -> PersonsGame:
    window: Window = request.app.state.site
    return _game(window, request.path_params["key"])


def _game(window: Window, key: str) -> PersonsGame:
    if (game := window.tables.find(_PERSON, key)) is None:
        raise NotThere("There is no such game.")
    return game


async def _drawn(request: Request, wrong: str) -> Response:
    """The page of a game."""
    window: Window = request.app.state.site
    game = await _found(request)

    def draw() -> Response:
        seat = game.seen.seat
        document = play_pages.page(
            game,
            opponent=window.opponent(seat) or words.without_store(window.settings.game),
            drawn=frame.alone,
            others=window.names(seat),
            wrong=wrong,
        )
        return page(document, 400 if wrong else 200)

    return await in_thread(window, draw)


async def _events(request: Request) -> Response:
    """The stream of a game's page."""
    window: Window = request.app.state.site
    game = _game(window, request.query_params.get("p", ""))
    opened = partial(window.tables.changed, game)  # it is drawn when the stream is open: no change is missed
    return PageStream(window, topic(game), opened=opened, whose=_PERSON, gzip=takes_gzip(request.headers))


async def _replay(request: Request) -> Response:
    """A game of this window that is over, step by step."""
    window: Window = request.app.state.site
    played = _played(request)

    def draw() -> Response:
        with window.database.reading() as connection:
            game = recorded.game(connection, played.id)
        return page(
            replay_page.page(
                game,
                drawn=partial(frame.alone, modules=replay_page.MODULES, broad=True),
                near=[(links.table(played.key), "Play again")],
                own=played.seat,
                find="" if game.analysis else links.mistakes(played.id),
            )
        )

    return await in_thread(window, draw)


class _Played(NamedTuple):
    """A game that is over."""

    id: int
    """In the record."""
    key: str
    seat: int
    """The person's."""


def _played(request: Request) -> _Played:
    """The game of the request's path; NotThere if it is not one of this window."""
    window: Window = request.app.state.site
    id: int = request.path_params["id"]
    for game in window.tables.games(_PERSON):
        if game.seen.end is not None and game.seen.end.id == id:
            return _Played(id, game.seen.key, game.seen.seat)
    raise NotThere("There is no such game.")


async def _mistakes(request: Request) -> Response:
    """Finds the mistakes of a game."""
    window: Window = request.app.state.site
    return await mistakes(request, window.analyses, _PERSON, _played(request).id, frame.alone)


async def _static(request: Request) -> Response:
    found = static(None, Asked({"name": request.path_params["name"]}, {}))
    return Response(found.body, media_type=found.kind)


def _message(status: int, title: str, text: str) -> Response:
    return page(result_pages.message(title, text, drawn=frame.alone), status)


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return _message(404, "Not found", "There is no page at this address.")
    return _message(error.status_code, "Not possible", error.detail)


async def _not_there(_: Request, error: Exception) -> Response:
    return _message(404, "Not found", str(error))


async def _wrong(_: Request, error: Exception) -> Response:
    return _message(400, "Not possible", words.printable(str(error)))


async def _failed(request: Request, error: Exception) -> Response:
    window: Window = request.app.state.site
    window.complain(f"the page {request.url.path} cannot be shown: {how_it_failed(error)}")
    return _message(500, "Error", "This page cannot be shown because of an error in the server. It was reported.")


async def _serve(settings: WindowSettings, database: Database, director: Asker, _: ExitStack) -> None:
    """Answers until the director ends."""
    threads = Turns(_THREADS)
    window = Window(
        threads=threads,
        hints=ThreadPoolExecutor(1, thread_name_prefix="hint"),
        streams=Streams(),
        tables=PersonsGames(director.lines.send),
        database=database,
        settings=settings,
        analyses=Analyses(settings.database),
        complain=server.Complaints(director.lines),
    )
    window.tables.changed = TableStreams(window, window.parts).changed
    await server.answer(application(window), settings.listening, window, director)
    threads.shutdown(wait=False, cancel_futures=True)


def serve(director: Asker) -> None:
    """Runs the page until the director ends; in a helper."""
    server.run(director, WindowSettings, _serve)
