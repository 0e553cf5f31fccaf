"""One player against another: the score, the Elo difference, the likelihood of superiority, and how the games ended.

Values in, values out. The two games of a pairing share an opening and count as one observation if both are rated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from math import copysign, log10

from msgspec import Struct

from arena.ratings.match_statistics import Difference, Outcome, difference, superiority
from arena.ratings.pairs import repeats
from db.records import RatedGame

LAST = 10
SURE = 0.95


class Seated(Struct, frozen=True):
    """The results of `a` in one seat."""

    seat: int
    games: int
    wins: int
    draws: int
    losses: int


class Met(Struct, frozen=True):
    """One of their games, from the view of `a`."""

    id: int
    seat: int
    points: float
    """The points of `a`: 1, 1/2 or 0."""
    verdict: str
    plies: int | None


class Versus(Struct, frozen=True):
    """The comparison of `a` and `b`."""

    a: str
    b: str
    games: int
    wins: int
    draws: int
    losses: int
    by_seat: list[Seated]
    difference: Difference
    bound: float | None
    """A one-sided 95 % confidence bound of the Elo difference: the lower bound if `a` has won every game, the upper
    bound if it has lost every game; None otherwise."""
    los: float
    """The likelihood that `a` is the stronger player, from the pairs of games that one of them has won."""
    pentanomial: list[int]
    """Numbers of pairs of games in which `a` scored 0, 1/2, 1, 3/2 and 2 points."""
    single: int
    """Number of rated games without the other game of their pair."""
    verdicts: dict[str, int]
    longest: Met | None
    shortest: Met | None
    last: list[Met]
    """The last games, the newest first."""
    repeated: int
    """Number of pairs (and single games) that repeat an earlier one move for move; they are not new observations."""


def versus(games: Sequence[RatedGame], a: str, b: str) -> Versus:
    """The comparison of `a` and `b` in `games`, which are in the order of play. A name without a version means all its
    versions."""
    met: list[Met] = []
    pairs: dict[Hashable, list[tuple[RatedGame, float]]] = {}
    for game in games:
        for seat, own in enumerate(game.names):
            for other_seat, other in enumerate(game.names):
                if seat != other_seat and _is(own, a) and _is(other, b):
                    lead = game.points[seat] - game.points[other_seat]
                    points = 1.0 if lead > 0 else 0.0 if lead < 0 else 0.5
                    met.append(Met(game.id, seat, points, game.verdict, game.plies))
                    pairs.setdefault(game.pair, []).append((game, points))
    outcomes = _outcomes(pairs.values())
    decided = Counter[float]()
    for one in outcomes:
        decided[copysign(1.0, lead) if (lead := one.points - one.games / 2.0) else 0.0] += one.many
    pentanomial = [
        sum(one.many * one.times for one in outcomes if (one.games, one.points) == (2, half / 2.0)) for half in range(5)
    ]
    with_plies = [one for one in met if one.plies is not None]
    return Versus(
        a=a,
        b=b,
        games=len(met),
        **_counted(met),
        by_seat=[
            Seated(seat, len(sat), **_counted(sat))
            for seat in sorted({one.seat for one in met})
            if (sat := [one for one in met if one.seat == seat])
        ],
        difference=difference(outcomes, one_more_pair=True),
        bound=_bound(outcomes),
        los=superiority(decided[1], decided[-1]),
        pentanomial=pentanomial,
        single=sum(one.many * one.times for one in outcomes if one.games == 1),
        verdicts=dict(sorted(Counter(one.verdict for one in met).items())),
        longest=max(with_plies, key=lambda one: one.plies or 0, default=None),
        shortest=min(with_plies, key=lambda one: one.plies or 0, default=None),
        last=met[: -LAST - 1 : -1],
        repeated=sum(one.many * (one.times - 1) for one in outcomes),
    )


def _outcomes(pairs: Collection[Sequence[tuple[RatedGame, float]]]) -> list[Outcome]:
    """The scores of the pairs of games, and of the single games (whose `pair` has not exactly two games)."""
    singles = [[one] for pair in pairs if len(pair) != 2 for one in pair]
    grouped = [*(pair for pair in pairs if len(pair) == 2), *singles]
    times = repeats([game for game, _ in group] for group in grouped)
    counted = Counter(
        (len(group), sum(points for _, points in group), often) for group, often in zip(grouped, times, strict=True)
    )
    return [Outcome(many // often, games, points, often) for (games, points, often), many in sorted(counted.items())]


def _bound(outcomes: Sequence[Outcome]) -> float | None:
    """A one-sided 95 % confidence bound of the Elo difference if one of the two has won every game; else None."""
    shares = {one.points / one.games for one in outcomes}
    if shares not in ({0.0}, {1.0}):
        return None
    # A player with expected score m wins both games of a pair with probability at most m, and n pairs with m ** n.
    least = (1.0 - SURE) ** (1.0 / sum(one.many for one in outcomes))
    elo = 400.0 * log10(least / (1.0 - least))
    return elo if shares == {1.0} else -elo


def _is(player: str, name: str) -> bool:
    return name in (player, player.rpartition("@")[0])


def _counted(met: Sequence[Met]) -> dict[str, int]:
    scores = Counter(one.points for one in met)
    return {"wins": scores[1.0], "draws": scores[0.5], "losses": scores[0.0]}
