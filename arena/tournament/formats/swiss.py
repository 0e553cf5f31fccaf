"""Swiss: in each round, players with about the same number of points meet.

A round is paired when the round before it is over. The bye goes to the lowest of the players with the fewest byes. No
two players meet again while a whole round can be paired without repeats; after that there are as few as possible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log2
from typing import Self

from arena.match.seeds import number
from arena.tournament.format import InRounds, Pairing, TournamentState

Met = Counter[tuple[str, ...]]
"""The number of pairings of these players (sorted names); for a single name, the number of its byes."""


@dataclass(frozen=True, kw_only=True)
class Swiss(InRounds):
    """The format."""

    name = "swiss"
    grows = True
    some_meet = True
    most_players = 1000
    for_ladders = True

    def next_round(self, so_far: TournamentState) -> list[Pairing]:
        """The next round, once all earlier pairings are over. Players that were added since start with 0 points."""
        players = so_far.active
        if so_far.last_round >= self.rounds or len(players) < 2 or not all(map(so_far.is_over, so_far.known)):
            return []
        round = so_far.last_round + 1
        met = so_far.met()
        points = so_far.points()
        drawn = {name: number(so_far.seed, "swiss", round, name) for name in players}
        order = sorted(players, key=lambda name: (-points[name], drawn[name], name))
        bye = _bye(order, points, met) if len(order) % 2 else None
        meeting = [name for name in order if name != bye]
        pairings = [so_far.pairing(names, cycle=met[names], round=round) for names in _pairs(meeting, points, met)]
        if bye is not None:
            pairings.append(so_far.pairing((bye,), cycle=met[bye,], round=round, bye=True))
        return pairings

    def pairing_count(self, players: int, seats: int) -> int:
        return self.rounds * (players // 2)

    def most_meetings(self, players: int, seats: int) -> int:
        return -(-self.rounds // max(1, players - 1))

    @classmethod
    def least_rounds(cls, players: int) -> int:
        """As many as a knockout has: then only one player can have won all its games."""
        return ceil(log2(max(players, 2)))

    @classmethod
    def suggestions(cls, players: int, bars: Sequence[str]) -> Iterator[Swiss]:
        enough = cls.least_rounds(players)
        yield from (cls(rounds=rounds) for rounds in (enough, 2 * enough) if rounds < players - 1)


FORMAT = Swiss


@dataclass(frozen=True, slots=True)
class _Field:
    """The players of a round by their place in the order (from 0), and whom each should meet. Sets of players are those
    of `matching`."""

    meetings: list[dict[int, int]]
    """For each player, by opponent: the number of earlier pairings, if there are any."""
    fresh: list[int]
    """For each player, the set of opponents with the smallest number of pairings in the whole field (0 while some two
    players have not met)."""
    level: list[int]
    """As `fresh`, but only opponents with the same number of points."""

    @classmethod
    def of(cls, order: Sequence[str], points: Mapping[str, float], met: Met) -> Self:
        """The field of these players, best first."""
        place = {name: at for at, name in enumerate(order)}
        meetings: list[dict[int, int]] = [{} for _ in order]
        for names, times in met.items():
            if len(names) == 2 and all(name in place for name in names):
                one, other = (place[name] for name in names)
                meetings[one][other] = meetings[other][one] = times
        least = min(min(row.values()) if len(row) == len(order) - 1 else 0 for row in meetings)
        fresh = [(1 << len(order)) - 1 - (1 << one) for one in place.values()]
        for one, row in enumerate(meetings):
            for other, times in row.items():
                if times > least:
                    fresh[one] -= 1 << other
        groups: Counter[float] = Counter()
        for name, at in place.items():
            groups[points[name]] += 1 << at
        return cls(meetings, fresh, [fresh[at] & groups[points[name]] for name, at in place.items()])


def _bye(order: Sequence[str], points: Mapping[str, float], met: Met) -> str:
    """The player with the bye: of those with the fewest byes, the last whose absence leaves the most fresh pairs."""
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
    """All players in pairs, from the top of the order."""
    field = _Field.of(order, points, met)
    left = Matching(field.fresh)
    level_left = Matching(field.level)
    waiting = (1 << len(order)) - 1
    pairs = []
    while waiting:
        one = next(members(waiting))
        waiting -= 1 << one
        other = _opponent(field, one, waiting, left, level_left)
        waiting -= 1 << other
        pairs.append(_sorted_pair(order[one], order[other]))
        left = left.without(one, other)
        level_left = level_left.without(one, other)
    return pairs


def _opponent(field: _Field, one: int, waiting: int, left: Matching, level_left: Matching) -> int:
    """The opponent of `one` from `waiting`: the next best that keeps the largest number of fresh pairs; if possible one
    that also keeps the largest number of pairs with equal points."""
    fresh = field.fresh[one]

    def fits(other: int) -> bool:
        return left.without(one, other).size + (fresh >> other & 1) == left.size

    for other in members(waiting & field.level[one]):
        if level_left.without(one, other).size + 1 == level_left.size and fits(other):
            return other
    rest = sorted(members(waiting), key=lambda other: field.meetings[one].get(other, 0))
    return next(filter(fits, rest))


def _sorted_pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)


# Maximum matchings in graphs, by Edmonds' blossom algorithm: as many pairs as possible, with no vertex in two pairs.


def members(vertices: int) -> Iterator[int]:
    """The vertices of a set, in ascending order."""
    while vertices:
        lowest = vertices & -vertices
        yield lowest.bit_length() - 1
        vertices ^= lowest


class Matching:
    """A maximum matching of a graph from which vertices may have been removed."""

    __slots__ = ("_free", "_graph", "_left", "_mates", "size")

    def __init__(self, graph: Sequence[int]) -> None:
        """`graph`: the set of neighbours of each vertex."""
        self._graph = graph
        self._mates = [-1] * len(graph)
        # The vertices that were not removed, and those of them without a mate.
        self._left = self._free = (1 << len(graph)) - 1
        # Number of pairs.
        self.size = 0
        for one, mate in enumerate(self._mates):
            if mate < 0:
                self._improve(one)

    def without(self, *leaving: int) -> Self:
        """A maximum matching without these vertices."""
        rest = object.__new__(type(self))
        rest._graph = self._graph
        rest._mates = self._mates.copy()
        rest._left, rest._free, rest.size = self._left, self._free, self.size
        # One after the other: if two vertices lost their mates at the same time, one search could take the mate that
        # the other needs.
        for one in leaving:
            mate, rest._mates[one] = rest._mates[one], -1
            rest._left &= ~(1 << one)
            rest._free &= ~(1 << one)
            if mate >= 0:
                rest._mates[mate] = -1
                rest._free |= 1 << mate
                rest.size -= 1
                # An augmenting path must start at the vertex that lost its mate: before, the matching was maximum.
                if mate not in leaving:
                    rest._improve(mate)
        return rest

    def _improve(self, root: int) -> None:
        """Searches an augmenting path from `root`, which has no mate; adds a pair if there is one."""
        goals = self._free & ~(1 << root)
        # Nothing is searched while all others have mates: it would take long and find nothing.
        if not goals:
            return
        parents, bases = [-1] * len(self._graph), list(range(len(self._graph)))
        blossoms = {root: 1 << root}
        waiting = [root]
        # The vertices at an even distance from the root, and all that were seen.
        even = seen = 1 << root
        for one in waiting:
            if self._ends(one, goals, parents):
                return
            near = self._graph[one] & self._left
            while new := near & ~seen:
                other = next(members(new))
                mate = self._mates[other]
                parents[other] = one
                # Looked at now and not in its turn: in a dense graph the path mostly ends here, before any blossom.
                if self._ends(mate, goals, parents):
                    return
                blossoms[mate] = 1 << mate
                waiting.append(mate)
                even |= 1 << mate
                seen |= 1 << other | 1 << mate
            while odd_cycles := near & even & ~blossoms[bases[one]]:
                blossom = self._contract(one, next(members(odd_cycles)), parents, bases, blossoms)
                waiting += members(blossom & ~even)
                even |= blossom

    def _ends(self, one: int, goals: int, parents: list[int]) -> bool:
        """Whether an edge from `one` leads to one of `goals`, so that the augmenting path ends there. Then the path is
        flipped: its matched and unmatched edges are swapped."""
        last = next(members(self._graph[one] & goals), -1)
        if last < 0:
            return False
        self._free = goals & ~(1 << last)
        self.size += 1
        parents[last] = one
        while last >= 0:
            before = parents[last]
            following = self._mates[before]
            self._mates[last], self._mates[before] = before, last
            last = following
        return True

    def _contract(self, one: int, other: int, parents: list[int], bases: list[int], blossoms: dict[int, int]) -> int:
        """Contracts the blossom (the odd cycle) that the edge from `one` to `other` closes; returns its vertices."""
        base = self._common_base(one, other, parents, bases)
        blossom = blossoms[base]
        for start, child in ((one, other), (other, one)):
            at = start
            while bases[at] != base:
                mate = self._mates[at]
                for inside in bases[at], bases[mate]:
                    blossom |= blossoms.get(inside, 1 << inside)
                parents[at], child, at = child, mate, parents[mate]
        for place in members(blossom):
            bases[place] = base
        blossoms[base] = blossom
        return blossom

    def _common_base(self, one: int, other: int, parents: Sequence[int], bases: Sequence[int]) -> int:
        """The first common base of the paths from both vertices to the root."""
        passed = set()
        at = one
        while True:
            at = bases[at]
            passed.add(at)
            if self._mates[at] < 0:
                break
            at = parents[self._mates[at]]
        at = other
        while bases[at] not in passed:
            at = parents[self._mates[bases[at]]]
        return bases[at]
