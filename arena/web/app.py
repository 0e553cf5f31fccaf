"""The page server as an application: all its addresses, and what is at those of pages that do not change by themselves.

A route is a line in `ROUTES`: an address and a function that draws what is there. The function runs in a thread; what
it gives is kept (`cache.py`). A segment of the path is decoded after the path was split, so names can contain "/".
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from datetime import UTC, datetime
from functools import partial
from traceback import extract_tb
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from starlette.applications import Starlette
from starlette.convertors import StringConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from arena.pages import drawing, manual
from arena.pages.drawing import Document
from arena.results.report import Report
from arena.serve.open_ladders import opened
from arena.tournament.lock import running_in
from arena.web import api, links, live_routes, manage_routes, own_routes, play_routes, results
from arena.web.answers import POLICY, RequestGuard, takes_gzip
from arena.web.cache import KeptPage, TooBusy
from arena.web.identity import NotSignedIn, account_of, viewer_of
from arena.web.links import FILTERS
from arena.web.own import challengers, own
from arena.web.page_values import JSON, Asked, BadQuery, Drawn, NotThere
from arena.web.pages import frame, result_pages
from arena.web.permissions import Role, Viewer
from arena.web.results import Heading, agent_view
from arena.web.site import Site, of_tournament
from db import ladder
from db.errors import DatabaseError, NotFound

Draw = Callable[[Site, Asked], Drawn]
"""Draws what is at an address. NotThere or NotFound: nothing is there. BadQuery: a parameter is invalid."""
_RETRY_AFTER: Final = "5"
"""Seconds."""
_LONGEST_QUERY: Final = 500
"""Characters of one parameter."""


class _Segment(StringConvertor):
    """A segment of the path, decoded."""

    def convert(self, value: str) -> str:
        return links.name_in(value)


register_url_convertor("segment", _Segment())


def drawn_key(path: str, asked: Asked) -> Hashable:
    """By what is kept that was drawn for this."""
    return (path, asked.viewer.role, asked.viewer.author, *asked.names.values(), *asked.query.items())


def drawn(path: str, draw: Draw, *parameters: str, own: bool = False) -> Route:
    """A route whose answers are drawn in a thread and kept. `parameters`: those of the address that it has. `own`:
    whether each author gets another answer."""

    async def answer(request: Request) -> Response:
        site: Site = request.app.state.site
        query = {name: request.query_params[name] for name in parameters if name in request.query_params}
        if any(len(value) > _LONGEST_QUERY for value in query.values()):
            raise BadQuery(f"expected at most {_LONGEST_QUERY} characters in each part of the address")
        viewer = await viewer_of(request)
        names = {name: str(value) for name, value in request.path_params.items()}
        # Not whose account it is: all with this role get the same, unless the page shows what is the author's own.
        asked = Asked(names, query, Viewer(viewer.role, author=viewer.author if own else ""))
        key = drawn_key(path, asked)
        newest = "no-cache" in request.headers.get("cache-control", "")
        found = await site.cache.get(key, partial(draw, site, asked), newest=newest)
        return response(request, found, viewer)

    return Route(path, answer, methods=["GET"])


def response(request: Request, kept: KeptPage, viewer: Viewer) -> Response:
    """The answer to that request; without a body if the client has it already. Only the browser keeps what `viewer` got
    by signing in."""
    kept_by = "no-cache" if viewer.role is Role.VISITOR else "private, no-cache"
    headers = {"etag": kept.tag, "cache-control": kept_by, "vary": "accept-encoding, cookie", POLICY: kept.policy}
    known = request.headers.get("if-none-match", "")
    if kept.tag in known or known == "*":
        return Response(status_code=304, headers=headers)
    headers["content-type"] = kept.kind
    if takes_gzip(request.headers):
        return Response(kept.zipped, headers=headers | {"content-encoding": "gzip"})
    return StreamingResponse(kept.plain(), headers=headers | {"content-length": str(kept.length)})


# What is at each address of a page that does not change while it is looked at: values are read, then drawn.


def home(site: Site, asked: Asked) -> Drawn:
    """The front page."""
    names, author = site.names.seen_by(asked.viewer), asked.viewer.author
    with site.database.reading() as connection:
        found = names.briefly(("/", asked.viewer.role), partial(results.overview, connection, names))
        ladder = opened(connection, site.served) if author else None
        mine = None if ladder is None else own(connection, names, ladder, author)
    return Drawn.page(result_pages.home(found, signed_in=asked.viewer.role is not Role.VISITOR, mine=mine))


def find(site: Site, asked: Asked) -> Drawn:
    """What a word finds."""
    words = asked.query.get("q", "")
    with site.database.reading() as connection:
        found = results.find(connection, site.names.seen_by(asked.viewer), words)
    return Drawn.page(result_pages.found(words, found))


def _of_report(
    page: Callable[[Heading, Report], Document], site: Site, asked: Asked, *, with_latest: bool = False
) -> Drawn:
    with of_tournament(site, asked) as (connection, names, id):
        heading = results.heading(connection, names, id)
        report = results.report(connection, names, id, now=datetime.now(UTC), with_latest=with_latest)
    return Drawn.page(page(heading, report))


standings = partial(_of_report, result_pages.standings, with_latest=True)
crosstable = partial(_of_report, result_pages.crosstable)
bracket = partial(_of_report, result_pages.bracket)


def games(site: Site, asked: Asked) -> Drawn:
    """A part of the list of games."""
    with of_tournament(site, asked) as (connection, names, id):
        found = results.games_part(connection, names, id, links.wanted(asked.query), asked.query.get("cursor", ""))
    return Drawn.page(result_pages.games(found))


def agent(site: Site, asked: Asked) -> Drawn:
    """An agent in a tournament."""
    with of_tournament(site, asked) as (connection, names, id):
        found = agent_view(connection, names, id, asked.names["agent"], served=site.served)
        ladder = opened(connection, site.served) if asked.viewer.author else None
        if ladder is not None:
            own = challengers(connection, names, ladder, id, found.agent.name, found.made)
            found = replace(found, challengers=own)
    return Drawn.page(result_pages.agent(found))


# The style sheet of all pages, and their scripts; nothing else.


_KINDS: Final = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}


def static(_: object, asked: Asked) -> Drawn:
    """The file of that name."""
    name = asked.names["name"]
    if name not in drawing.files():
        raise NotThere("There is no such file.")
    return Drawn(drawing.file(name).encode(), _KINDS[name.rpartition(".")[2]])


# The docs under /docs: the list of pages, the search, and each page.


def manual_index(_: Site, asked: Asked) -> Drawn:
    """The pages, or what words find in them."""
    around = frame.around(at=links.DOCS)
    return Drawn.page(manual.index(around, links.docs, words=asked.query.get("q", ""), search=links.DOCS))


def manual_page(_: Site, asked: Asked) -> Drawn:
    """The page of that name, or the one that it is a part of now."""
    name = manual.page_called(asked.names["page"])
    if name is None:
        raise NotThere("The docs have no such page.")
    return Drawn.page(manual.page(name, frame.around(at=links.docs(name), above=((links.DOCS, "Learn"),)), links.docs))


# /healthz: whether the server does its work, as JSON, for programs that watch it.


_PATIENCE: Final = 5.0
"""Seconds that the database has to answer."""


class ServerHealth(Struct, frozen=True):
    """What is well."""

    ok: bool
    database: bool
    """Whether it answers."""
    games: bool
    """Whether the process that plays the ladder's games runs."""
    ratings_age: float | None
    """Seconds since the last ratings were computed; null if there are none yet."""


async def health(request: Request) -> Response:
    """The state of the server: 200, or 503 if the database does not answer or no games are run."""
    site: Site = request.app.state.site
    try:
        found = await asyncio.wait_for(asyncio.to_thread(_look, site), _PATIENCE)
    except (TimeoutError, DatabaseError):
        found = ServerHealth(False, False, False, None)
    return Response(msgspec.json.encode(found), 200 if found.ok else 503, media_type=JSON)


def _look(site: Site) -> ServerHealth:
    games = running_in(site.store, site.served) is not None
    with site.database.reading() as connection:
        rated = ladder.last_rated(connection, site.served)
    age = None if rated is None else (datetime.now(UTC) - rated).total_seconds()
    return ServerHealth(games, True, games, age)


# All addresses.


ROUTES: Final[tuple[BaseRoute, ...]] = (
    drawn("/", home, own=True),
    drawn("/find", find, "q"),
    drawn("/docs", manual_index, "q"),
    drawn("/docs/{page:segment}", manual_page),
    drawn("/t/{tournament:segment}", standings),
    drawn("/t/{tournament:segment}/crosstable", crosstable),
    drawn("/t/{tournament:segment}/bracket", bracket),
    drawn("/t/{tournament:segment}/games", games, *FILTERS),
    drawn("/t/{tournament:segment}/a/{agent:segment}", agent, own=True),
    *(drawn(path, draw, *parameters) for path, draw, *parameters in api.ADDRESSES),
    drawn("/static/{name:segment}", static),
    *live_routes.routes(response),
    *own_routes.routes(response),
    *manage_routes.routes(),
    *play_routes.routes(),
    Route("/healthz", health, methods=["GET"]),
)


def application(site: Site, hosts: tuple[str, ...] = ()) -> ASGIApp:
    """The whole page server as an ASGI application."""
    app = Starlette(
        routes=ROUTES,
        exception_handlers={
            HTTPException: _refused,
            NotSignedIn: _not_signed_in,
            NotThere: _not_there,
            NotFound: _not_there,
            BadQuery: _bad_query,
            DatabaseError: _no_database,
            Exception: _failed,
        },
    )
    app.router.redirect_slashes = False
    app.state.site = site
    return RequestGuard(app, hosts)


def _page(request: Request, status: int, title: str, text: str, headers: dict[str, str] | None = None) -> Response:
    """A page, or JSON, that says what is wrong."""
    is_api = request.url.path.startswith(links.API)
    page = api.refusal(text) if is_api else Drawn.page(result_pages.message(title, text))
    return Response(page.body, status, (headers or {}) | {"content-type": page.kind, POLICY: page.policy})


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        return _page(request, 405, "Not possible", "This address does not take that.", dict(error.headers or {}))
    if isinstance(error, TooBusy):
        return _page(request, error.status_code, "Not available", error.detail, dict(error.headers or {}))
    if error.status_code == 429:
        text = "Another download of yours is in progress. Try again when it is over."
        return _page(request, 429, "Not now", text, {"retry-after": _RETRY_AFTER})
    return await _not_found(request, "There is no page at this address.")


async def _not_signed_in(request: Request, _: Exception) -> Response:
    site: Site = request.app.state.site
    if request.url.path.startswith(links.API):
        text = site.no_sign_in or "expected a token: Authorization: Bearer at_..."
        return _page(request, 401, "Not signed in", text, {"www-authenticate": "Bearer"})
    return own_routes.no_sign_in(site)


async def _not_there(request: Request, error: Exception) -> Response:
    return await _not_found(request, str(error))


async def _not_found(request: Request, text: str) -> Response:
    """Visitors also hear that there can be more for those who sign in; the same at every address."""
    site: Site = request.app.state.site
    is_page = not request.url.path.startswith(links.API)
    if is_page and site.sign_ins is not None and await account_of(request) is None:
        text += " If you take part in a course, open your link to sign in."
    return _page(request, 404, "Not found", text)


async def _bad_query(request: Request, error: Exception) -> Response:
    return _page(request, 400, "Not a valid address", str(error))


async def _no_database(request: Request, error: Exception) -> Response:
    request.app.state.site.complain(f"pages cannot be shown: {error}")
    text = "The database does not answer at the moment. Try again in a few seconds."
    return _page(request, 503, "Not available", text, {"retry-after": _RETRY_AFTER})


async def _failed(request: Request, error: Exception) -> Response:
    site: Site = request.app.state.site
    path = request.url.path
    where = links.invitation("...") if path.startswith(links.invitation("")) else path  # the key of a link is secret
    site.complain(f"the page {where} cannot be shown: {how_it_failed(error)}")
    return _page(request, 500, "Error", "This page cannot be shown because of an error in the server. It was reported.")


def how_it_failed(error: Exception) -> str:
    """The error and where it was raised, on one line."""
    frames = extract_tb(error.__traceback__)
    at = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{at}"
