"""Games of two players as columns of numbers. Bradley-Terry and the error
estimates take `Duels`. They are made from `RatedGame` values, and from pairs of games that the database has already
counted (`PairCount`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from arena.ratings.match_statistics import in_pairs, repeats
from db.records import PairCount, RatedGame

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]


class Duels(Struct, frozen=True):
    """Games of two players as columns, one row per game; players and kinds are indices into `names` and `kinds`."""

    names: tuple[str, ...]
    """In alphabetical order."""
    kinds: tuple[str, ...]
    first: Places
    second: Places
    kind: Places
    score: Numbers
    """The score of the first seat: 1 for a win, 1/2 for a draw, 0 for a loss, or a number in between."""
    pair: Places
    """The index of each game's pair in `often` and `repeats`."""
    often: Numbers
    """For each pair, the number of pairs with the same results."""
    repeats: Numbers
    """For each pair, how often the same moves were played; 1 if it repeats no other pair."""

    @property
    def repeated(self) -> int:
        """The number of pairs that repeat an earlier pair."""
        return round(float(np.sum(self.often - self.often / self.repeats)))

    def where(self, kept: NDArray[np.bool_], names: Sequence[str]) -> Duels:
        """The rows that are `kept`, with only those `names`."""
        place = np.full(len(self.names), -1, dtype=np.intp)
        place[[self.names.index(name) for name in names]] = np.arange(len(names))
        pairs, pair = np.unique(self.pair[kept], return_inverse=True)
        return Duels(
            names=tuple(names),
            kinds=self.kinds,
            first=place[self.first[kept]],
            second=place[self.second[kept]],
            kind=self.kind[kept],
            score=self.score[kept],
            pair=pair.astype(np.intp),
            often=self.often[pairs],
            repeats=self.repeats[pairs],
        )


def score(played: RatedGame) -> float:
    """The score of the first seat in a game of two, clipped to 0..1."""
    own, other = played.points
    return min(1.0, max(0.0, (1.0 + own - other) / 2.0))


def duels(games: Iterable[RatedGame], counts: Sequence[PairCount] = ()) -> Duels:
    """The games of two as columns: those listed in `games`, and those counted by pairs in `counts`."""
    pairs = in_pairs(games)
    listed = [game for pair in pairs for game in pair]
    names = sorted(
        {*(name for game in listed for name in game.names), *(c.first for c in counts), *(c.second for c in counts)}
    )
    kinds = sorted({*(game.rules for game in listed), *(c.rules for c in counts)})
    place = {name: number for number, name in enumerate(names)}
    kind_place = {kind: number for number, kind in enumerate(kinds)}
    one = np.array([place[c.first] for c in counts], dtype=np.intp)
    other = np.array([place[c.second] for c in counts], dtype=np.intp)
    counted_kind = np.array([kind_place[c.rules] for c in counts], dtype=np.intp)
    scores = np.array([(c.own, c.others) for c in counts], dtype=np.float64).reshape(len(counts), 2)  # None is nan
    own, others = (np.flatnonzero(~np.isnan(scores[:, leg])) for leg in (0, 1))

    def column(
        of_listed: list[int] | list[float], first: Places | Numbers, second: Places | Numbers
    ) -> NDArray[np.float64]:
        return np.concatenate([np.array(of_listed, dtype=np.float64), first, second])

    return Duels(
        names=tuple(names),
        kinds=tuple(kinds),
        first=column([place[game.names[0]] for game in listed], one[own], other[others]).astype(np.intp),
        second=column([place[game.names[1]] for game in listed], other[own], one[others]).astype(np.intp),
        kind=column([kind_place[game.rules] for game in listed], counted_kind[own], counted_kind[others]).astype(
            np.intp
        ),
        score=column([score(game) for game in listed], scores[own, 0], scores[others, 1]),
        pair=column(
            [number for number, pair in enumerate(pairs) for _ in pair], len(pairs) + own, len(pairs) + others
        ).astype(np.intp),
        often=np.array([1.0] * len(pairs) + [float(c.count) for c in counts]),
        repeats=np.array([float(times) for times in [*repeats(pairs), *(c.repeats for c in counts)]]),
    )


def each_two(game: RatedGame) -> list[tuple[str, str, float]]:
    """Each two seats of a game, as if they had played a game of two: their names, and the score of the first.

    With three or more players, the one with more points has won: the points are for places among all players."""
    if len(game.names) == 2:
        return [(*game.names, score(game))]
    return [
        (first, second, 1.0 if own > other else 0.0 if own < other else 0.5)
        for (first, own), (second, other) in combinations(zip(game.names, game.points, strict=True), 2)
    ]
