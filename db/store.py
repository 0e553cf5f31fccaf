"""Every write to the database; each function takes a connection with an open transaction. Statements that are run for
every game are compiled once.

The caller decides what goes into one transaction: for example, the end of one game and the start of the next. A
finished game is never changed; a later decision about it is a ruling. An analysis is replaced by the next one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import count, islice
from operator import attrgetter
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import astuple
from sqlalchemy import Connection, Dialect, bindparam, delete, func, insert, select, update
from sqlalchemy.sql.dml import UpdateBase
from sqlalchemy.types import TypeEngine

from db import dialect
from db.columns import StorableText
from db.errors import DatabaseError, NotFound
from db.records import (
    ACTS,
    SEAT_RESULT,
    Attempt,
    GameKind,
    GameRecord,
    JudgedPly,
    MoveRecord,
    PositionValue,
    ScheduledGame,
    SeatRecord,
    instant,
    moves_hash,
)
from db.schema import ATTEMPT, GAME_STATUSES, Agent, Analysis, Entry, Game, Move, Ruling, Seat, Tournament, Version

# Statements that are run for every game: SQLAlchemy compiles them once, then the driver runs them.


class _Compiled(Struct, frozen=True):
    """A statement in the SQL of one dialect."""

    sql: str
    by_position: bool
    """Whether the driver takes the values as a tuple; otherwise as a dictionary."""
    values: tuple[tuple[str, int, Callable[[Any], Any] | None], ...]
    """In their order in the SQL: the name of each value, its place in a row, and the function of its column's type that
    converts it, if there is one."""


class PreparedGame:
    """An INSERT, UPDATE or DELETE, with the names of its values in the order in which a row has them: columns to set,
    and parameters (their names begin with "_")."""

    def __init__(self, statement: UpdateBase, *names: str) -> None:
        self._statement = statement
        self._names = names
        # By the name of the dialect.
        self._compiled: dict[str, _Compiled] = {}

    def run(self, connection: Connection, *rows: tuple[Any, ...]) -> int:
        """Execute the statement once for each row; return the number of rows in the database that were written."""
        compiled = self._compiled.get(connection.dialect.name) or self._compile(connection.dialect)
        # Converted column by column: half the time of row by row.
        columns = list(zip(*rows, strict=True))
        converted = [
            columns[at] if convert is None else map(convert, columns[at]) for _, at, convert in compiled.values
        ]
        values: list[Any] = list(zip(*converted, strict=True))
        if not compiled.by_position:
            values = [dict(zip([name for name, *_ in compiled.values], row, strict=True)) for row in values]
        cursor = connection.connection.cursor()
        if len(values) == 1:
            cursor.execute(compiled.sql, values[0])
        else:
            cursor.executemany(compiled.sql, values)
        return cursor.rowcount

    def _compile(self, dialect: Dialect) -> _Compiled:
        columns = [name for name in self._names if not name.startswith("_")]
        found: Any = self._statement.compile(dialect=dialect, column_keys=columns)
        values = tuple(
            (name, self._names.index(name), _converter(found.binds[name].type, dialect))
            for name in found.positiontup or found.binds
        )
        compiled = _Compiled(found.string, found.positional, values)
        self._compiled[dialect.name] = compiled
        return compiled


def _converter(kind: TypeEngine[Any], dialect: Dialect) -> Callable[[Any], Any] | None:
    if isinstance(kind, StorableText):
        return kind.stored  # what SQLAlchemy calls in the end, after two other functions
    return kind.dialect_impl(dialect).bind_processor(dialect)


_PART: Final = 2500
"""Number of games that are scheduled or forfeited with one statement."""
_GIVEN: Final = ("id", "number", "kind")
"""The fields of a scheduled game that are known when it is written."""
COMMANDS_OF_RESULTS: Final = ("show", "rank", "crosstable", "versus", "progress", "history", "tournaments", "hosts")
"""The commands of `arena results NAME`: no new tournament is called like one."""
VOID: Final = "void"
FORFEIT: Final = "forfeit"


# Versions.


def version(connection: Connection, name: str, source: str, started_as: str, now: datetime) -> int:
    """The id of the version of agent `name` with this source; creates the agent and the version if necessary."""
    agent = connection.execute(select(Agent.id).where(Agent.name == name)).scalar()
    if agent is None:
        agent = dialect.new_id(connection.execute(insert(Agent).values(name=name)))
    same = select(Version.id).where(Version.agent == agent, Version.source == source)
    found = connection.execute(same).scalar()
    if found is not None:
        return found
    last = connection.execute(select(func.max(Version.number)).where(Version.agent == agent)).scalar() or 0
    new = insert(Version).values(
        agent=agent, number=last + 1, source=source, started_as=started_as, created=instant(now)
    )
    return dialect.new_id(connection.execute(new))


# Tournaments.


def create_tournament(
    connection: Connection,
    name: str,
    *,
    format: str,
    rules: str,
    clock: str,
    seed: int,
    seats_key: int | None = None,
    settings: Mapping[str, Any],
    now: datetime,
) -> int:
    """Insert a tournament with status "running"; return its id. DatabaseError for a name that is a command."""
    if name in COMMANDS_OF_RESULTS:
        raise DatabaseError(
            f"a tournament cannot be called {name!r}, because `arena results {name}` is a command; choose another name"
        )
    new = insert(Tournament).values(
        name=name,
        format=format,
        rules=rules,
        clock=clock,
        seed=seed,
        seats_key=seats_key,
        settings=dict(settings),
        status="running",
        created=instant(now),
    )
    return dialect.new_id(connection.execute(new))


def change_settings(connection: Connection, tournament: int, settings: Mapping[str, Any]) -> None:
    """Replace the tournament's description."""
    connection.execute(update(Tournament).where(Tournament.id == tournament).values(settings=dict(settings)))


def set_status(connection: Connection, tournament: int, status: str, now: datetime) -> None:
    """Set the tournament's status: running, stopped or finished."""
    finished = instant(now) if status == "finished" else None
    connection.execute(update(Tournament).where(Tournament.id == tournament).values(status=status, finished=finished))


def enter(connection: Connection, tournament: int, name: str, version: int) -> None:
    """Enter `name` with that version, or change the version of its entry."""
    there = select(Entry.id).where(Entry.tournament == tournament, Entry.name == name)
    entry = connection.execute(there).scalar()
    if entry is None:
        connection.execute(insert(Entry).values(tournament=tournament, name=name, version=version, status="active"))
    else:
        connection.execute(update(Entry).where(Entry.id == entry).values(version=version))


def set_entry_status(connection: Connection, tournament: int, name: str, status: str) -> None:
    """Set the entry's status: active, withdrawn or quarantined."""
    connection.execute(update(Entry).where(Entry.tournament == tournament, Entry.name == name).values(status=status))


def quarantine(connection: Connection, tournament: int, name: str) -> None:
    """Set the status of an active entry to quarantined. Who was withdrawn meanwhile by another process, stays so."""
    active = update(Entry).where(Entry.tournament == tournament, Entry.name == name, Entry.status == "active")
    connection.execute(active.values(status="quarantined"))


# Games.


def schedule(connection: Connection, tournament: int | None, games: Iterable[ScheduledGame]) -> list[int]:
    """Insert games with status "scheduled", numbered after the last game; return their ids. A game without a kind is
    one of a tournament, or without one casual.

    The games are read in parts: a generator of a million games needs little memory."""
    kind = GameKind.CASUAL if tournament is None else GameKind.TOURNAMENT
    number = _last_number(connection, tournament)
    ids: list[int] = []
    rest = iter(games)
    while part := list(islice(rest, _PART)):
        new = dialect.new_game_ids(connection, len(part))
        _GAME.run(
            connection,
            *(
                (tournament, id, at, str(game.kind or kind), *_planned(game))
                for id, at, game in zip(new, count(number + 1), part, strict=False)
            ),
        )
        _NEW_SEAT.run(
            connection,
            *(
                (id, seat, version, name)
                for id, game in zip(new, part, strict=True)
                for seat, (version, name) in enumerate(game.seats)
            ),
        )
        number += len(part)
        ids += new
    return ids


def _last_number(connection: Connection, tournament: int | None) -> int:
    """The number of the last game. It is read by status: each is then the end of a part of an index, and no other game
    is read."""
    of_it = Game.tournament.is_(None) if tournament is None else Game.tournament == tournament
    last = [
        select(func.max(Game.number)).where(of_it, Game.status == status).scalar_subquery() for status in GAME_STATUSES
    ]
    return max(number or 0 for number in connection.execute(select(*last)).one())


def begin(connection: Connection, game: int, now: datetime) -> None:
    """Set the game's status to "playing"."""
    _BEGIN.run(connection, (game, "playing", instant(now)))


def postpone(connection: Connection, game: int) -> None:
    """Set the status of a game that nobody has started yet back to "scheduled"."""
    connection.execute(update(Game).where(Game.id == game).values(status="scheduled", started=None))


def interrupt(connection: Connection, tournament: int) -> None:
    """Set all games with status "playing" back to "scheduled": the referee that played them has ended."""
    connection.execute(
        update(Game)
        .where(Game.tournament == tournament, Game.status == "playing")
        .values(status="scheduled", started=None)
    )


def finish(
    connection: Connection,
    game: int,
    record: GameRecord,
    *,
    host: Mapping[str, Any] | None,
    now: datetime,
    dice: Sequence[object] = (),
    position: str | None = None,
) -> None:
    """Write a finished game with its seats and moves; DatabaseError if the game was over already. `dice` and
    `position`: see `moves_hash`."""
    written = _FINISH.run(
        connection,
        (
            game,
            VOID if record.verdict == VOID else "finished",
            record.verdict,
            record.fault,
            record.detail,
            len(record.moves),
            instant(now),
            None if host is None else dict(host),
            record.lag,
            moves_hash(record.moves, dice, position),
        ),
    )
    if written != 1:
        raise DatabaseError(f"expected a game that is not over, got game {game}: a finished game is never changed")
    _SEAT.run(connection, *((game, seat.seat, *astuple(seat)[2:]) for seat in record.seats))
    if record.moves:
        _MOVE.run(connection, *((game, move.ply, str(move.who), *astuple(move)[2:]) for move in record.moves))


def repeat(connection: Connection, game: int, *, versions: Mapping[str, int] | None = None) -> int:
    """Schedule another attempt at the game, with the same number; return the new id.

    `versions` (name -> version): the versions to play with, instead of those that played."""
    row = connection.execute(select(Game.__table__).where(Game.id == game)).mappings().one()
    last = select(func.max(Game.attempt)).where(
        Game.tournament == row["tournament"], Game.pair == row["pair"], Game.leg == row["leg"]
    )
    attempt = (connection.execute(last).scalar() or row["attempt"]) + 1
    same = {column.key: row[column.key] for column in ATTEMPT if column.key != "id"}
    new = insert(Game).values(same | {"tournament": row["tournament"], "attempt": attempt, "status": "scheduled"})
    id = dialect.new_id(connection.execute(new))
    seats = connection.execute(select(Seat.seat, Seat.version, Seat.name).where(Seat.game == game)).all()
    connection.execute(
        insert(Seat),
        [
            {"game": id, "seat": seat, "version": (versions or {}).get(name, played), "name": name}
            for seat, played, name in seats
        ],
    )
    return id


def use_version(connection: Connection, tournament: int, name: str, version: int) -> None:
    """Let `name` play its scheduled games with that version."""
    waiting = select(Game.id).where(Game.tournament == tournament, Game.status == "scheduled")
    connection.execute(update(Seat).where(Seat.game.in_(waiting), Seat.name == name).values(version=version))


def cancel_attempts(connection: Connection, games: Sequence[int]) -> None:
    """Cancel these attempts; none of them may be over."""
    connection.execute(update(Game).where(Game.id.in_(games)).values(status="cancelled", started=None))


def cancel(connection: Connection, tournament: int, pairs: Sequence[str]) -> None:
    """Cancel the scheduled games of these pairings: their results are not needed any more."""
    if pairs:
        waiting = update(Game).where(Game.tournament == tournament, Game.status == "scheduled", Game.pair.in_(pairs))
        connection.execute(waiting.values(status="cancelled"))


def forfeit(connection: Connection, losers: Mapping[int, int], detail: str, now: datetime) -> None:
    """Finish games without playing them; `losers` has the seat that loses in each game."""
    rest = iter(losers)
    while part := list(islice(rest, _PART)):
        _FINISH.run(
            connection,
            *((game, "finished", FORFEIT, losers[game], detail, 0, instant(now), None, 0, None) for game in part),
        )
        seats = connection.execute(select(Seat.game, Seat.seat).where(Seat.game.in_(part))).all()
        others = {game: number - 1 for game, number in Counter(game for game, _ in seats).items()}
        _SEAT.run(
            connection,
            *(
                (game, seat, *astuple(SeatRecord(seat, "", points=points, spent=0, longest=0))[2:])
                for game, seat in seats
                for points in [_forfeit_points(others[game], lost=seat == losers[game])]
            ),
        )


def _forfeit_points(others: int, *, lost: bool) -> float:
    """The loser loses against each of the `others`, who draw with each other."""
    return 0.0 if lost else (1.0 + (others - 1) * 0.5) / others


# Analyses.


def keep_analysis(connection: Connection, game: int, plies: Sequence[JudgedPly]) -> None:
    """Write the analysis of a game, in place of an earlier one."""
    connection.execute(delete(Analysis).where(Analysis.game == game))
    connection.execute(
        insert(Analysis),
        [
            {
                "game": game,
                "ply": ply.ply,
                **_value("before", ply.before),
                **_value("after", ply.after),
                "loss": ply.loss,
                "mark": ply.mark.value,
                "better": ply.better[0] if ply.better else None,
                "line": " ".join(ply.better[1:]) or None,
                "answer": " ".join(ply.answer) or None,
                "depth": ply.depth,
            }
            for ply in plies
        ],
    )


def _value(name: str, value: PositionValue) -> dict[str, Any]:
    return {
        name: value.values[0] if value.known else None,
        f"{name}_values": " ".join(map(repr, value.values)),
        f"{name}_exact": int(value.exact),
        f"{name}_distance": value.distance,
    }


# Rulings.


def rule_on_game(
    connection: Connection, game: int, what: str, reason: str, now: datetime, *, seat: int | None = None
) -> int:
    """Insert a ruling about a game: "void", "again", or "award" to `seat`; return its id."""
    found = connection.execute(select(Game.tournament).where(Game.id == game)).first()
    if found is None:
        raise NotFound(f"there is no game {game}")
    paired = None if found[0] is None else last_round(connection, found[0])
    return _rule(connection, reason, now, game=game, what=what, seat=seat, paired=paired)


def rule_on_entry(connection: Connection, tournament: int, name: str, what: str, reason: str, now: datetime) -> int:
    """Insert a ruling about an entry and set the entry's status; return the ruling's id."""
    chosen = select(Entry.id, Entry.status).where(Entry.tournament == tournament, Entry.name == name)
    found = connection.execute(chosen).first()
    if found is None:
        raise NotFound(f"no player {name!r} takes part in this tournament")
    set_entry_status(connection, tournament, name, ACTS[what].status)
    paired = last_round(connection, tournament)
    return _rule(connection, reason, now, entry=found.id, what=what, status_before=found.status, paired=paired)


def revoke(connection: Connection, ruling: int, reason: str, now: datetime) -> int:
    """Insert a ruling that revokes `ruling`; give an entry back its earlier status. Return the new ruling's id."""
    old = connection.execute(select(Ruling.__table__).where(Ruling.id == ruling)).mappings().one()
    after = ACTS[old["what"]].status
    before = old["status_before"] or ("active" if after == "withdrawn" else "withdrawn")
    # The WHERE keeps a status that was set since, such as a new quarantine.
    undone = update(Entry).where(Entry.id == old["entry"], Entry.status == after).values(status=before)
    connection.execute(undone)
    return _rule(connection, reason, now, game=old["game"], entry=old["entry"], what="revoke", revokes=ruling)


def last_round(connection: Connection, tournament: int) -> int:
    """The number of the last round that has games; 0 if none has."""
    return connection.execute(select(func.max(Game.round)).where(Game.tournament == tournament)).scalar() or 0


def _rule(connection: Connection, reason: str, now: datetime, **values: Any) -> int:
    return dialect.new_id(connection.execute(insert(Ruling).values(reason=reason, made=instant(now), **values)))


_BEGIN: Final = PreparedGame(update(Game).where(Game.id == bindparam("_game")), "_game", "status", "started")
_FINISH: Final = PreparedGame(
    update(Game).where(Game.id == bindparam("_game"), Game.verdict.is_(None)),
    *("_game", "status", "verdict", "fault", "detail", "plies", "finished", "host", "lag", "moves_hash"),
)
_SEAT: Final = PreparedGame(
    update(Seat).where(Seat.game == bindparam("_game"), Seat.seat == bindparam("_seat")),
    *("_game", "_seat", *SEAT_RESULT),
)
_MOVE: Final = PreparedGame(insert(Move), "game", *MoveRecord.__struct_fields__)
_PLANNED: Final = [(of, to.key) for of, to in zip(Attempt.__struct_fields__, ATTEMPT, strict=True) if of not in _GIVEN]
_planned: Final = attrgetter(*[field for field, _ in _PLANNED])
_GAME: Final = PreparedGame(insert(Game), "tournament", *_GIVEN, *[column for _, column in _PLANNED])
_NEW_SEAT: Final = PreparedGame(insert(Seat), "game", "seat", "version", "name")
