"""Incremental Elo: each game updates the ratings of its players, in the order of play.

A game changes the ratings by k times the difference of actual and expected score. The ratings can follow a tournament
while it is played. They depend on the order of the games, unlike the fits of all games.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from math import log, tanh
from typing import Final

from msgspec import Struct

from arena.errors import BadRating
from arena.ratings.duels import score
from db.records import RatedGame

K: Final = 20.0
START: Final = 1500.0
FLOOR: Final = 100.0
_LARGEST: Final = 1e6
"""Largest absolute value of k, start and floor, so that ratings stay finite."""


class EloRating(Struct, frozen=True):
    """The rating of a player."""

    rating: float
    games: int


class Elo:
    """Ratings that are updated game by game."""

    def __init__(self, *, k: float = K, start: float = START, floor: float = FLOOR) -> None:
        """`k`: most points that a game can change a rating by; `floor`: lowest rating. BadRating if out of range."""
        if not 0.0 <= k <= _LARGEST:
            raise BadRating(f"expected a k from 0 to {_LARGEST:g}, got {k:g}")
        if not -_LARGEST <= floor <= start <= _LARGEST:
            raise BadRating(
                f"expected a start not below the floor, both from -{_LARGEST:g} to {_LARGEST:g}, "
                f"got start {start:g} and floor {floor:g}"
            )
        self._k, self._floor = k, floor
        self._new = EloRating(start, 0)
        self._rated: dict[str, EloRating] = {}

    def rated(self) -> dict[str, EloRating]:
        """All players, in alphabetical order."""
        return dict(sorted(self._rated.items()))

    def play(self, game: RatedGame) -> dict[str, EloRating]:
        """Counts one more game, and returns the new ratings of its players. A game of one player changes nothing."""
        before = {name: self._rated.get(name, self._new) for name in game.names} if len(game.names) > 1 else {}
        gains = dict.fromkeys(before, 0.0)
        for first, second, scored in each_two(game):
            expected = expected_score(before[first].rating - before[second].rating)
            gain = self._k / (len(game.names) - 1) * (scored - expected)
            gains[first] += gain
            gains[second] -= gain
        after = {
            name: EloRating(max(self._floor, rated.rating + gains[name]), rated.games + 1)
            for name, rated in before.items()
        }
        self._rated.update(after)
        return after


def ratings(
    games: Iterable[RatedGame], *, k: float = K, start: float = START, floor: float = FLOOR
) -> dict[str, EloRating]:
    """All players in alphabetical order, after these games in the order of play."""
    elo = Elo(k=k, start=start, floor=floor)
    for game in games:
        elo.play(game)
    return elo.rated()


def expected_score(difference: float) -> float:
    """The expected score at this rating difference: 1 / (1 + 10^(-difference / 400))."""
    return 0.5 * (1.0 + tanh(difference * log(10.0) / 800.0))


def each_two(game: RatedGame) -> list[tuple[str, str, float]]:
    """Each two seats of a game, as if they had played a game of two: their names, and the score of the first.

    With three or more players, the one with more points has won: the points are for places among all players."""
    if len(game.names) == 2:
        return [(*game.names, score(game))]
    return [
        (first, second, 1.0 if own > other else 0.0 if own < other else 0.5)
        for (first, own), (second, other) in combinations(zip(game.names, game.points, strict=True), 2)
    ]
