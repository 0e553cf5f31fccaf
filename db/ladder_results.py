"""The results of a ladder's games as they end, and the last ratings: what ratings are computed from.

A game is read again only until it is over. So the cost of reading depends on what happened since the last time, not on
the number of games that the ladder has.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any, Final

from msgspec import Struct
from sqlalchemy import Connection, func, select, text

from db.counting import ruled
from db.ladder import FORMAT
from db.records import ANNULS
from db.schema import Ruling

_AT_ONCE: Final = 5000
"""Games that one query reads."""


class LadderGame(Struct, frozen=True):
    """One game of a ladder, with the version in each seat."""

    id: int
    pair: str
    status: str
    verdict: str | None
    moves_hash: int | None
    first: int
    second: int
    points: float | None
    """Of the first seat; None without a result."""

    @property
    def is_over(self) -> bool:
        """Whether this row changes no more."""
        return self.status not in ("scheduled", "playing")

    @property
    def is_result(self) -> bool:
        """Whether it was played to a result."""
        return self.status == "finished" and self.verdict != "forfeit" and self.points is not None


class LastRating(Struct, frozen=True):
    """The last rating of a version."""

    rating: float
    error: float
    games: int


def games_after(connection: Connection, tournament: int, last: int) -> Iterator[LadderGame]:
    """The games of the ladder with an id above `last`, in the order of their ids."""
    while True:
        given = {"tournament": tournament, "last": last, "most": _AT_ONCE}
        rows = connection.execute(_AFTER, given).all()
        for row in rows:
            yield LadderGame(*row)
        if len(rows) < _AT_ONCE:
            return
        last = rows[-1][0]


def games_again(connection: Connection, ids: Collection[int]) -> list[LadderGame]:
    """These games, in the order of their ids."""
    if not ids:
        return []
    listed = _LISTED if connection.dialect.name == "sqlite" else _LISTED_POSTGRES
    query = text(f"{_GAMES} WHERE game.id IN ({listed}) ORDER BY game.id")
    return [LadderGame(*row) for row in connection.execute(query, {"ids": json.dumps(sorted(ids))})]


def last_ruling(connection: Connection) -> int:
    """The id of the last ruling of all; 0 if there is none."""
    return connection.execute(select(func.max(Ruling.id))).scalar() or 0


def overruled(connection: Connection) -> set[int]:
    """The games whose result was annulled or awarded."""
    return set(connection.execute(text(ruled(*ANNULS, "award"))).scalars())


def last_ratings(connection: Connection, tournament: int) -> dict[int, LastRating]:
    """The last rating of each version that was ever rated on the ladder."""
    rows: Any = connection.execute(_LAST_RATINGS, {"tournament": tournament})
    return {version: LastRating(*fields) for version, *fields in rows}


def unrated_tournaments(connection: Connection) -> list[int]:
    """The tournaments that are not ladders, except those that were rated after they were finished and after the last
    ruling."""
    rows = connection.execute(_UNRATED, {"ladder": FORMAT})
    return list(rows.scalars())


_GAMES: Final = """
    SELECT game.id, game.pair, game.status, game.verdict, game.moves_hash, a.version, b.version, a.points
    FROM game JOIN seat AS a ON a.game = game.id AND a.seat = 0 JOIN seat AS b ON b.game = game.id AND b.seat = 1
"""
# "+ 0": read by id, not by the index of the tournament's games, which would read all of them.
_AFTER: Final = text(
    f"{_GAMES} WHERE game.tournament + 0 = :tournament AND game.id > :last ORDER BY game.id LIMIT :most"
)
_LISTED: Final = "SELECT value FROM json_each(:ids)"
_LISTED_POSTGRES: Final = "SELECT CAST(value AS BIGINT) FROM json_array_elements_text(CAST(:ids AS JSON))"
_LAST_RATINGS: Final = text(
    """
    SELECT version, rating, error, games FROM rating
    WHERE id IN (SELECT MAX(id) FROM rating WHERE tournament = :tournament GROUP BY version)
    """
)
_UNRATED: Final = text(
    """
    SELECT id FROM tournament
    WHERE format <> :ladder AND NOT EXISTS (
        SELECT 1 FROM rating
        WHERE rating.tournament = tournament.id AND tournament.status = 'finished'
              AND rating.time >= tournament.finished
              AND rating.time >= COALESCE((SELECT MAX(made) FROM ruling), ''))
    ORDER BY id
    """
)
