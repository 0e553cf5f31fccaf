"""Maximum matchings in graphs, by Edmonds' blossom algorithm: as many pairs as possible, with no vertex in two pairs.

The swiss format uses it to check, before it makes a pair, that the other players can still be paired. A `Matching` is
immutable and always maximum.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self


class Matching:
    """A maximum matching of a graph from which vertices may have been removed."""

    __slots__ = ("_gone", "_graph", "_mates", "size")

    def __init__(self, graph: Sequence[Sequence[int]]) -> None:
        """`graph`: the neighbours of each vertex, in the order in which they are tried."""
        self._graph = graph
        self._gone: frozenset[int] = frozenset()
        self._mates: list[int] = [-1] * len(graph)
        for one, neighbours in enumerate(graph):
            if self._mates[one] < 0:
                mate = next((other for other in neighbours if self._mates[other] < 0), -1)
                if mate >= 0:
                    self._mates[one], self._mates[mate] = mate, one
        for one in range(len(graph)):
            if self._mates[one] < 0:
                self._improve(one)
        # Number of pairs.
        self.size = sum(mate >= 0 for mate in self._mates) // 2

    def without(self, *leaving: int) -> Self:
        """A maximum matching without these vertices."""
        left = object.__new__(type(self))
        left._graph = self._graph
        left._gone = self._gone
        left._mates = self._mates.copy()
        left.size = self.size
        # One after the other: if two vertices lost their mates at the same time, one search could take the mate that
        # the other needs.
        for one in leaving:
            mate, left._mates[one] = left._mates[one], -1
            left._gone = left._gone | {one}
            if mate >= 0:
                left._mates[mate] = -1
                left.size -= 1
                # An augmenting path must start at the vertex that lost its mate: before, the matching was maximum.
                if mate not in leaving:
                    left.size += left._improve(mate)
        return left

    def _improve(self, root: int) -> bool:
        """Searches an augmenting path from `root`; adds a pair and returns True if there is one."""
        size = len(self._graph)
        parents, bases = [-1] * size, list(range(size))
        reached = {root}
        waiting = [root]
        for one in waiting:
            for other in self._graph[one]:
                if other in self._gone or bases[one] == bases[other] or self._mates[one] == other:
                    continue
                if other == root or (self._mates[other] >= 0 and parents[self._mates[other]] >= 0):
                    self._contract(one, other, parents, bases, reached, waiting)
                elif parents[other] < 0:
                    parents[other] = one
                    if self._mates[other] < 0:
                        self._flip(other, parents)
                        return True
                    reached.add(self._mates[other])
                    waiting.append(self._mates[other])
        return False

    def _flip(self, last: int, parents: Sequence[int]) -> None:
        """Flips the augmenting path that ends at `last`: its matched and unmatched edges are swapped."""
        while last >= 0:
            before = parents[last]
            following = self._mates[before]
            self._mates[last], self._mates[before] = before, last
            last = following

    def _contract(
        self, one: int, other: int, parents: list[int], bases: list[int], reached: set[int], waiting: list[int]
    ) -> None:
        """Contracts the blossom (the odd cycle) that the edge from `one` to `other` closes."""
        base = self._common_base(one, other, parents, bases)
        cycle: set[int] = set()
        for start, child in ((one, other), (other, one)):
            at = start
            while bases[at] != base:
                mate = self._mates[at]
                cycle |= {bases[at], bases[mate]}
                parents[at], child, at = child, mate, parents[mate]
        for place in range(len(bases)):
            if bases[place] in cycle:
                bases[place] = base
                if place not in reached:
                    reached.add(place)
                    waiting.append(place)

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
