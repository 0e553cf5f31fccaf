"""Reads the games that ratings are computed from: one by one (`games`), or counted by pairing (`counted`).

Excluded are forfeits, void games, overruled games, games of people, challenges, games with a later attempt, and games
of a player that has entered another version since. `counted` is for large databases: pairings with the same results are
one row.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import ColumnElement, Connection, TextClause, select, text

from db.counting import NEVER_COUNTS, SEVERAL_VERSIONS, UNRATED, outdated, ruled, superseded
from db.games import OVER, check_types
from db.records import ANNULS, IMPORTED, PairCount, RatedGame
from db.schema import Agent, Game, Seat, Tournament, Version
from db.search import GameFilter, filtered

_IN_PAIRS: Final = """tournament.format <> :imported AND NOT EXISTS (
    SELECT id FROM game AS one WHERE one.id = (SELECT id FROM game WHERE game.tournament = tournament.id LIMIT 1) AND (
        NOT EXISTS (SELECT seat FROM seat WHERE seat.game = one.id AND seat.seat = 1)
        OR EXISTS (SELECT id FROM game AS third
                   WHERE third.tournament = one.tournament AND third.pair = one.pair AND third.leg = 2)))"""
"""Expression: whether all pairings of a tournament are two games of two players. It looks at one of them: if it is not
imported, each has as many games as seats."""


class Scope(Struct, frozen=True, kw_only=True):
    """Which games to read."""

    tournaments: tuple[int, ...] = ()
    """Tournament ids. Empty: all tournaments, and games without a tournament."""
    wanted: GameFilter | None = None
    """An additional filter."""
    at: str | None = None
    """Read the database as it was at this time: only what had ended, was ruled and had been entered before."""
    versions: bool = False
    """Whether each version of an agent is a separate player ("alice@2"); games of earlier versions then count too."""
    for_points: bool = False
    """Whether to include every game that gives points: also forfeits, games of people, and awarded games with the
    awarded points."""


def games(connection: Connection, scope: Scope) -> list[RatedGame]:
    """The games in scope, in the order in which they ended."""
    chosen = select(Game.id)
    if scope.tournaments:
        chosen = chosen.where(Game.tournament.in_(scope.tournaments))
    if scope.wanted is not None:
        chosen = filtered(connection, chosen, scope.wanted)
    if scope.at is not None:
        chosen = chosen.where(Game.finished < scope.at)
    left_out = _superseded(connection, scope) | _unrated(connection, scope)
    return _games(connection, scope, [] if chosen.whereclause is None else [Game.id.in_(chosen)], left_out)


def for_ratings_and_points(connection: Connection, scope: Scope) -> tuple[list[RatedGame], list[RatedGame]]:
    """The games in scope that count for ratings, and those that give points; read only once."""
    giving = games(connection, replace(scope, for_points=True))
    unrated = _unrated(connection, replace(scope, for_points=False))
    return [game for game in giving if game.id not in unrated], giving


def counted(connection: Connection, scope: Scope) -> tuple[list[PairCount], list[RatedGame]]:
    """The games in scope: pairings of two games, counted by their results; and all other games one by one.

    Repeated pairings are found among the counted ones only, not between them and the other games."""
    if scope != Scope(tournaments=scope.tournaments):
        return [], games(connection, scope)
    chosen = select(Tournament.id, Tournament.rules, text(_IN_PAIRS).bindparams(imported=IMPORTED))
    if scope.tournaments:
        chosen = chosen.where(Tournament.id.in_(scope.tournaments))
    by_rules: dict[str, list[int]] = {}
    others: list[int] = []
    for tournament, rules, in_pairs in connection.execute(chosen):
        (by_rules.setdefault(rules, []) if in_pairs else others).append(tournament)
    names = _names(connection, scope)
    left_out = _superseded(connection, scope) | _unrated(connection, scope)
    odd = sorted(left_out | _cancelled_repeats(connection, list(chain.from_iterable(by_rules.values()))))
    pairs = [
        PairCount(names[first], names[second], rules, own, others_own, count, repeats)
        for rules, tournaments in sorted(by_rules.items())
        for first, second, own, others_own, count, repeats in _counts(connection, tournaments, odd)
    ]
    # Read one by one: games of other formats, and the pairings with an excluded game or a cancelled repeat (`odd`).
    odd_ones, all_of_others = (_listed(connection, which) for which in ("odd", "others"))
    rest = f"{_in_pairs_with(odd_ones)} UNION ALL SELECT id FROM game WHERE tournament IN {all_of_others}"
    rest += "" if scope.tournaments else " UNION ALL SELECT id FROM game WHERE tournament IS NULL"
    of_these = text(f"game.id IN ({rest})").bindparams(odd=json.dumps(odd), others=json.dumps(others))
    within = [Game.tournament.in_(scope.tournaments)] if scope.tournaments else []
    return pairs, _games(connection, scope, [of_these, *within], left_out)


def _counts(
    connection: Connection, tournaments: list[int], odd: list[int]
) -> list[tuple[int, int, Any, Any, int, int]]:
    """Rows of: the two versions of a pairing, each one's points in the game where it had seat 0, the number of such
    pairings, and how often each was played with the same moves. Pairings with a game in `odd` are left out.

    Counting all pairings and subtracting some is faster than testing each game for being odd or repeated."""
    given = {"tournaments": json.dumps(tournaments), "odd": json.dumps(odd)}
    # CROSS JOIN fixes SQLite's join order: the games by index, then the seats of each game by primary key.
    then = "CROSS JOIN" if connection.dialect.name == "sqlite" else "JOIN"

    def asked(columns: str, among: str, having: str = "") -> Sequence[Any]:
        query = f"""
            SELECT {_EITHER_WAY["first"]}, {_EITHER_WAY["second"]}, {_EITHER_WAY["own"]}, {_EITHER_WAY["others"]},
                   COUNT(*)
            FROM game AS one
            {then} seat AS a ON a.game = one.id AND a.seat = 0
            {then} seat AS b ON b.game = one.id AND b.seat = 1
            LEFT JOIN game AS other ON other.tournament = one.tournament AND other.pair = one.pair AND other.leg = 1
            LEFT JOIN seat AS c ON c.game = other.id AND c.seat = 0
            WHERE one.leg = 0 AND one.tournament IN {_listed(connection, "tournaments")} {among}
            GROUP BY 1, 2, 3, 4 {columns} {having}
        """
        answer = connection.execute(text(query), {name: ids for name, ids in given.items() if f":{name}" in query})
        # Rows straight from the driver, without SQLAlchemy's Row objects: there can be hundreds of thousands.
        return answer.cursor.fetchall()

    is_odd, is_repeated = (f"one.id IN ({_in_pairs_with(which)})" for which in (_listed(connection, "odd"), _REPEATED))
    unlike = {key: count for *key_, count in asked("", "") if (key := tuple(key_))}
    for *key, count in asked("", f"AND {is_odd}"):
        unlike[tuple(key)] -= count
    alike: Counter[tuple[Any, ...]] = Counter()
    moves = f", {_EITHER_WAY['own_moves']}, {_EITHER_WAY['others_moves']}"
    for *key, repeats in asked(moves, f"AND {is_repeated} AND NOT {is_odd}", "HAVING COUNT(*) > 1"):
        unlike[tuple(key)] -= repeats
        alike[*key, repeats] += repeats
    return [
        (first, second, own, others, count, repeats)
        for (first, second, own, others, repeats), count in [
            *(((*key, 1), count) for key, count in unlike.items()),
            *alike.items(),
        ]
        if count and (own is not None or others is not None)
    ]


_REPEATED: Final = """(SELECT id FROM game WHERE moves_hash IN (
    SELECT moves_hash FROM game WHERE moves_hash IS NOT NULL GROUP BY moves_hash HAVING COUNT(*) > 1))"""
"""Query: ids of games with the same moves as another game, by any players. Uses the index `game_by_moves`."""


def _played(game: str, seat: str) -> str:
    """Expression: a value that is equal for two games with the same moves; a game without a hash equals no other."""
    return f"CASE WHEN {seat}.points IS NOT NULL THEN COALESCE({game}.moves_hash, {game}.id) END"


def _either_way(low: str, high: str) -> str:
    """Expression: `low` if the lower version id has seat 0 in the pairing's first game, else `high`."""
    return f"CASE WHEN a.version < b.version THEN {low} ELSE {high} END"


_EITHER_WAY: Final = {
    "first": _either_way("a.version", "b.version"),
    "second": _either_way("b.version", "a.version"),
    "own": _either_way("a.points", "c.points"),
    "others": _either_way("c.points", "a.points"),
    "own_moves": _either_way(_played("one", "a"), _played("other", "c")),
    "others_moves": _either_way(_played("other", "c"), _played("one", "a")),
}
"""Columns of a pairing, independent of which player had seat 0 in its first game."""


def _cancelled_repeats(connection: Connection, tournaments: list[int]) -> set[int]:
    """Cancelled later attempts: their pairing has more rows in `game` than games that were played."""
    query = f"""
        SELECT id FROM game
        WHERE tournament IN {_listed(connection, "tournaments")} AND status = 'cancelled' AND attempt > 1
    """
    return set(connection.execute(text(query), {"tournaments": json.dumps(tournaments)}).scalars())


def _in_pairs_with(games: str) -> str:
    """Query: ids of all games of the pairings that contain one of these games."""
    return f"""
        SELECT one.id FROM (SELECT DISTINCT tournament, pair FROM game WHERE id IN {games}) AS asked
        JOIN game AS one ON one.tournament = asked.tournament AND one.pair = asked.pair
    """


def _listed(connection: Connection, name: str) -> str:
    """Query: the numbers in the parameter `name`, a JSON list. (A query can have few parameters, but long ones.)"""
    if connection.dialect.name == "sqlite":
        return f"(SELECT value FROM json_each(:{name}))"
    return f"(SELECT CAST(value AS BIGINT) FROM json_array_elements_text(CAST(:{name} AS JSON)))"


def _games(
    connection: Connection,
    scope: Scope,
    conditions: Sequence[ColumnElement[bool] | TextClause],
    left_out: Collection[int],
) -> list[RatedGame]:
    """The games that meet the conditions, without those in `left_out`."""
    chosen = (
        select(*[getattr(Game, name) for name in _COLUMNS], Game.seed, Seat.version, Seat.seat, Seat.points)
        .join(Seat, Seat.game == Game.id)
        .where(Game.status.in_(OVER), *conditions)
        .order_by(Game.finished, Game.id, Seat.seat)
    )
    awarded = _awarded(connection, scope) if scope.for_points else {}
    names = _names(connection, scope)
    # Rows are made into games as they are read: those of a hundred thousand games would need 200 MB. They come straight
    # from the driver: no column's type converts what it reads.
    rows = (
        row
        for row in iter(connection.execute(chosen).cursor.fetchone, None)
        if row[_ID] not in left_out and (row[-1] is not None or row[_ID] in awarded)
    )
    found = [_rated(list(seats), names, awarded.get(id)) for id, seats in groupby(rows, key=itemgetter(_ID))]
    bad = [one.id for one in found if not (one.plies is None or type(one.plies) is int) or str in map(type, one.points)]
    check_types(connection, bad[:1], whole=False)
    return found


_COLUMNS: Final = RatedGame.__struct_fields__[2:]
_ID: Final = _COLUMNS.index("id")


def _rated(rows: Sequence[Any], names: Mapping[int, str], awarded_to: int | None) -> RatedGame:
    """The game of these rows, one for each seat: the columns of the game, its seed, then version, seat and points."""
    rules, pair, tournament, *more, seed, _, _, _ = rows[0]
    return RatedGame(
        tuple([names[row[-3]] for row in rows]),
        tuple([row[-1] if awarded_to is None else float(awarded_to == row[-2]) for row in rows]),
        *(rules, (str(tournament or f"seed {seed}"), pair), tournament, *more),
    )


def _superseded(connection: Connection, scope: Scope) -> set[int]:
    """Games with a later attempt; none with `scope.versions`, because each version keeps the games that it played."""
    if scope.versions:
        return set()
    by_then = "" if scope.at is None else "AND later.finished < :at"
    if scope.tournaments:
        by_then += f" AND later.tournament IN ({', '.join(map(str, scope.tournaments))})"
    return _ids(connection, superseded(by_then), scope)


def _unrated(connection: Connection, scope: Scope) -> set[int]:
    """Games whose result says nothing about the strength of the current versions: overruled, forfeit, of people,
    challenges, outdated."""
    found = _ids(connection, ruled(*ANNULS, *(() if scope.for_points else ("award",)), at=_at(scope)), scope)
    found |= _ids(connection, _NOT_FOR_POINTS if scope.for_points else _OF_UNRATED_KINDS, scope)
    if not scope.for_points:
        found |= _ids(connection, _FORFEIT, scope)
    several = connection.execute(text(SEVERAL_VERSIONS)).scalar()
    if several and not scope.versions:
        found |= _ids(connection, outdated(), scope) if scope.at is None else _outdated(connection, scope)
    return found


_FORFEIT: Final = "SELECT id FROM game WHERE verdict = 'forfeit' AND verdict <> 'normal'"
"""Query: ids of forfeits. The second condition uses the index `game_not_normal`."""
_OF_UNRATED_KINDS: Final = f"SELECT id FROM game WHERE {UNRATED}"
"""Query: ids of the games in which a person has a seat, and of challenges."""
_NOT_FOR_POINTS: Final = f"{_OF_UNRATED_KINDS} AND {NEVER_COUNTS}"
"""Query: ids of the games that give no points either. The first condition uses the index `game_unrated`."""


def _outdated(connection: Connection, scope: Scope) -> set[int]:
    """Games of a player that had played with another version before `scope.at`. (When a version was entered is not
    recorded.)"""
    query = """
        SELECT game.id, game.tournament, seat.name, seat.version FROM game JOIN seat ON seat.game = game.id
        WHERE game.tournament IS NOT NULL AND game.finished < :at AND seat.version IN (
            SELECT id FROM version WHERE agent IN (SELECT agent FROM version WHERE number > 1))
        ORDER BY COALESCE(game.started, game.finished), game.id
    """
    rows = connection.execute(text(query), {"at": scope.at}).all()
    last = {(tournament, name): version for _, tournament, name, version in rows}
    return {game for game, tournament, name, version in rows if last[tournament, name] != version}


def _awarded(connection: Connection, scope: Scope) -> dict[int, int]:
    """The awarded games: game -> the seat that it was awarded to."""
    query = ruled("award", at=_at(scope), seat=True)
    return dict(connection.execute(text(query), {"at": scope.at} if scope.at else {}).all())


def _at(scope: Scope) -> str | None:
    """The SQL parameter for `scope.at`."""
    return None if scope.at is None else ":at"


def _ids(connection: Connection, query: str, scope: Scope) -> set[int]:
    given = {"at": scope.at} if ":at" in query else {}
    return set(connection.execute(text(query), given).scalars())


def _names(connection: Connection, scope: Scope) -> dict[int, str]:
    """The player name of each version id."""
    rows = connection.execute(select(Version.id, Version.number, Agent.name).join(Agent, Agent.id == Version.agent))
    return {id: f"{name}@{number}" if scope.versions else name for id, number, name in rows}
