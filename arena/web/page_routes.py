"""What is at each address of a page that does not change while it is looked at: values are read, then drawn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from arena.pages import drawing, manual
from arena.serve.open_ladders import opened
from arena.tournament.lock import running_in
from arena.web import found_things, links, results
from arena.web.own import challengers, own
from arena.web.page_values import JSON, Asked, BadQuery, Drawn, NotThere
from arena.web.pages import frame, result_pages
from arena.web.permissions import Role
from arena.web.results import Heading, Wanted, agent_view
from arena.web.site import Site
from db import ladder
from db.errors import DatabaseError

if TYPE_CHECKING:
    from arena.pages.drawing import Document
    from arena.results.report import Report

FILTERS = ("player", "opponent", "result", "verdict", "round", "cursor")
"""The parameters of a list of games."""
_DIGITS = 9
"""Of a round, at most."""


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
        found = found_things.things(connection, site.names.seen_by(asked.viewer), words)
    return Drawn.page(result_pages.found(words, found))


def _of_report(
    page: Callable[[Heading, Report], Document], site: Site, asked: Asked, *, with_latest: bool = False
) -> Drawn:
    names = site.names.seen_by(asked.viewer)
    with site.database.reading() as connection:
        id = names.find_tournament(connection, asked.names["tournament"])
        heading = results.heading(connection, names, id)
        report = results.report(connection, names, id, now=datetime.now(UTC), with_latest=with_latest)
    return Drawn.page(page(heading, report))


standings = partial(_of_report, result_pages.standings, with_latest=True)
crosstable = partial(_of_report, result_pages.crosstable)
bracket = partial(_of_report, result_pages.bracket)


def games(site: Site, asked: Asked) -> Drawn:
    """A part of the list of games."""
    names = site.names.seen_by(asked.viewer)
    with site.database.reading() as connection:
        id = names.find_tournament(connection, asked.names["tournament"])
        found = results.games_part(connection, names, id, wanted(asked), asked.query.get("cursor", ""))
    return Drawn.page(result_pages.games(found))


def agent(site: Site, asked: Asked) -> Drawn:
    """An agent in a tournament."""
    names = site.names.seen_by(asked.viewer)
    with site.database.reading() as connection:
        id = names.find_tournament(connection, asked.names["tournament"])
        found = agent_view(connection, names, id, asked.names["agent"], served=site.served)
        ladder = opened(connection, site.served) if asked.viewer.author else None
        if ladder is not None:
            own = challengers(connection, names, ladder, id, found.agent.name, found.made)
            found = replace(found, challengers=own)
    return Drawn.page(result_pages.agent(found))


def wanted(asked: Asked) -> Wanted:
    """Which games are asked for; an empty parameter is one that is not given. BadQuery if the round is not a number."""
    given = {name: value for name, value in asked.query.items() if value and name != "cursor"}
    round = given.pop("round", None)
    if round is not None and not (round.isascii() and round.isdigit() and len(round) <= _DIGITS):
        raise BadQuery("round: expected a whole number")
    return Wanted(**given, round=None if round is None else int(round))


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
