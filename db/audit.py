"""Reads the whole database, for `arena data verify` and `arena data info`.

All queries over one connection see the same state (one snapshot). Games are read in batches, so that a database of any
size can be checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from msgspec import Struct
from sqlalchemy import Connection, column, func, select, text
from sqlalchemy import table as table_of

from db import games
from db.records import Attempt, PastGame
from db.running import attempt
from db.schema import ATTEMPT, METADATA, TABLES, Agent, Entry, Game, Move, Tournament, Version

_BATCH: Final = 200
"""Games per query."""


class StoredVersion(Struct, frozen=True):
    """One version of an agent."""

    agent: str
    number: int
    source: str
    started_as: str


class AuditedAttempt(Attempt, frozen=True, kw_only=True):
    """One attempt at a game of a tournament; its status is "void" if a ruling annulled it."""

    tournament: str
    tournament_status: str
    ruling: str | None
    counts: bool


class RecordSize(Struct, frozen=True):
    """Numbers of rows in the database."""

    agents: int
    versions: int
    tournaments: int
    games: dict[str, int]
    """By status."""
    moves: int


def size(connection: Connection) -> RecordSize:
    """Count the rows of the database."""
    agents, versions, tournaments, moves = (
        connection.execute(select(func.count()).select_from(table)).scalar_one()
        for table in (Agent, Version, Tournament, Move)
    )
    rows = connection.execute(select(Game.status, func.count()).group_by(Game.status).order_by(Game.status))
    return RecordSize(agents, versions, tournaments, {str(status): count for status, count in rows}, moves)


def damage(connection: Connection) -> list[str]:
    """What SQLite's `integrity_check` and `foreign_key_check` find: damaged pages, references to missing rows."""
    if connection.dialect.name != "sqlite":
        return []
    tables = connection.execute(text("SELECT lower(name) FROM sqlite_master WHERE type = 'table'")).scalars()
    # Checking a table that is not ours can run SQL from its schema. If there is one, check only ours, one by one.
    only_ours = {name for name in tables if not name.startswith("sqlite_")} <= {*TABLES}
    which = [""] if only_ours else [f"({name})" for name in METADATA.tables]
    checks = [connection.execute(text(f"PRAGMA integrity_check{one}")) for one in which]
    said = [str(line) for check in checks for (line,) in check if line != "ok"]
    for table, row, parent, _ in connection.execute(text("PRAGMA foreign_key_check")):
        said.append(f"row {row} of the table {table!r} refers to a row that is not in {parent!r}")
    return said


def versions(connection: Connection) -> list[StoredVersion]:
    """Every version of every agent."""
    chosen = select(Agent.name, Version.number, Version.source, Version.started_as)
    rows = connection.execute(chosen.join(Version, Version.agent == Agent.id).order_by(Agent.name, Version.number))
    return [StoredVersion(*row) for row in rows]


def entries(connection: Connection) -> list[tuple[str, str, str]]:
    """Tournament, name and status of every entry."""
    chosen = select(Tournament.name, Entry.name, Entry.status).join(Tournament, Tournament.id == Entry.tournament)
    return [(tournament, name, status) for tournament, name, status in connection.execute(chosen.order_by(Entry.id))]


def attempts(connection: Connection) -> Iterator[AuditedAttempt]:
    """Every attempt at every game of a tournament: by tournament, number and attempt."""
    view = table_of("v_game", *map(column, ("id", "status", "ruling", "counts")))
    chosen = select(*ATTEMPT, Tournament.name, Tournament.status, view.c.status, view.c.ruling, view.c.counts)
    joined = chosen.join(view, view.c.id == Game.id).join(Tournament, Tournament.id == Game.tournament)
    for row in connection.execute(joined.order_by(Tournament.id, Game.number, Game.attempt, Game.id)):
        tournament, tournament_status, status, ruling, counts = row[len(ATTEMPT) :]
        about = {"tournament": tournament, "tournament_status": tournament_status, "ruling": ruling}
        yield AuditedAttempt(**attempt(row) | about | {"status": status, "counts": bool(counts)})


def wrong_revocations(connection: Connection) -> list[tuple[int, int | None]]:
    """The revocations (id, revoked id) whose revoked ruling is not an earlier one about the same game or entry."""
    query = """
        SELECT ruling.id, ruling.revokes FROM ruling
        LEFT JOIN ruling AS old ON old.id = ruling.revokes AND old.id < ruling.id AND old.what <> 'revoke'
             AND COALESCE(old.game, 0) = COALESCE(ruling.game, 0) AND COALESCE(old.entry, 0) = COALESCE(ruling.entry, 0)
        WHERE (ruling.what = 'revoke' OR ruling.revokes IS NOT NULL) AND old.id IS NULL
    """
    return [(id, revokes) for id, revokes in connection.execute(text(query))]


class AuditedGame(NamedTuple):
    """A game with moves, and what verification needs in addition."""

    game: PastGame
    imported: bool
    has_seed: bool
    """Whether a seed is recorded, so that chance events can be checked."""
    broken_analysis: str
    """Why its analysis cannot be read; empty if it can, or if there is none."""


def every_game(connection: Connection) -> Iterator[AuditedGame]:
    """Every game, the oldest first."""
    last = 0
    chosen = select(Game.id).order_by(Game.id).limit(_BATCH)
    while ids := connection.execute(chosen.where(Game.id > last)).scalars().all():
        imported = games.imported(connection, ids)
        seeds = {row.id: row.seed for row in connection.execute(select(Game.id, Game.seed).where(Game.id.in_(ids)))}
        read = games.games(connection, ids, whole=True)
        broken = games.broken_analyses(connection, ids)
        for game in read:
            yield AuditedGame(
                game,
                imported=game.id in imported,
                has_seed=seeds[game.id] is not None,
                broken_analysis=broken.get(game.id, ""),
            )
        last = ids[-1]
