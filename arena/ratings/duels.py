"""Games for two players as columns of numbers, and the pairs of games that share an opening.

The methods that fit all games at once take `Duels`. They are made of `RatedGame` values, and of pairs of games that the
database has counted already (`PairCount`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

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


def in_pairs(games: Iterable[RatedGame]) -> list[list[RatedGame]]:
    """The games for two, those of a pair together. Where the pair is not known, two neighbours with their names
    swapped are one."""
    paired: dict[Hashable, list[RatedGame]] = {}
    alone: list[list[RatedGame]] = []
    before: RatedGame | None = None
    for game in games:
        if len(game.names) != 2:
            continue
        if game.pair is not None:
            paired.setdefault(game.pair, []).append(game)
            before = None
        elif before is not None and (before.names, before.rules) == (game.names[::-1], game.rules):
            alone[-1].append(game)
            before = None
        else:
            alone.append([game])
            before = game
    return [*paired.values(), *alone]


def repeats(meetings: Iterable[Sequence[RatedGame]]) -> list[int]:
    """How often each of these meetings was played: those are the same whose games all went alike, move for move, with
    the same players in the same seats. A game whose moves are not on record is like no other."""
    played = [
        tuple(sorted((game.rules, game.names, game.moves_hash, game.points) for game in meeting))
        if all(game.moves_hash is not None for game in meeting)
        else number
        for number, meeting in enumerate(meetings)
    ]
    times = Counter[Hashable](played)
    return [times[one] for one in played]


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
