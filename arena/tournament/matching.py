"""Maximum matchings in graphs, by Edmonds' blossom algorithm: as many pairs as possible, with no vertex in two pairs.

The swiss format uses it to check, before it makes a pair, that the other players can still be paired. A `Matching` is
immutable and always maximum. A set of vertices is an integer, in which bit n stands for vertex n: a search among a
thousand vertices, nearly all of them neighbours, then looks at each vertex once and not at each edge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Self


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
