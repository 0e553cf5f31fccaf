"""/healthz: whether the server does its work, as JSON, for programs that watch it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Final

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from arena.tournament.lock import running_in
from arena.web.drawn import JSON
from arena.web.site import Site
from db import ladder
from db.errors import DatabaseError

_PATIENCE: Final = 5.0
"""Seconds that the database has to answer."""


class Health(Struct, frozen=True):
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
        found = Health(False, False, False, None)
    return Response(msgspec.json.encode(found), 200 if found.ok else 503, media_type=JSON)


def _look(site: Site) -> Health:
    games = running_in(site.store, site.served) is not None
    with site.database.reading() as connection:
        rated = ladder.last_rated(connection, site.served)
    age = None if rated is None else (datetime.now(UTC) - rated).total_seconds()
    return Health(games, True, games, age)
