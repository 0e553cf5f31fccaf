"""The results of a ladder's games as they end, and the last ratings: what ratings are computed from.

A game is read again only until it is over. So the cost of reading depends on what happened since the last time, not on
the number of games that the ladder has.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any, Final

from msgspec import Struct
from sqlalchemy import Connection, bindparam, func, select, text

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


# The pairs of a ladder's games: which were begun, and which games are not played after all.


class BegunPairs(Struct, frozen=True):
    """The pairs of two versions."""

    names: tuple[str, str]
    versions: tuple[int, int]
    """The row ids of the versions, in the order of the names."""
    pairs: int
    last: int
    """The number of their last pair."""


def begun(connection: Connection, tournament: int) -> list[BegunPairs]:
    """All pairs that were ever begun, counted by versions; each two of them in one or both orders. This reads every
    game of the ladder."""
    return [
        BegunPairs((one, other), (version, other_version), pairs, pair_number(last))
        for one, other, version, other_version, pairs, last in connection.execute(_BEGUN, {"tournament": tournament})
    ]


def pair_number(game_number: int) -> int:
    """The number of the pair that the game with this number belongs to; both count from 1."""
    return (game_number + 1) // 2


def all_active(connection: Connection, tournament: int, versions: Collection[int]) -> bool:
    """Whether each of these versions is entered now, by an agent that is neither withdrawn nor quarantined."""
    found = connection.execute(_ACTIVE, {"tournament": tournament, "versions": list(versions)}).scalar_one()
    return bool(found == len(versions))


def cancel_replaced(connection: Connection, tournament: int) -> int:
    """Cancel the scheduled games of versions that are not entered any more, and of agents that are not active; return
    their number. Games in progress are left as they are."""
    return connection.execute(_CANCEL_REPLACED, {"tournament": tournament}).rowcount


_BEGUN: Final = text(
    """
    SELECT one.name, other.name, one.version, other.version, COUNT(*), MAX(game.number)
    FROM game JOIN seat AS one ON one.game = game.id AND one.seat = 0
              JOIN seat AS other ON other.game = game.id AND other.seat = 1
    WHERE game.tournament = :tournament AND game.leg = 0 AND game.attempt = 1
    GROUP BY one.name, other.name, one.version, other.version
    """
)
_ACTIVE: Final = text(
    "SELECT COUNT(*) FROM entry WHERE tournament = :tournament AND status = 'active' AND version IN :versions"
).bindparams(bindparam("versions", expanding=True))
_CANCEL_REPLACED: Final = text(
    """
    UPDATE game SET status = 'cancelled'
    WHERE tournament = :tournament AND status = 'scheduled' AND EXISTS (
        SELECT 1 FROM seat LEFT JOIN entry ON entry.tournament = game.tournament AND entry.name = seat.name
                                              AND entry.version = seat.version AND entry.status = 'active'
        WHERE seat.game = game.id AND entry.id IS NULL)
    """
)
