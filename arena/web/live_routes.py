"""The routes of what changes while it is looked at: a game, the TV page, and the streams of all pages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from arena.history.pages import replay_page
from arena.history.pages.html import Document
from arena.web import links
from arena.web.cache import Kept
from arena.web.drawn import HTML, BadQuery, Drawn, NotThere
from arena.web.headers import POLICY, takes_gzip
from arena.web.live import Recorded
from arena.web.live_record import LiveRecord
from arena.web.pages import live_page, tv_page
from arena.web.site import Site
from db.games import OVER

Answer = Callable[[Request, Kept], Response]
T = TypeVar("T")
_PATIENCE: Final = 1.0
"""Seconds that a page waits for the state of its game."""
_DIGITS: Final = 18
"""Of a game's id, at most."""
_LONGEST: Final = 500
"""Characters of a tournament's name, at most."""


def routes(answer: Answer) -> tuple[BaseRoute, ...]:
    """The routes. `answer` makes the answer of a page that is kept."""

    async def game(request: Request) -> Response:
        return await _game(request, answer)

    return (
        Route("/g/{id:segment}", game, methods=["GET"]),
        Route("/tv", _tv, methods=["GET"]),
        Route("/events", _events, methods=["GET"]),
    )


async def _in_thread(site: Site, work: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(site.threads, work)


def _record(site: Site) -> LiveRecord:
    return LiveRecord(site.database, site.names, site.served)


def _id(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS):
        raise NotThere("There is no such game.")
    return int(text)


async def _game(request: Request, answer: Answer) -> Response:
    """A game: live while it is played, then the replay."""
    site: Site = request.app.state.site
    record, id = _record(site), _id(request.path_params["id"])
    try:
        return answer(request, await site.cache.get(("/g", id), partial(_replay, record, id)))
    except _NotOver as not_over:
        found = not_over.game
    drawn = None
    if found.shown.status == "playing":
        drawn = await site.streams.state(f"g={id}", "parts", patience=_PATIENCE)
    of = await _in_thread(site, partial(record.titled, found.tournament))
    return _page(live_page.page(found.shown, drawn, of=of))


class _NotOver(Exception):
    """The game is not over: there is no replay yet."""

    def __init__(self, game: Recorded) -> None:
        super().__init__()
        self.game = game


def _replay(record: LiveRecord, id: int) -> Drawn:
    """The page of a game that is over; _NotOver if it is not, NotThere if there is none."""
    found = record.whole_game(id)
    if found is None:
        raise NotThere("There is no such game.")
    if found.shown.status not in OVER:
        raise _NotOver(found)
    game, ways = found.shown, [(links.HOME, "Ladders and tournaments")]
    if title := game.tournament:
        ways += [(links.tournament(title), title), (links.games(title), "Games")]
    return Drawn.page(replay_page.page(game, private=False, links=ways))


async def _tv(request: Request) -> Response:
    """The TV page of a tournament, or of all."""
    site: Site = request.app.state.site
    record = _record(site)
    name = await _tournament(site, request.query_params.get("t", ""))
    shown = await site.streams.state(f"tv={name}", "tv", patience=_PATIENCE)
    side = await site.streams.state(f"tv={name}", "parts", patience=_PATIENCE)
    of = await _in_thread(site, partial(record.titled, name or None))
    return _page(tv_page.page(shown["parts"] if shown else {}, side or {}, of=of))


async def _tournament(site: Site, title: str) -> str:
    """The name in the record of the tournament with this public name; empty if `title` is empty."""
    if len(title) > _LONGEST:
        raise NotThere("There is no such tournament.")
    return await _in_thread(site, partial(_record(site).tournament_name, title)) if title else ""


def _page(document: Document) -> Response:
    """A page that is drawn for each request."""
    return Response(document.text.encode("utf-8", "replace"), headers={POLICY: document.policy, "content-type": HTML})


async def _events(request: Request) -> Response:
    """The stream of a page."""
    site: Site = request.app.state.site
    query = request.query_params
    kinds = [kind for kind in ("g", "tv", "t", "front") if kind in query]
    if len(query) != 1 or len(kinds) != 1:
        raise BadQuery("expected one of g=GAME, t=TOURNAMENT, tv=TOURNAMENT and front=")
    (kind,) = kinds
    if kind == "front" and query[kind]:
        raise BadQuery("front: expected no value")
    which = str(_id(query["g"])) if kind == "g" else await _tournament(site, query[kind])
    if kind == "t" and not which:
        raise NotThere("There is no such tournament.")
    topic = f"{kind}={which}"
    if site.streams.is_full(topic):
        return PlainTextResponse("There are too many open pages.", 503, {"retry-after": "10"})
    if request.method == "HEAD":
        return Response(media_type="text/event-stream")
    return _Stream(site, topic, gzip=takes_gzip(request.headers))


class _Stream(Response):
    """An answer that goes on until the page is closed."""

    def __init__(self, site: Site, topic: str, *, gzip: bool) -> None:
        super().__init__()
        self._site = site
        self._topic = topic
        self._gzip = gzip

    async def __call__(self, _: Scope, receive: Receive, send: Send) -> None:
        await self._site.streams.serve(self._topic, receive, send, gzip=self._gzip)
