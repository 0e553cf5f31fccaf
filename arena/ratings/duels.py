"""Games for two players as columns of numbers.

The methods that fit all games at once take `Duels`. They are made of `RatedGame` values, and of pairs of games that the
database has counted already (`PairCount`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from arena.ratings.meetings import in_pairs, repeats
from db.records import PairCount, RatedGame

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]


class Duels(Struct, frozen=True):
    """Games for two as columns, a row a game; names and kinds are told by their places."""

    names: tuple[str, ...]
    """In alphabetical order."""
    kinds: tuple[str, ...]
    first: Places
    second: Places
    kind: Places
    score: Numbers
    """Of who sat first: 1 for a win, one half for a draw, 0 for a loss; or something between."""
    pair: Places
    """To which pair each belongs."""
    often: Numbers
    """Of each pair, how many went just so."""
    repeats: Numbers
    """Of each pair, how often it was played move for move; 1 if it repeats no other."""

    @property
    def repeated(self) -> int:
        """How many pairs repeat an earlier one."""
        return round(float(np.sum(self.often - self.often / self.repeats)))

    def where(self, kept: NDArray[np.bool_], names: Sequence[str]) -> Duels:
        """The rows that are `kept`, and only those `names`."""
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
    """What who sat first has scored in a game for two: within 0 and 1, whatever the points are."""
    own, other = played.points
    return min(1.0, max(0.0, (1.0 + own - other) / 2.0))


def duels(games: Iterable[RatedGame], counts: Sequence[PairCount] = ()) -> Duels:
    """The games for two as columns: those told one by one, and those counted by pairs."""
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
