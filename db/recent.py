"""What happened lately in a tournament, for its standings: last results, ratings over time, and who plays now."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from sqlalchemy import select, text

from db.counting import AWARD, COUNTED, points_of
from db.records import instant
from db.schema import Rating

if TYPE_CHECKING:
    from db.database import Connection

_ENOUGH: Final = 12
"""Of the last games, for each agent, among which its last results are looked for."""


class LastResult(Struct, frozen=True):
    """A game of a player that is over."""

    id: int
    number: int
    attempt: int
    points: float
    """Of the player."""


def last_results(connection: Connection, tournament: int, *, players: int, most: int) -> dict[str, list[LastResult]]:
    """The last results of each player, at most `most`, the oldest first, of those among the last games of all."""
    rows = connection.execute(_LAST_RESULTS, {"tournament": tournament, "most": _ENOUGH * max(players, 10)})
    found: dict[str, list[LastResult]] = {}
    for name, *game in rows:
        results = found.setdefault(name, [])
        if len(results) < most:
            results.insert(0, LastResult(*game))
    return found


_LAST_RESULTS: Final = text(
    f"""
    SELECT one.name, game.id, game.number, game.attempt, {points_of("one")}
    FROM (SELECT last.id AS id FROM game AS last WHERE last.tournament = :tournament AND last.status = 'finished'
          ORDER BY last.number DESC, last.id DESC LIMIT :most) AS late
    JOIN game ON game.id = late.id
    CROSS JOIN seat AS one {AWARD}
    WHERE one.game = game.id AND {COUNTED} AND {points_of("one")} IS NOT NULL
    ORDER BY game.number DESC, game.id DESC
    """
)


def wins(connection: Connection, tournament: int, *, since: datetime) -> list[tuple[str, str, int]]:
    """Who has beaten whom in games for two since then, each with the last such game."""
    rows = connection.execute(_WINS, {"tournament": tournament, "since": instant(since)})
    return [(str(winner), str(loser), int(game)) for winner, loser, game in rows]


_WINS: Final = text(
    f"""
    SELECT one.name, other.name, MAX(game.id)
    FROM game
    JOIN seat AS one ON one.game = game.id
    JOIN seat AS other ON other.game = game.id AND other.seat = 1 - one.seat {AWARD}
    WHERE game.tournament = :tournament AND game.status = 'finished' AND game.finished >= :since AND {COUNTED}
      AND {points_of("one")} = 1.0 AND one.seat IN (0, 1)
      AND NOT EXISTS (SELECT 1 FROM seat AS third WHERE third.game = game.id AND third.seat = 2)
    GROUP BY one.name, other.name
    """
)


def ratings(
    connection: Connection, tournament: int, *, most: int, now: datetime
) -> dict[str, tuple[list[float], float | None]]:
    """For each player with a rating, at most `most` ratings of the version that plays now, evenly over the time since
    the first rating of all and the last one included; and the rating a day ago, if it had one."""
    ids = [
        connection.execute(select(Rating.id).where(Rating.tournament == tournament).order_by(order).limit(1)).scalar()
        for order in (Rating.id, Rating.id.desc())
    ]
    if ids[0] is None or ids[1] is None:
        return {}
    first, last = ids[0], ids[1]
    places = sorted({first + (last - first) * step // (most - 1) for step in range(most)})
    yesterday = _before(connection, first, last, instant(now - timedelta(days=1)))
    wanted = " UNION ALL ".join(f"SELECT {place} AS id" for place in sorted({*places, yesterday}))
    found: dict[str, tuple[list[float], float | None]] = {}
    for name, place, rating in connection.execute(text(_SAMPLED.format(wanted=wanted)), {"tournament": tournament}):
        curve, before = found.get(name, ([], None))
        if place == yesterday:
            before = rating
        if rating is not None and place in places:
            curve.append(rating)
        found[name] = (curve, before)
    return {name: (curve, before) for name, (curve, before) in found.items() if curve}


_SAMPLED: Final = """
    SELECT entry.name, place.id, (
        SELECT rating.rating FROM rating
        WHERE rating.tournament = entry.tournament AND rating.version = entry.version AND rating.id <= place.id
        ORDER BY rating.id DESC LIMIT 1)
    FROM entry CROSS JOIN ({wanted}) AS place
    WHERE entry.tournament = :tournament
    ORDER BY entry.name, place.id
"""
"""One index lookup for each agent and place; the histories are not read."""


def _before(connection: Connection, first: int, last: int, time: str) -> int:
    """The last row id of a rating until that time, between `first` and `last`; 0 if all are later. The ratings of all
    tournaments are in the order of their times."""
    low, high = first - 1, last
    while low < high:
        middle = (low + high + 1) // 2
        next_one = select(Rating.id, Rating.time).where(Rating.id >= middle).order_by(Rating.id).limit(1)
        id, at = connection.execute(next_one).one()
        if at <= time:
            low = min(id, high)
        else:
            high = middle - 1
    return low if low >= first else 0
