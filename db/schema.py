"""The tables of the record, and the views through which other programs may read it.

Games are scheduled, played and never rewritten; rulings are only ever added. Durations are integer nanoseconds in the
tables and milliseconds in the views. Nothing outside this package knows a table. Every text is made storable here, on
its way into any column, so that no writer has to think of it.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from sqlalchemy import JSON, BigInteger, CheckConstraint, Dialect, ForeignKey, Index, Integer, Text, UniqueConstraint
from sqlalchemy import text as sql
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

from db.counting import COUNTS, POINTS, PRESENT, STATUS, holds
from db.records import storable

_Whole = BigInteger().with_variant(Integer, "sqlite")
"""Integers of 64 bits; SQLite's row ids must be called plain integers."""


class _Text(TypeDecorator[str]):
    """A text as both databases can hold it. What a query compares a column with goes through here too."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        return None if value is None else storable(value)


class _Document(TypeDecorator[dict[str, Any]]):
    """A document of which every text is such a text."""

    impl = JSON(none_as_null=True)
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:  # noqa: ARG002
        return _storable_document(value)


def _storable_document(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {_storable_document(key): _storable_document(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_storable_document(one) for one in value]
    return value


class Base(DeclarativeBase):
    """What all tables have in common."""

    type_annotation_map: ClassVar[dict[Any, Any]] = {str: _Text, int: _Whole, dict[str, Any]: _Document}


class Agent(Base):
    """Somebody who plays, under one name for ever."""

    __tablename__ = "agent"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)


class Version(Base):
    """One of an agent's successive submissions."""

    __tablename__ = "version"
    __table_args__ = (UniqueConstraint("agent", "number"), UniqueConstraint("agent", "source"))

    id: Mapped[int] = mapped_column(primary_key=True)
    agent: Mapped[int] = mapped_column(ForeignKey("agent.id"))
    number: Mapped[int]
    """From 1."""
    source: Mapped[str]
    """The hash in the store; of a built-in agent its text."""
    started_as: Mapped[str]
    """The player as it was named, for people."""
    created: Mapped[str]


class Tournament(Base):
    """One tournament: what it is, and how far it has come."""

    __tablename__ = "tournament"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    format: Mapped[str]
    rules: Mapped[str]
    clock: Mapped[str]
    seed: Mapped[str]
    """A whole number, as text: it may have 128 bits."""
    settings: Mapped[dict[str, Any]]
    status: Mapped[str]
    """running, stopped or finished."""
    created: Mapped[str]
    finished: Mapped[str | None]


class Entry(Base):
    """Who takes part in a tournament, and with which version now."""

    __tablename__ = "entry"
    __table_args__ = (UniqueConstraint("tournament", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    tournament: Mapped[int] = mapped_column(ForeignKey("tournament.id"))
    version: Mapped[int] = mapped_column(ForeignKey("version.id"))
    name: Mapped[str]
    status: Mapped[str]
    """active, withdrawn or quarantined."""


_NOT_NORMAL: Final = "verdict <> 'normal'"


class Game(Base):
    """One game: planned, in progress, or over."""

    __tablename__ = "game"
    __table_args__ = (
        UniqueConstraint("tournament", "pair", "leg", "attempt"),
        Index("game_by_status", "tournament", "status", "number"),
        Index("game_by_finished", "finished"),
        Index("game_by_moves", "moves_hash"),
        # On PostgreSQL as partial, by its migration: to say so here would load that dialect in every command, 30 ms.
        Index("game_not_normal", "verdict", "finished", sqlite_where=sql(_NOT_NORMAL)),
        CheckConstraint("status IN ('scheduled', 'playing', 'finished', 'void', 'cancelled')", name="game_status"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    tournament: Mapped[int | None] = mapped_column(ForeignKey("tournament.id"))
    round: Mapped[int | None]
    number: Mapped[int]
    pair: Mapped[str]
    """Who meets, and which meeting it is, whatever the seats; never changes, whatever is added later."""
    leg: Mapped[int]
    attempt: Mapped[int]
    rules: Mapped[str]
    clock: Mapped[str]
    seed: Mapped[str]
    opening: Mapped[str | None]
    status: Mapped[str]
    verdict: Mapped[str | None]
    fault: Mapped[int | None]
    detail: Mapped[str | None]
    plies: Mapped[int | None]
    started: Mapped[str | None]
    finished: Mapped[str | None]
    host: Mapped[dict[str, Any] | None]
    lag: Mapped[int | None]
    moves_hash: Mapped[int | None]
    """`db.records.moves_hash` of its moves, to find games that repeat another; None where no move is on record."""


class Seat(Base):
    """Who sits where in a game, and what came of it."""

    __tablename__ = "seat"
    # The seats of a game lie side by side, in the order of the games: who counts large records reads them so.
    __table_args__ = (Index("seat_by_version", "version", "game"), {"sqlite_with_rowid": False})

    game: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    version: Mapped[int] = mapped_column(ForeignKey("version.id"))
    name: Mapped[str]
    """What it is called in this game."""
    points: Mapped[float | None]
    utility: Mapped[float | None]
    spent: Mapped[int | None]
    longest: Mapped[int | None]
    cpu: Mapped[int | None]
    memory: Mapped[int | None]
    stderr: Mapped[str | None]


class Move(Base):
    """One ply of a game."""

    __tablename__ = "move"
    __table_args__ = {"sqlite_with_rowid": False}  # noqa: RUF012

    game: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    ply: Mapped[int] = mapped_column(primary_key=True)
    who: Mapped[str]
    """A seat's number, "chance" or "opening"."""
    move: Mapped[str]
    spent: Mapped[int | None]
    left: Mapped[int | None]
    cpu: Mapped[int | None]
    delay: Mapped[int | None]
    lag: Mapped[int | None]
    log: Mapped[int | None]
    score: Mapped[float | None]
    depth: Mapped[int | None]
    nodes: Mapped[int | None]
    line: Mapped[str | None]
    text: Mapped[str | None]


class Ruling(Base):
    """What an instructor has decided about a game or an entry, and why. Never changed, never removed."""

    __tablename__ = "ruling"
    __table_args__ = (
        Index("ruling_by_game", "game"),
        Index("ruling_revoked_once", "revokes", unique=True),
        CheckConstraint("(game IS NULL) <> (entry IS NULL)", name="ruling_about_one_thing"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    game: Mapped[int | None] = mapped_column(ForeignKey("game.id"))
    entry: Mapped[int | None] = mapped_column(ForeignKey("entry.id"))
    what: Mapped[str]
    """void, again or award (a game), withdraw or release (an entry), or revoke."""
    seat: Mapped[int | None]
    """To whom a game is awarded."""
    reason: Mapped[str]
    made: Mapped[str]
    revokes: Mapped[int | None]
    """The ruling about the same game or entry that a "revoke" takes back."""
    status_before: Mapped[str | None]
    """The status that an entry had before."""
    paired: Mapped[int | None]
    """The last round that had been paired by then."""


TABLES: Final = (*Base.metadata.tables, "alembic_version", "bundle", "bundled")
"""All tables that there may be: those of a bundle too."""
EXPRESSIONS: Final = (
    f"CREATE INDEX game_not_normal ON game (verdict, finished) WHERE {_NOT_NORMAL}",
    *(
        f"CHECK ({one.sqltext})"
        for table in Base.metadata.tables.values()
        for one in table.constraints
        if isinstance(one, CheckConstraint)
    ),
)
"""The expressions in our tables and indexes, as SQLite has them."""

VIEWS: Final = {
    "v_game": f"""
        SELECT game.id AS id, tournament.name AS tournament, game.round AS round, game.number AS number,
               game.attempt AS attempt, game.rules AS game, game.opening AS opening, game.clock AS clock,
               game.seed AS seed, {STATUS} AS status, game.verdict AS verdict, game.fault AS fault,
               game.detail AS detail, game.plies AS plies, game.started AS started, game.finished AS finished,
               game.lag / 1000000 AS lag, ruling.what AS ruling, ruling.seat AS awarded_to, ruling.reason AS reason,
               game.pair AS pair, game.leg AS leg,
               {COUNTS} AS counts,
               {PRESENT} AS present
        FROM game
        LEFT JOIN tournament ON tournament.id = game.tournament
        LEFT JOIN ruling ON {holds("game.id")}
    """,
    "v_seat": f"""
        SELECT seat.game AS game, seat.seat AS seat, seat.name AS player, version.number AS version,
               {POINTS} AS points,
               seat.utility AS utility, seat.spent / 1000000 AS spent, seat.longest / 1000000 AS longest,
               seat.cpu / 1000000 AS cpu, seat.memory AS memory, seat.stderr AS stderr
        FROM seat
        JOIN v_game ON v_game.id = seat.game
        JOIN version ON version.id = seat.version
    """,
    "v_move": """
        SELECT game, ply, who, move, spent / 1000000 AS spent, "left" / 1000000 AS "left", cpu / 1000000 AS cpu,
               delay / 1000000 AS delay, lag / 1000000 AS lag, log, score, depth, nodes, line, text
        FROM move
    """,
}
"""The public face of the record: view -> the query behind it. `v_standing` and `v_head_to_head` are made of these."""

VIEWS["v_standing"] = """
    SELECT v_game.tournament AS tournament, v_seat.player AS name, COUNT(*) AS games,
           SUM(CASE WHEN v_seat.points = 1.0 THEN 1 ELSE 0 END) AS wins,
           SUM(CASE WHEN v_seat.points > 0.0 AND v_seat.points < 1.0 THEN 1 ELSE 0 END) AS draws,
           SUM(CASE WHEN v_seat.points = 0.0 THEN 1 ELSE 0 END) AS losses,
           SUM(v_seat.points) AS points, AVG(v_seat.points) AS score
    FROM v_seat JOIN v_game ON v_game.id = v_seat.game
    WHERE v_game.counts = 1 AND v_game.present = 1 AND v_seat.points IS NOT NULL
    GROUP BY v_game.tournament, v_seat.player
"""
VIEWS["v_head_to_head"] = """
    SELECT v_game.tournament AS tournament, one.player AS name, other.player AS opponent, COUNT(*) AS games,
           SUM(CASE WHEN one.points > other.points THEN 1 ELSE 0 END) AS wins,
           SUM(CASE WHEN one.points = other.points THEN 1 ELSE 0 END) AS draws,
           SUM(CASE WHEN one.points < other.points THEN 1 ELSE 0 END) AS losses,
           SUM(one.points) AS points
    FROM v_seat AS one
    JOIN v_seat AS other ON other.game = one.game AND other.seat <> one.seat
    JOIN v_game ON v_game.id = one.game
    WHERE v_game.counts = 1 AND v_game.present = 1 AND one.points IS NOT NULL
    GROUP BY v_game.tournament, one.player, other.player
"""
