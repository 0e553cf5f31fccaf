"""Reads games as plain values, with a few queries for any number of games; values of a wrong type are found first.

Listings, replays and exports use it. A game is returned as it was played, with its rulings beside it. `games` leaves
unknown ids out; `game` raises NotFound.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final

from msgspec import Struct
from sqlalchemy import (
    JSON,
    BindParameter,
    Connection,
    Float,
    Integer,
    Row,
    Table,
    Text,
    TextClause,
    bindparam,
    cast,
    func,
    null,
    select,
    text,
)

from db import lookup
from db.errors import DatabaseError, NotFound
from db.records import (
    IMPORTED,
    SEAT_RESULT,
    JudgedPly,
    Mark,
    MoveRecord,
    PastGame,
    PastRuling,
    PastSeat,
    PositionValue,
    moment_of,
)
from db.schema import METADATA, Analysis, Entry, Game, Move, Ruling, Seat, Tournament, Version

OVER: Final = ("finished", "void")
"""The statuses of games that have been played."""


def ids(connection: Connection, tournament: int | None, *, every: bool = False) -> list[int]:
    """The ids of a tournament's games that are over (`every`: of all games), in the order of their numbers."""
    chosen = select(Game.id).where(Game.status.in_(OVER)).order_by(Game.tournament, Game.number, Game.attempt, Game.id)
    if not every:
        chosen = chosen.where(Game.tournament == tournament)
    return list(connection.execute(chosen).scalars())


def repeated_games(connection: Connection, tournament: int) -> int:
    """How many finished games of a tournament have the same moves (chance included) and the same versions in the same
    seats as an earlier game of it."""
    chosen = select(Game.id).where(
        Game.tournament == tournament, Game.status == "finished", Game.moves_hash.is_not(None)
    )
    alike = chosen.with_only_columns(Game.moves_hash).group_by(Game.moves_hash).having(func.count() > 1)
    columns = (Game.id, Game.rules, Game.moves_hash, Seat.version)
    seats = select(*columns).join(Seat, Seat.game == Game.id)
    seats = seats.where(Game.id.in_(chosen), Game.moves_hash.in_(alike)).order_by(Game.id, Seat.seat)
    played = [
        (game[1:], tuple(row.version for row in rows))
        for game, rows in groupby(connection.execute(seats), key=lambda row: (row.id, row.rules, row.moves_hash))
    ]
    return len(played) - len({*played})


def latest_times(connection: Connection, rules: str, clock: str, *, most: int) -> list[tuple[float, float]]:
    """When the last `most` games with these rules and this clock began and ended, in seconds, where known."""
    wanted = select(Game.started, Game.finished).where(
        Game.status == "finished", Game.plies > 0, Game.rules == rules, Game.clock == clock
    )
    rows = connection.execute(wanted.order_by(Game.finished.desc()).limit(most))
    moments = [(moment_of(begin), moment_of(end)) for begin, end in rows]
    return [(begin.timestamp(), end.timestamp()) for begin, end in moments if begin is not None and end is not None]


def hosts(connection: Connection, tournament: int) -> list[tuple[dict[str, Any], int]]:
    """What the games of a tournament say about the machine that they were played on, and how many say so; the host of
    the earliest game is first."""
    said = cast(Game.host, Text)
    played = select(said, func.count()).where(Game.tournament == tournament).group_by(said).order_by(func.min(Game.id))
    rows = [(_read_host(text), count) for text, count in connection.execute(played)]
    return [(host, count) for host, count in rows if host is not None]


def most_seats(connection: Connection, tournament: int | None) -> int:
    """The largest number of seats in a game of the tournament; with None, of all games."""
    chosen = select(func.max(Seat.seat))
    if tournament is not None:
        chosen = chosen.join(Game, Game.id == Seat.game).where(Game.tournament == tournament)
    return (connection.execute(chosen).scalar() or 0) + 1


def games(connection: Connection, ids: Sequence[int], *, whole: bool = False) -> list[PastGame]:
    """The games with these ids, in this order; `whole`: with their moves, their analysis and the agents' stderr."""
    if not ids:
        return []
    check_types(connection, ids, whole=whole)
    # `host` is read as text, so that a game can be read even if its `host` is not valid JSON.
    columns = [cast(one, Text) if one.key == "host" else one for one in Game.__table__.columns]
    heads = select(*columns, Tournament.name.label("of")).outerjoin(Tournament, Tournament.id == Game.tournament)
    rows = {row["id"]: row for row in connection.execute(heads.where(Game.id.in_(ids))).mappings()}
    seats = _seats(connection, ids, whole)
    moves = _moves(connection, ids) if whole else {}
    analyses = _analyses(connection, ids)[0] if whole else {}
    rulings = _rulings(connection, ids)
    counting = _counting(connection, ids)
    outside = set(ids) if is_bundle(connection) else imported(connection, ids)
    return [
        PastGame(
            tournament=row["of"],
            game=row["rules"],
            seed=row["seed"] or 0,
            seats=tuple(seats.get(row["id"], ())),
            moves=tuple(moves.get(row["id"], ())),
            analysis=tuple(analyses.get(row["id"], ())),
            rulings=tuple(rulings.get(row["id"], ())),
            counts=row["id"] in counting,
            from_outside=row["id"] in outside,
            **{name: row[name] for name in COLUMN_FIELDS} | {"host": _read_host(row["host"])},
        )
        for row in (rows[id] for id in ids if id in rows)
    ]


def game(connection: Connection, id: int) -> PastGame:
    """The game with that id, with its moves and the agents' stderr."""
    found = games(connection, [id], whole=True)
    if not found:
        raise NotFound(f"there is no game {id}; `arena results history` lists the recorded games")
    return found[0]


def imported(connection: Connection, ids: Sequence[int]) -> set[int]:
    """Those of these games that were imported."""
    elsewhere = select(Seat.game).join(Version, Version.id == Seat.version)
    return set(connection.execute(elsewhere.where(Seat.game.in_(ids), Version.source.startswith(IMPORTED))).scalars())


def is_bundle(connection: Connection) -> bool:
    """Whether the database is a bundle."""
    if connection.dialect.name != "sqlite":
        return False
    return (
        connection.execute(text("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'bundle'")).first()
        is not None
    )


COLUMN_FIELDS: Final = tuple(
    name
    for name in PastGame.__struct_fields__
    if name not in ("tournament", "game", "seed", "counts", "seats", "moves", "analysis", "rulings", "from_outside")
)
"""The fields of `PastGame` that are columns of the table `game`, with the same names."""


def _seats(connection: Connection, ids: Sequence[int], whole: bool) -> dict[int, list[PastSeat]]:
    own = [null() if name == "stderr" and not whole else getattr(Seat, name) for name in SEAT_RESULT]
    current = Entry.version.is_(None) | (Entry.version == Seat.version)
    chosen = (
        select(Seat.game, Game.tournament, Seat.seat, Seat.name, Version.number, current, *own)
        .join(Game, Game.id == Seat.game)
        .outerjoin(Version, Version.id == Seat.version)
        .outerjoin(Entry, (Entry.tournament == Game.tournament) & (Entry.name == Seat.name))
        .where(Seat.game.in_(ids))
        .order_by(Seat.game, Seat.seat)
    )
    found: dict[int, list[PastSeat]] = {}
    anchors: dict[int | None, dict[str, float]] = {None: {}}
    for game, tournament, seat, player, version, current, *own in connection.execute(chosen):
        if tournament not in anchors:
            anchors[tournament] = lookup.anchors(connection, [tournament])
        result = dict(zip(SEAT_RESULT, own, strict=True))
        anchor = anchors[tournament].get(player)
        one = PastSeat(seat=seat, player=player, version=version, current=bool(current), anchor=anchor, **result)
        found.setdefault(game, []).append(one)
    return found


def _moves(connection: Connection, ids: Sequence[int]) -> dict[int, list[MoveRecord]]:
    # Columns are read by position, not by name: it is faster, and there is a row for each move.
    columns = [getattr(Move, name) for name in MoveRecord.__struct_fields__]
    rows = connection.execute(select(Move.game, *columns).where(Move.game.in_(ids)).order_by(Move.game, Move.ply))
    found: dict[int, list[MoveRecord]] = {}
    for game, ply, who, *rest in rows:
        found.setdefault(game, []).append(MoveRecord(ply, int(who) if who.isdecimal() else who, *rest))
    return found


def broken_analyses(connection: Connection, ids: Sequence[int]) -> dict[int, str]:
    """Those of these games whose analysis cannot be read, each with the reason."""
    return _analyses(connection, ids)[1]


def _analyses(connection: Connection, ids: Sequence[int]) -> tuple[dict[int, list[JudgedPly]], dict[int, str]]:
    """The analysis of each game; and of each analysis that cannot be read the reason. Such an analysis is left out,
    because it can be made again."""
    seats = select(func.count()).where(Seat.game == Analysis.game).scalar_subquery().label("seats")
    chosen = select(Analysis, Move.who, Move.move, seats).where(Analysis.game.in_(ids))
    plies = chosen.outerjoin(Move, (Move.game == Analysis.game) & (Move.ply == Analysis.ply))
    found: dict[int, list[JudgedPly]] = {}
    broken: dict[int, str] = {}
    for row in connection.execute(plies.order_by(Analysis.game, Analysis.ply)):
        try:
            found.setdefault(row.game, []).append(_judged(row))
        except ValueError as error:
            broken.setdefault(row.game, f"its analysis is broken at ply {row.ply}: {error}")
    return {game: judged for game, judged in found.items() if game not in broken}, broken


def _judged(row: Row[Any]) -> JudgedPly:
    """A row of an analysis; ValueError if it has values that `store.keep_analysis` does not write."""
    if row.who is None:
        raise ValueError("the game has no such ply")
    judged = JudgedPly(
        ply=row.ply,
        who=int(row.who) if row.who.isdecimal() else row.who,
        move=row.move,
        before=_value(row.before, row.before_values, row.before_exact, row.before_distance),
        after=_value(row.after, row.after_values, row.after_exact, row.after_distance),
        depth=row.depth,
        loss=row.loss,
        mark=Mark(row.mark),
        better=() if row.better is None else (row.better, *(row.line or "").split()),
        answer=tuple((row.answer or "").split()),
    )
    for value in (judged.before, judged.after):
        if len(value.values) != row.seats:
            raise ValueError(f"expected {row.seats} values, got {len(value.values)}")
    return judged


def _value(first: float | None, values: str, exact: int, distance: int | None) -> PositionValue:
    return PositionValue(tuple(map(float, values.split())), bool(exact), distance, known=first is not None)


def _rulings(connection: Connection, ids: Sequence[int]) -> dict[int, list[PastRuling]]:
    columns = (Ruling.game, Ruling.what, Ruling.seat, Ruling.reason, Ruling.made, Ruling.id, Ruling.revokes)
    chosen = select(*columns).where(Ruling.game.in_(ids)).order_by(Ruling.id)
    found: dict[int, list[PastRuling]] = {}
    for game, what, seat, reason, made, id, revokes in connection.execute(chosen):
        found.setdefault(game or 0, []).append(PastRuling(what, seat, reason, made, id, revokes))
    return found


def _counting(connection: Connection, ids: Sequence[int]) -> set[int]:
    """Those of these games that count."""
    chosen = text("SELECT id FROM v_game WHERE counts = 1 AND id IN :ids").bindparams(bindparam("ids", expanding=True))
    return set(connection.execute(chosen, {"ids": list(ids)}).scalars())


def _read_host(text: str | None) -> dict[str, Any] | None:
    """The column `host` (the machine that the game was played on); None if it is empty or not a JSON object."""
    try:
        host = None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return None
    return host if isinstance(host, dict) else None


# Finds values of the wrong type, such as text in a column of numbers: SQLite stores them, PostgreSQL refuses them.


_WITH_GAMES: Final = ("game", "seat", "ruling")
_WITH_PLIES: Final = ("move", "analysis")
"""Tables with a row for each ply of a game; they are by far the largest."""
_OF_A_GAME: Final = (*_WITH_GAMES, *_WITH_PLIES)


class WrongType(Struct, frozen=True):
    """A value whose type is not its column's type."""

    table: str
    column: str
    row: Any
    """The id of the value's game; if the table is not about games, the id of the row."""

    @property
    def of_game(self) -> bool:
        """Whether the value belongs to a game."""
        return self.table in _OF_A_GAME

    @property
    def reason(self) -> str:
        """What is wrong, for messages."""
        return f"the value of {self.table}.{self.column} does not have its column's type"


def check_types(connection: Connection, games: Sequence[int], *, whole: bool) -> None:
    """Raise DatabaseError if a value of these games has the wrong type; `whole`: check their plies too."""
    if connection.dialect.name != "sqlite":
        return
    for table in _OF_A_GAME if whole else _WITH_GAMES:
        found = connection.execute(_OF_GAMES[table], {"games": list(games)}).first()
        if found is not None:
            wrong = WrongType(table, found[1], found[0])
            raise DatabaseError(f"game {wrong.row}: {wrong.reason}; `arena data verify` lists all such values")


def wrong_types(connection: Connection) -> list[WrongType]:
    """All values of the wrong type; at most one per column and game."""
    if connection.dialect.name != "sqlite":
        return []
    return [
        WrongType(table.name, column, row)
        for table in METADATA.sorted_tables
        for row, column in connection.execute(text(_query(table)))
    ]


def _key(table: Table) -> str:
    return "game" if table.name in _OF_A_GAME[1:] else "id"


def _query(table: Table) -> str:
    tests = {column.name: test for column in table.columns if (test := _test(column.name, column.type)) is not None}
    cases = " ".join(f"WHEN {test} THEN '{name}'" for name, test in tests.items())
    return f"SELECT DISTINCT {_key(table)}, CASE {cases} END FROM {table.name} WHERE ({' OR '.join(tests.values())})"


def _test(name: str, kind: Any) -> str | None:
    """The SQL condition for a value of the wrong type. SQLite sorts numbers before texts before bytes."""
    if isinstance(kind, Integer):
        return f'"{name}" | 0 <> "{name}"'
    if isinstance(kind, Float):
        return f"\"{name}\" >= ''"
    return None if isinstance(getattr(kind, "impl", kind), JSON) else f"\"{name}\" >= x''"


def _of_games(table: Table) -> TextClause:
    among: BindParameter[int] = bindparam("games", expanding=True)
    return text(f"{_query(table)} AND {_key(table)} IN :games LIMIT 1").bindparams(among)


_OF_GAMES: Final = {name: _of_games(METADATA.tables[name]) for name in _OF_A_GAME}
