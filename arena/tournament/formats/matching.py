"""Largest matchings in graphs, by Edmonds' algorithm: as many pairs as possible, nobody in two of them.

A swiss tournament asks it before each pair that it makes whether the others can still be paired. A `Matching` never
changes, and always has the most pairs that its graph allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self


class Matching:
    """A largest matching of those that are left of a graph."""

    __slots__ = ("_gone", "_graph", "_mates", "size")

    def __init__(self, graph: Sequence[Sequence[int]]) -> None:
        """Of the graph in which everybody has these neighbours; those that come first are tried first."""
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
        # How many pairs there are.
        self.size = sum(mate >= 0 for mate in self._mates) // 2

    def without(self, *leaving: int) -> Self:
        """A largest matching of those that are left when these leave."""
        left = object.__new__(type(self))
        left._graph = self._graph
        left._gone = self._gone
        left._mates = self._mates.copy()
        # One after the other: of two who lost their mates at once, each could take the mate that others need.
        for one in leaving:
            mate, left._mates[one] = left._mates[one], -1
            left._gone = left._gone | {one}
            if mate >= 0:
                left._mates[mate] = -1
                # A pair more can only begin with the one who lost its mate: else there had been one before.
                if mate not in leaving:
                    left._improve(mate)
        left.size = sum(mate >= 0 for mate in left._mates) // 2
        return left

    def _improve(self, root: int) -> bool:
        """Whether a pair more could be made, with `root` in it."""
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
        """Pairs everybody on the path that ends at `last` the other way round."""
        while last >= 0:
            before = parents[last]
            following = self._mates[before]
            self._mates[last], self._mates[before] = before, last
            last = following

    def _contract(
        self, one: int, other: int, parents: list[int], bases: list[int], reached: set[int], waiting: list[int]
    ) -> None:
        """Makes one place of the odd circle that closes between `one` and `other`."""
        base = self._meeting_point(one, other, parents, bases)
        circle: set[int] = set()
        for start, child in ((one, other), (other, one)):
            at = start
            while bases[at] != base:
                mate = self._mates[at]
                circle |= {bases[at], bases[mate]}
                parents[at], child, at = child, mate, parents[mate]
        for place in range(len(bases)):
            if bases[place] in circle:
                bases[place] = base
                if place not in reached:
                    reached.add(place)
                    waiting.append(place)

    def _meeting_point(self, one: int, other: int, parents: Sequence[int], bases: Sequence[int]) -> int:
        """Where the ways from both back to the root meet."""
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
