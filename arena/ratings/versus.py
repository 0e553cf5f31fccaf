"""One player against another: what they scored, how sure it is who is better, and how their games ended.

Values in, values out. Games of one pairing share an opening, and are counted together where both are rated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from math import copysign, log10

from msgspec import Struct

from arena.ratings.match_statistics import Difference, Outcome, difference, superiority
from arena.ratings.meetings import repeats
from db.records import RatedGame

LAST = 10
SURE = 0.95


class Seated(Struct, frozen=True):
    """How `a` fared in one seat."""

    seat: int
    games: int
    wins: int
    draws: int
    losses: int


class Met(Struct, frozen=True):
    """One of their games, as `a` sees it."""

    id: int
    seat: int
    points: float
    """Against the other: 1, one half or 0."""
    verdict: str
    plies: int | None


class Versus(Struct, frozen=True):
    """All their games."""

    a: str
    b: str
    games: int
    wins: int
    draws: int
    losses: int
    by_seat: list[Seated]
    difference: Difference
    bound: float | None
    """Where `a` has won every game: 95 % sure, it is at least so many Elo points better. Where it has lost every one:
    at most so many, most often less than 0. None otherwise."""
    los: float
    """How likely it is that `a` is the better one: from the pairs of games that one of them has won."""
    pentanomial: list[int]
    """How many pairs of games have brought `a` 0, 1/2, 1, 3/2 and 2 points."""
    single: int
    """Games of pairs of which only one is rated."""
    verdicts: dict[str, int]
    longest: Met | None
    shortest: Met | None
    last: list[Met]
    """The last ones, the newest first."""
    repeated: int
    """Pairs, and games outside of pairs, that repeat an earlier one move for move: they tell nothing new."""


def versus(games: Sequence[RatedGame], a: str, b: str) -> Versus:
    """What `games`, in the order of play, tell about `a` against `b`. A name without a version means all of them."""
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
    """What each pair scored, and each game that has not exactly one other."""
    alone = [[one] for pair in pairs if len(pair) != 2 for one in pair]
    meetings = [*(pair for pair in pairs if len(pair) == 2), *alone]
    times = repeats([game for game, _ in meeting] for meeting in meetings)
    counted = Counter(
        (len(meeting), sum(points for _, points in meeting), often)
        for meeting, often in zip(meetings, times, strict=True)
    )
    return [Outcome(many // often, games, points, often) for (games, points, often), many in sorted(counted.items())]


def _bound(outcomes: Sequence[Outcome]) -> float | None:
    """What is sure of the difference where one of the two has won all."""
    shares = {one.points / one.games for one in outcomes}
    if shares not in ({0.0}, {1.0}):
        return None
    # Whoever scores m on average wins a whole pair with a chance of m at most, and so many in a row with m ** n.
    least = (1.0 - SURE) ** (1.0 / sum(one.many for one in outcomes))
    elo = 400.0 * log10(least / (1.0 - least))
    return elo if shares == {1.0} else -elo


def _is(player: str, name: str) -> bool:
    return name in (player, player.rpartition("@")[0])


def _counted(met: Sequence[Met]) -> dict[str, int]:
    scores = Counter(one.points for one in met)
    return {"wins": scores[1.0], "draws": scores[0.5], "losses": scores[0.0]}
