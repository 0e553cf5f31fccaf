"""The tables of the database, and the views that other programs can read.

A finished game is never changed, and a ruling is never changed or deleted. An analysis can be made again:
the new one replaces the old one. Durations are integer nanoseconds in the tables and milliseconds in the views. Only
this package uses the tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import CheckConstraint, ColumnElement, ForeignKey, Index, MetaData, UniqueConstraint
from sqlalchemy import text as sql

from db import columns
from db.counting import AWARD, COUNTED, COUNTS, CURRENT_VERSIONS, POINTS, STATUS, UNRATED, in_force, points_of
from db.records import MILLISECONDS, SEAT_RESULT, Attempt, GameKind

METADATA: Final = MetaData()


class _Rows(columns.Rows, metadata=METADATA):
    """Base class of all tables."""


class Agent(_Rows):
    """An agent, a built-in player or a person. Its name never changes."""

    id: ColumnElement[int] = columns.number(primary_key=True)
    name: ColumnElement[str] = columns.text(unique=True)


class Version(_Rows):
    """One submission of an agent."""

    _about = (UniqueConstraint("agent", "number"), UniqueConstraint("agent", "source"))

    id: ColumnElement[int] = columns.number(primary_key=True)
    agent: ColumnElement[int] = columns.number(ForeignKey("agent.id"))
    number: ColumnElement[int] = columns.number()
    """Counted from 1 for each agent."""
    source: ColumnElement[str] = columns.text()
    """The submission's hash in the store; for a built-in agent, its name and options."""
    started_as: ColumnElement[str] = columns.text()
    """The path or name that the user gave, for display."""
    created: ColumnElement[str] = columns.text()


class Tournament(_Rows):
    """One tournament: its description and its status."""

    id: ColumnElement[int] = columns.number(primary_key=True)
    name: ColumnElement[str] = columns.text(unique=True)
    format: ColumnElement[str] = columns.text()
    rules: ColumnElement[str] = columns.text()
    clock: ColumnElement[str] = columns.text()
    seed: ColumnElement[int | None] = columns.big_number()
    settings: ColumnElement[dict[str, Any]] = columns.json()
    """The description (TOML) as JSON, with additions such as "byes"."""
    status: ColumnElement[str] = columns.text()
    """running, stopped or finished."""
    created: ColumnElement[str] = columns.text()
    finished: ColumnElement[str | None] = columns.text(nullable=True)
    seats_key: ColumnElement[int | None] = columns.big_number(nullable=True)
    """The key of the seats' seeds; NULL: in tournaments of older versions they come from `seed`."""


class Entry(_Rows):
    """A player in a tournament, and the version it plays with now."""

    _about = (UniqueConstraint("tournament", "name"),)

    id: ColumnElement[int] = columns.number(primary_key=True)
    tournament: ColumnElement[int] = columns.number(ForeignKey("tournament.id"))
    version: ColumnElement[int] = columns.number(ForeignKey("version.id"))
    name: ColumnElement[str] = columns.text()
    status: ColumnElement[str] = columns.text()
    """active, withdrawn or quarantined."""


GAME_STATUSES: Final = ("scheduled", "playing", "finished", "void", "cancelled")
_NOT_NORMAL: Final = "verdict <> 'normal'"


class Game(_Rows):
    """One attempt at a game: scheduled, playing, or over."""

    _about = (
        UniqueConstraint("tournament", "pair", "leg", "attempt"),
        Index("game_by_status", "tournament", "status", "number"),
        Index("game_by_finished", "finished"),
        Index("game_by_moves", "moves_hash"),
        # Partial on PostgreSQL too, by migration 0001. `postgresql_where` here would import that dialect: 30 ms.
        Index("game_not_normal", "verdict", "finished", sqlite_where=sql(_NOT_NORMAL)),
        Index("game_unrated", "kind", sqlite_where=sql(UNRATED)),
        CheckConstraint(f"status IN {GAME_STATUSES}", name="game_status"),
    )

    id: ColumnElement[int] = columns.number(primary_key=True)
    tournament: ColumnElement[int | None] = columns.number(ForeignKey("tournament.id"), nullable=True)
    round: ColumnElement[int | None] = columns.number(nullable=True)
    number: ColumnElement[int] = columns.number()
    pair: ColumnElement[str] = columns.text()
    """Key of the pairing: the same for all its legs. It never changes, even if players join the tournament later."""
    leg: ColumnElement[int] = columns.number()
    attempt: ColumnElement[int] = columns.number()
    rules: ColumnElement[str] = columns.text()
    clock: ColumnElement[str] = columns.text()
    seed: ColumnElement[int | None] = columns.big_number()
    opening: ColumnElement[str | None] = columns.text(nullable=True)
    status: ColumnElement[str] = columns.text()
    verdict: ColumnElement[str | None] = columns.text(nullable=True)
    fault: ColumnElement[int | None] = columns.number(nullable=True)
    detail: ColumnElement[str | None] = columns.text(nullable=True)
    plies: ColumnElement[int | None] = columns.number(nullable=True)
    started: ColumnElement[str | None] = columns.text(nullable=True)
    finished: ColumnElement[str | None] = columns.text(nullable=True)
    host: ColumnElement[dict[str, Any] | None] = columns.json(nullable=True)
    lag: ColumnElement[int | None] = columns.number(nullable=True)
    moves_hash: ColumnElement[int | None] = columns.number(nullable=True)
    """`db.records.moves_hash` of its moves, to find repeated games; None if no move is recorded."""
    kind: ColumnElement[str] = columns.text(server_default=GameKind.TOURNAMENT)
    """A `db.records.GameKind`."""
    position: ColumnElement[str | None] = columns.text(nullable=True)
    """The position from which it begins; NULL: that of the rules."""


ATTEMPT: Final = tuple([Game.__table__.c["rules" if name == "game" else name] for name in Attempt.__struct_fields__])
"""The columns of `db.records.Attempt`, in the order of its fields."""


class Seat(_Rows, sqlite_with_rowid=False):
    """The player in one seat of a game, and its result."""

    # WITHOUT ROWID stores the seats of a game side by side, in the order of the games: counting scans them in it.
    _about = (Index("seat_by_version", "version", "game"),)

    game: ColumnElement[int] = columns.number(ForeignKey("game.id"), primary_key=True)
    seat: ColumnElement[int] = columns.number(primary_key=True)
    version: ColumnElement[int] = columns.number(ForeignKey("version.id"))
    name: ColumnElement[str] = columns.text()
    """The player's name in this game."""
    points: ColumnElement[float | None] = columns.real()
    utility: ColumnElement[float | None] = columns.real()
    spent: ColumnElement[int | None] = columns.number(nullable=True)
    longest: ColumnElement[int | None] = columns.number(nullable=True)
    cpu: ColumnElement[int | None] = columns.number(nullable=True)
    memory: ColumnElement[int | None] = columns.number(nullable=True)
    stderr: ColumnElement[str | None] = columns.text(nullable=True)
    seed: ColumnElement[int | None] = columns.number(nullable=True)
    """The seed that the player got; NULL if the game was not played, or by an older version."""
    clock: ColumnElement[str | None] = columns.text(nullable=True)
    """Its own clock; NULL: that of the game."""
    adsearch: ColumnElement[str | None] = columns.text(nullable=True)
    """The form of adsearch that its process searched in; NULL: not known, or not an agent of our kit."""


class Move(_Rows, sqlite_with_rowid=False):
    """One ply of a game."""

    game: ColumnElement[int] = columns.number(ForeignKey("game.id"), primary_key=True)
    ply: ColumnElement[int] = columns.number(primary_key=True)
    who: ColumnElement[str] = columns.text()
    """A seat's number, "chance" or "opening"."""
    move: ColumnElement[str] = columns.text()
    spent: ColumnElement[int | None] = columns.number(nullable=True)
    left: ColumnElement[int | None] = columns.number(nullable=True)
    cpu: ColumnElement[int | None] = columns.number(nullable=True)
    delay: ColumnElement[int | None] = columns.number(nullable=True)
    lag: ColumnElement[int | None] = columns.number(nullable=True)
    log: ColumnElement[int | None] = columns.number(nullable=True)
    score: ColumnElement[float | None] = columns.real()
    depth: ColumnElement[int | None] = columns.number(nullable=True)
    nodes: ColumnElement[int | None] = columns.number(nullable=True)
    line: ColumnElement[str | None] = columns.text(nullable=True)
    text: ColumnElement[str | None] = columns.text(nullable=True)
    marks: ColumnElement[dict[str, Any] | None] = columns.json(nullable=True)
    """Cells of the board, each with what the agent marked it as; NULL in games of older versions."""


class Analysis(_Rows, sqlite_with_rowid=False):
    """The judgement of one ply by our search, from the last analysis of the game; a new analysis replaces it.

    A value is the number for seat 0, NULL if it is not known. `_values` has the number of every seat, separated by
    spaces."""

    game: ColumnElement[int] = columns.number(ForeignKey("game.id"), primary_key=True)
    ply: ColumnElement[int] = columns.number(primary_key=True)
    before: ColumnElement[float | None] = columns.real()
    before_values: ColumnElement[str] = columns.text()
    before_exact: ColumnElement[int] = columns.number()
    """1 if proven, else 0."""
    before_distance: ColumnElement[int | None] = columns.number(nullable=True)
    after: ColumnElement[float | None] = columns.real()
    after_values: ColumnElement[str] = columns.text()
    after_exact: ColumnElement[int] = columns.number()
    after_distance: ColumnElement[int | None] = columns.number(nullable=True)
    loss: ColumnElement[float | None] = columns.real()
    mark: ColumnElement[str] = columns.text()
    """"?", "??" or empty."""
    better: ColumnElement[str | None] = columns.text(nullable=True)
    """The better move; NULL without a mistake."""
    line: ColumnElement[str | None] = columns.text(nullable=True)
    """The moves that would follow `better`, separated by spaces."""
    depth: ColumnElement[int] = columns.number()
    answer: ColumnElement[str | None] = columns.text(nullable=True)
    """The moves that would follow the mistake, separated by spaces."""


class Ruling(_Rows):
    """An instructor's decision about a game or an entry, with the reason. Never changed, never deleted."""

    _about = (
        Index("ruling_by_game", "game"),
        Index("ruling_revoked_once", "revokes", unique=True),
        CheckConstraint("(game IS NULL) <> (entry IS NULL)", name="ruling_about_one_thing"),
    )

    id: ColumnElement[int] = columns.number(primary_key=True)
    game: ColumnElement[int | None] = columns.number(ForeignKey("game.id"), nullable=True)
    entry: ColumnElement[int | None] = columns.number(ForeignKey("entry.id"), nullable=True)
    what: ColumnElement[str] = columns.text()
    """void, again or award (a game), withdraw, quarantine or release (an entry), or revoke."""
    seat: ColumnElement[int | None] = columns.number(nullable=True)
    """The seat that the game is awarded to."""
    reason: ColumnElement[str] = columns.text()
    made: ColumnElement[str] = columns.text()
    revokes: ColumnElement[int | None] = columns.number(nullable=True)
    """The ruling that a "revoke" takes back; it is about the same game or entry."""
    status_before: ColumnElement[str | None] = columns.text(nullable=True)
    """The entry's status before the ruling."""
    paired: ColumnElement[int | None] = columns.number(nullable=True)
    """The last round that was paired when the ruling was made."""


class Submission(_Rows):
    """An agent that was handed in to a ladder. Its state says what happens next; no other place does."""

    _about = (
        Index("submission_by_author", "tournament", "author", "id"),
        Index("submission_by_state", "tournament", "state"),
        CheckConstraint(
            "state IN ('received', 'checking', 'entered', 'failed', 'refused', 'withdrawn')", name="submission_state"
        ),
    )

    id: ColumnElement[int] = columns.number(primary_key=True)
    tournament: ColumnElement[int] = columns.number(ForeignKey("tournament.id"))
    author: ColumnElement[str] = columns.text()
    """The name of the agent, which is the name of its author."""
    label: ColumnElement[str] = columns.text()
    """The name of the file or folder that was handed in."""
    source: ColumnElement[str | None] = columns.text(nullable=True)
    """The hash in the store; NULL until an upload is opened, and if it was refused or withdrawn before that."""
    state: ColumnElement[str] = columns.text()
    words: ColumnElement[str] = columns.text()
    """Why it is in this state, for its author; empty if there is nothing to add."""
    steps: ColumnElement[dict[str, Any]] = columns.json()
    """The steps of its check so far, and what they found."""
    version: ColumnElement[int | None] = columns.number(ForeignKey("version.id"), nullable=True)
    """The version that plays; NULL unless it is entered."""
    received: ColumnElement[str] = columns.text()
    changed: ColumnElement[str] = columns.text()
    interruptions: ColumnElement[int] = columns.number()
    """How often the server was killed, or ended by an error, during its check; of an upload that is not opened yet: how
    often the process that opens it was."""


class Extension(_Rows):
    """A later end of submissions, for one author. The last one holds."""

    _about = (Index("extension_by_author", "tournament", "author"),)

    id: ColumnElement[int] = columns.number(primary_key=True)
    tournament: ColumnElement[int] = columns.number(ForeignKey("tournament.id"))
    author: ColumnElement[str] = columns.text()
    until: ColumnElement[str] = columns.text()
    reason: ColumnElement[str] = columns.text()
    made: ColumnElement[str] = columns.text()


class Challenge(_Rows):
    """Who wanted a game of the kind "challenge", on which ladder. The status of the game says what became of it."""

    _about = (UniqueConstraint("game"), Index("challenge_by_author", "tournament", "author", "made"))

    id: ColumnElement[int] = columns.number(primary_key=True)
    game: ColumnElement[int] = columns.number(ForeignKey("game.id"))
    tournament: ColumnElement[int] = columns.number(ForeignKey("tournament.id"))
    """The ladder. The game itself is of no tournament, so no result of the ladder has it."""
    author: ColumnElement[str] = columns.text()
    made: ColumnElement[str] = columns.text()
    words: ColumnElement[str] = columns.text()
    """Why it was not played; empty unless it was cancelled."""


class Rating(_Rows):
    """The rating of a version in a tournament at one time. The last row is the rating now; all rows are its history."""

    _about = (Index("rating_by_version", "tournament", "version", "id"),)

    id: ColumnElement[int] = columns.number(primary_key=True)
    tournament: ColumnElement[int] = columns.number(ForeignKey("tournament.id"))
    version: ColumnElement[int] = columns.number(ForeignKey("version.id"))
    time: ColumnElement[str] = columns.text()
    rating: ColumnElement[float] = columns.real(nullable=False)
    """In Elo; on a ladder on the scale that the anchors hold."""
    error: ColumnElement[float] = columns.real(nullable=False)
    """Half the width of the 95 % confidence interval."""
    games: ColumnElement[int] = columns.number()
    """The number of games that it is computed from."""


TABLES: Final = (*METADATA.tables, "alembic_version", "bundle", "bundled")
"""Names of all our tables, with Alembic's and those of a bundle."""
EXPRESSIONS: Final = (
    f"CREATE INDEX game_not_normal ON game (verdict, finished) WHERE {_NOT_NORMAL}",
    f"CREATE INDEX game_unrated ON game (kind) WHERE {UNRATED}",
    f"DEFAULT '{GameKind.TOURNAMENT}'",
    *(
        f"CHECK ({one.sqltext})"
        for table in METADATA.tables.values()
        for one in table.constraints
        if isinstance(one, CheckConstraint)
    ),
)
"""The SQL expressions in our tables and indexes, as `sqlite_master` lists them."""


def _shown(table: type[_Rows], names: Sequence[str] = ()) -> str:
    """These columns in a view, or all of them; durations in milliseconds."""
    shown = [(one.name, '"left"' if one.name == "left" else one.name) for one in table.__table__.c]
    return ", ".join(
        f"{table.__table__.name}.{written}{' / 1000000' if name in MILLISECONDS else ''} AS {written}"
        for name, written in shown
        if name in (names or table.__table__.c)
    )


VIEWS: Final = {
    "v_game": f"""
        SELECT game.id AS id, tournament.name AS tournament, game.round AS round, game.number AS number,
               game.attempt AS attempt, game.rules AS game, game.opening AS opening, game.clock AS clock,
               game.seed AS seed, {STATUS} AS status, game.verdict AS verdict, game.fault AS fault,
               game.detail AS detail, game.plies AS plies, game.started AS started, game.finished AS finished,
               game.lag / 1000000 AS lag, ruling.what AS ruling, ruling.seat AS awarded_to, ruling.reason AS reason,
               game.pair AS pair, game.leg AS leg, game.kind AS kind,
               {COUNTS} AS counts,
               {CURRENT_VERSIONS} AS present, game.position AS position
        FROM game
        LEFT JOIN tournament ON tournament.id = game.tournament
        LEFT JOIN ruling ON {in_force("game.id")}
    """,
    "v_seat": f"""
        SELECT seat.game AS game, seat.seat AS seat, seat.name AS player, version.number AS version,
               {POINTS} AS points, {_shown(Seat, [name for name in SEAT_RESULT if name not in ("points", "seed")])}
        FROM seat
        JOIN v_game ON v_game.id = seat.game
        JOIN version ON version.id = seat.version
    """,
    "v_move": f"SELECT {_shown(Move)} FROM move",
    "v_analysis": """
        SELECT analysis.game AS game, analysis.ply AS ply, move.who AS who, seat.name AS player, move.move AS move,
               analysis.before AS before, analysis.before_exact AS before_exact,
               analysis.before_distance AS before_distance, analysis.after AS after,
               analysis.after_exact AS after_exact, analysis.after_distance AS after_distance,
               analysis.loss AS loss, analysis.mark AS mark, analysis.better AS better, analysis.line AS line,
               analysis.answer AS answer, analysis.depth AS depth
        FROM analysis
        JOIN move ON move.game = analysis.game AND move.ply = analysis.ply
        LEFT JOIN seat ON seat.game = analysis.game AND CAST(seat.seat AS TEXT) = move.who
    """,
}
"""The views that other programs can read: name -> SELECT."""

_ONE, _OTHER = points_of("one"), points_of("other")
VIEWS["v_standing"] = f"""
    SELECT tournament.name AS tournament, one.name AS name, COUNT(*) AS games,
           SUM(CASE WHEN {_ONE} = 1.0 THEN 1 ELSE 0 END) AS wins,
           SUM(CASE WHEN {_ONE} > 0.0 AND {_ONE} < 1.0 THEN 1 ELSE 0 END) AS draws,
           SUM(CASE WHEN {_ONE} = 0.0 THEN 1 ELSE 0 END) AS losses,
           SUM({_ONE}) AS points, AVG({_ONE}) AS score
    FROM game CROSS JOIN seat AS one {AWARD}
    LEFT JOIN tournament ON tournament.id = game.tournament
    WHERE one.game = game.id AND {COUNTED} AND {_ONE} IS NOT NULL
    GROUP BY tournament.name, one.name
"""
VIEWS["v_head_to_head"] = f"""
    SELECT tournament.name AS tournament, one.name AS name, other.name AS opponent, COUNT(*) AS games,
           SUM(CASE WHEN {_ONE} > {_OTHER} THEN 1 ELSE 0 END) AS wins,
           SUM(CASE WHEN {_ONE} = {_OTHER} THEN 1 ELSE 0 END) AS draws,
           SUM(CASE WHEN {_ONE} < {_OTHER} THEN 1 ELSE 0 END) AS losses,
           SUM({_ONE}) AS points
    FROM seat AS one JOIN seat AS other ON other.game = one.game AND other.seat <> one.seat
    JOIN game ON game.id = one.game {AWARD}
    LEFT JOIN tournament ON tournament.id = game.tournament
    WHERE {COUNTED} AND {_ONE} IS NOT NULL
    GROUP BY tournament.name, one.name, other.name
"""
VIEWS["v_submission"] = """
    SELECT submission.id AS id, tournament.name AS tournament, submission.author AS author, submission.label AS file,
           submission.state AS state, submission.words AS words, version.number AS version,
           submission.received AS received, submission.changed AS changed
    FROM submission
    JOIN tournament ON tournament.id = submission.tournament
    LEFT JOIN version ON version.id = submission.version
"""
VIEWS["v_rating"] = """
    SELECT tournament.name AS tournament, agent.name AS player, version.number AS version, rating.time AS time,
           rating.rating AS rating, rating.error AS error, rating.games AS games
    FROM rating
    JOIN tournament ON tournament.id = rating.tournament
    JOIN version ON version.id = rating.version
    JOIN agent ON agent.id = version.agent
"""
