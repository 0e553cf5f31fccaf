"""Incremental Elo: each game updates the ratings of its players, in the order of play.

A game changes the ratings by k times the difference of actual and expected score. The ratings can follow a tournament
while it is played. They depend on the order of the games, unlike the fits of all games.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from arena.errors import BadRating
from arena.ratings.duels import each_two
from arena.ratings.ranking import Ranking, RankingSettings, RatingSystem, apart, listed
from arena.ratings.scale import expected_score
from db.records import PairCount, RatedGame

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


class _Incremental(RatingSystem):
    name = "incremental"
    method = "Elo, updated after each game in the order of play; without errors"
    options = ("k", "start", "floor")

    def rank(self, games: Sequence[RatedGame], counts: Sequence[PairCount], settings: RankingSettings) -> Ranking:
        del counts
        own = {name: value for name, value in settings.numbers.items() if name in self.options}
        rated = ratings(games, **own)
        return listed(self, apart(games, {name: (one.rating, 0.0) for name, one in rated.items()}), games, sure=False)


SYSTEM: Final = _Incremental()
