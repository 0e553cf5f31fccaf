"""Swiss: so many rounds, in each of which everybody meets somebody with about as many points.

A round is paired when the one before it is over. The bye goes to the lowest of those who had the fewest; no two players
meet again while a whole round can be paired without that, and as few as possible when it cannot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from arena.match.seeds import number
from arena.tournament.formats.matching import Matching
from arena.tournament.formats.pairing import Pairing
from arena.tournament.formats.tournament_state import Terms, TournamentState

Met = Counter[tuple[str, ...]]
"""How often just these players, sorted, have been paired; one alone: how often it was free."""


def further(terms: Terms, so_far: TournamentState) -> list[Pairing]:
    """The next round, once all pairings before it are over. Whoever was added since then joins in it with no points."""
    players = so_far.active
    if so_far.last_round >= terms.rounds or len(players) < 2 or not all(map(so_far.is_over, so_far.known)):
        return []
    round = so_far.last_round + 1
    met = so_far.met()
    points = so_far.points(bye=terms.seats)
    drawn = {name: number(so_far.seed, "swiss", round, name) for name in players}
    order = sorted(players, key=lambda name: (-points[name], drawn[name], name))
    bye = _bye(order, points, met) if len(order) % 2 else None
    meeting = [name for name in order if name != bye]
    pairings = [
        so_far.pairing(names, cycle=met[names], round=round, legs=terms.seats) for names in _pairs(meeting, points, met)
    ]
    if bye is not None:
        pairings.append(so_far.pairing((bye,), cycle=met[bye,], round=round, legs=0))
    return pairings


@dataclass(frozen=True, slots=True)
class _Field:
    """The players of a round by their places, 0 for the first; and who should meet whom."""

    points: list[float]
    meetings: list[list[int]]
    """How often each has met each other."""
    fresh: list[list[int]]
    """Whom each has met least often: never, as long as there is anybody who has not met somebody."""

    @classmethod
    def of(cls, order: Sequence[str], points: Mapping[str, float], met: Met) -> Self:
        """Of these players, best first."""
        places = range(len(order))
        meetings = [[met[_sorted_pair(one, other)] for other in order] for one in order]
        least = min(meetings[one][other] for one in places for other in places if one != other)
        fresh = [[other for other in places if other != one and meetings[one][other] == least] for one in places]
        return cls([points[name] for name in order], meetings, fresh)

    def level(self) -> list[list[int]]:
        """The same as `fresh`, of those with as many points."""
        return [
            [other for other in self.fresh[one] if self.points[one] == self.points[other]]
            for one in range(len(self.points))
        ]


def _bye(order: Sequence[str], points: Mapping[str, float], met: Met) -> str:
    """Who is free: of those with the fewest byes the last whose absence lets most of the others meet somebody new."""
    everybody = Matching(_Field.of(order, points, met).fresh)
    fewest = min(met[name,] for name in order)
    places = [place for place, name in reversed(list(enumerate(order))) if met[name,] == fewest]
    sizes = ((everybody.without(place).size, place) for place in places)
    best = next(sizes)
    for size, place in sizes:
        if best[0] == len(order) // 2:
            break
        best = max(best, (size, place), key=lambda found: found[0])
    return order[best[1]]


def _pairs(order: Sequence[str], points: Mapping[str, float], met: Met) -> list[tuple[str, str]]:
    """Everybody in pairs, from the top."""
    field = _Field.of(order, points, met)
    left = Matching(field.fresh)
    level_left = Matching(field.level())
    waiting = list(range(len(order)))
    pairs = []
    while waiting:
        one = waiting.pop(0)
        other = _opponent(field, one, waiting, left, level_left)
        waiting.remove(other)
        pairs.append(_sorted_pair(order[one], order[other]))
        left = left.without(one, other)
        level_left = level_left.without(one, other)
    return pairs


def _opponent(field: _Field, one: int, waiting: Sequence[int], left: Matching, level_left: Matching) -> int:
    """Whom `one` meets of those who wait: the next best who leaves as many of the others somebody new to meet, and
    where it can be so that as few as possible meet somebody with fewer points."""
    fresh = frozenset(field.fresh[one])

    def fits(other: int) -> bool:
        return left.without(one, other).size + (other in fresh) == left.size

    for other in waiting:
        level = other in fresh and field.points[one] == field.points[other]
        if level and level_left.without(one, other).size + 1 == level_left.size and fits(other):
            return other
    return next(
        other for other in sorted(waiting, key=lambda other: (field.meetings[one][other], other)) if fits(other)
    )


def _sorted_pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)
