"""Which pairs a ladder has begun: how often two agents have met, and when each agent played last.

All pairs are read once, when the process starts. After that each new pair is added, which costs the same at the
first pair and at the millionth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from db.ladder_pairs import BegunPairs


class PairsBegun:
    """The pairs of one ladder."""

    def __init__(self, counts: Iterable[BegunPairs]) -> None:
        # The number of pairs.
        self.now = 0
        # For two names in alphabetical order, the last pair of their current versions.
        self.met: dict[tuple[str, str], int] = {}
        # By name: the last pair with any version; 0 if there is none.
        self.last = Counter[str]()
        # By version: the number of pairs.
        self.of_version = Counter[int]()
        self._meetings = Counter[tuple[str, str]]()
        # By two versions, in the order of their names: their last pair.
        self._last_of: dict[tuple[tuple[str, int], tuple[str, int]], int] = {}
        self._current: dict[str, int] = {}
        for count in counts:
            self.add(count)

    def add(self, count: BegunPairs) -> None:
        """Adds pairs of two versions."""
        first, second = sorted(zip(count.names, count.versions, strict=True))
        last = self._last_of[first, second] = max(count.last, self._last_of.get((first, second), 0))
        names = (first[0], second[0])
        if self._is_current(first, second):
            self.met[names] = last
        self._meetings[names] += count.pairs
        for name, version in (first, second):
            self.last[name] = max(count.last, self.last[name])
            self.of_version[version] += count.pairs
        self.now = max(count.last, self.now)

    def meetings(self, one: str, other: str) -> int:
        """The number of pairs of these two agents, with any versions."""
        return self._meetings[min(one, other), max(one, other)]

    def use(self, versions: Mapping[str, int]) -> None:
        """These are the current versions from now on."""
        if versions == self._current:
            return
        self._current = dict(versions)
        self.met = {
            (one[0], other[0]): last for (one, other), last in self._last_of.items() if self._is_current(one, other)
        }

    def _is_current(self, *played: tuple[str, int]) -> bool:
        return all(self._current.get(name) == version for name, version in played)
