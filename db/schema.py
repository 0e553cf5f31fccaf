"""The tables of the database (SQLAlchemy ORM classes), and the views that other programs can read.

A finished game is never changed, and a ruling is never changed or deleted. An analysis can be made again:
the new one replaces the old one. Durations are integer nanoseconds in the tables and milliseconds in the views. Only
this package uses the tables. The column types below replace characters that a database cannot store, so that no writer
has to.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from sqlalchemy import JSON, BigInteger, CheckConstraint, Dialect, ForeignKey, Index, Integer, Text, UniqueConstraint
from sqlalchemy import text as sql
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

from db.counting import COUNTS, CURRENT_VERSIONS, POINTS, STATUS, in_force
from db.records import storable

_Integer64 = BigInteger().with_variant(Integer, "sqlite")
"""64-bit integers. In SQLite a row id must be declared as INTEGER, not BIGINT."""


class _StorableText(TypeDecorator[str]):
    """Text; `storable` is applied to each value written, and to each value that a query compares a column with."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        return None if value is None else storable(value)


class _StorableJson(TypeDecorator[dict[str, Any]]):
    """JSON; `storable` is applied to every string in it, keys included."""

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
    """Base class of all tables; maps Python types to column types."""

    type_annotation_map: ClassVar[dict[Any, Any]] = {str: _StorableText, int: _Integer64, dict[str, Any]: _StorableJson}


class Agent(Base):
    """An agent, a built-in player or a person. Its name never changes."""

    __tablename__ = "agent"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)


class Version(Base):
    """One submission of an agent."""

    __tablename__ = "version"
    __table_args__ = (UniqueConstraint("agent", "number"), UniqueConstraint("agent", "source"))

    id: Mapped[int] = mapped_column(primary_key=True)
    agent: Mapped[int] = mapped_column(ForeignKey("agent.id"))
    number: Mapped[int]
    """Counted from 1 for each agent."""
    source: Mapped[str]
    """The submission's hash in the store; for a built-in agent, its name and options."""
    started_as: Mapped[str]
    """The path or name that the user gave, for display."""
    created: Mapped[str]


class Tournament(Base):
    """One tournament: its description and its status."""

    __tablename__ = "tournament"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    format: Mapped[str]
    rules: Mapped[str]
    clock: Mapped[str]
    seed: Mapped[str]
    """An integer as text, because it can have 128 bits."""
    settings: Mapped[dict[str, Any]]
    """The description (TOML) as JSON, with additions such as "byes"."""
    status: Mapped[str]
    """running, stopped or finished."""
    created: Mapped[str]
    finished: Mapped[str | None]


class Entry(Base):
    """A player in a tournament, and the version it plays with now."""

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
    """One attempt at a game: scheduled, playing, or over."""

    __tablename__ = "game"
    __table_args__ = (
        UniqueConstraint("tournament", "pair", "leg", "attempt"),
        Index("game_by_status", "tournament", "status", "number"),
        Index("game_by_finished", "finished"),
        Index("game_by_moves", "moves_hash"),
        # Partial on PostgreSQL too, by migration 0001. `postgresql_where` here would import that dialect: 30 ms.
        Index("game_not_normal", "verdict", "finished", sqlite_where=sql(_NOT_NORMAL)),
        CheckConstraint("status IN ('scheduled', 'playing', 'finished', 'void', 'cancelled')", name="game_status"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    tournament: Mapped[int | None] = mapped_column(ForeignKey("tournament.id"))
    round: Mapped[int | None]
    number: Mapped[int]
    pair: Mapped[str]
    """Key of the pairing: the same for all its legs. It never changes, even if players join the tournament later."""
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
    """`db.records.moves_hash` of its moves, to find repeated games; None if no move is recorded."""


class Seat(Base):
    """The player in one seat of a game, and its result."""

    __tablename__ = "seat"
    # WITHOUT ROWID stores the seats of a game side by side, in the order of the games: counting scans them in it.
    __table_args__ = (Index("seat_by_version", "version", "game"), {"sqlite_with_rowid": False})

    game: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    version: Mapped[int] = mapped_column(ForeignKey("version.id"))
    name: Mapped[str]
    """The player's name in this game."""
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


class Analysis(Base):
    """The judgement of one ply by our search, from the last analysis of the game; a new analysis replaces it.

    A value is the number for seat 0, NULL if it is not known. `_values` has the number of every seat, separated by
    spaces."""

    __tablename__ = "analysis"
    __table_args__ = {"sqlite_with_rowid": False}  # noqa: RUF012

    game: Mapped[int] = mapped_column(ForeignKey("game.id"), primary_key=True)
    ply: Mapped[int] = mapped_column(primary_key=True)
    before: Mapped[float | None]
    before_values: Mapped[str]
    before_exact: Mapped[int]
    """1 if proven, else 0."""
    before_distance: Mapped[int | None]
    after: Mapped[float | None]
    after_values: Mapped[str]
    after_exact: Mapped[int]
    after_distance: Mapped[int | None]
    loss: Mapped[float | None]
    mark: Mapped[str]
    """"?", "??" or empty."""
    better: Mapped[str | None]
    """The better move; NULL without a mistake."""
    line: Mapped[str | None]
    """The moves that would follow `better`, separated by spaces."""
    depth: Mapped[int]


class Ruling(Base):
    """An instructor's decision about a game or an entry, with the reason. Never changed, never deleted."""

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
    """The seat that the game is awarded to."""
    reason: Mapped[str]
    made: Mapped[str]
    revokes: Mapped[int | None]
    """The ruling that a "revoke" takes back; it is about the same game or entry."""
    status_before: Mapped[str | None]
    """The entry's status before the ruling."""
    paired: Mapped[int | None]
    """The last round that was paired when the ruling was made."""


TABLES: Final = (*Base.metadata.tables, "alembic_version", "bundle", "bundled")
"""Names of all our tables, with Alembic's and those of a bundle."""
EXPRESSIONS: Final = (
    f"CREATE INDEX game_not_normal ON game (verdict, finished) WHERE {_NOT_NORMAL}",
    *(
        f"CHECK ({one.sqltext})"
        for table in Base.metadata.tables.values()
        for one in table.constraints
        if isinstance(one, CheckConstraint)
    ),
)
"""The SQL expressions in our tables and indexes, as `sqlite_master` lists them."""

VIEWS: Final = {
    "v_game": f"""
        SELECT game.id AS id, tournament.name AS tournament, game.round AS round, game.number AS number,
               game.attempt AS attempt, game.rules AS game, game.opening AS opening, game.clock AS clock,
               game.seed AS seed, {STATUS} AS status, game.verdict AS verdict, game.fault AS fault,
               game.detail AS detail, game.plies AS plies, game.started AS started, game.finished AS finished,
               game.lag / 1000000 AS lag, ruling.what AS ruling, ruling.seat AS awarded_to, ruling.reason AS reason,
               game.pair AS pair, game.leg AS leg,
               {COUNTS} AS counts,
               {CURRENT_VERSIONS} AS present
        FROM game
        LEFT JOIN tournament ON tournament.id = game.tournament
        LEFT JOIN ruling ON {in_force("game.id")}
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
    "v_analysis": """
        SELECT analysis.game AS game, analysis.ply AS ply, move.who AS who, seat.name AS player, move.move AS move,
               analysis.before AS before, analysis.before_exact AS before_exact,
               analysis.before_distance AS before_distance, analysis.after AS after,
               analysis.after_exact AS after_exact, analysis.after_distance AS after_distance,
               analysis.loss AS loss, analysis.mark AS mark, analysis.better AS better, analysis.line AS line,
               analysis.depth AS depth
        FROM analysis
        JOIN move ON move.game = analysis.game AND move.ply = analysis.ply
        LEFT JOIN seat ON seat.game = analysis.game AND CAST(seat.seat AS TEXT) = move.who
    """,
}
"""The views that other programs can read: name -> SELECT. `v_standing` and `v_head_to_head` (below) use the others."""

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
