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

    def __init__(self, begun: Iterable[BegunPairs]) -> None:
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
        self._last_of: dict[tuple[int, int], int] = {}
        # By current version: the name of its agent.
        self._names: dict[int, str] = {}
        for pairs in begun:
            self.add(pairs)

    def add(self, begun: BegunPairs) -> None:
        """Adds pairs of two versions."""
        (one, version), (other, other_version) = sorted(zip(begun.names, begun.versions, strict=True))
        versions = (version, other_version)
        last = self._last_of[versions] = max(begun.last, self._last_of.get(versions, 0))
        if version in self._names and other_version in self._names:
            self.met[one, other] = last
        self._meetings[one, other] += begun.pairs
        self.of_version.update(dict.fromkeys(versions, begun.pairs))
        for name in (one, other):
            self.last[name] = max(begun.last, self.last[name])
        self.now = max(begun.last, self.now)

    def meetings(self, one: str, other: str) -> int:
        """The number of pairs of these two agents, with any versions."""
        return self._meetings[min(one, other), max(one, other)]

    def use(self, versions: Mapping[str, int]) -> None:
        """By name, these are the current versions from now on."""
        names = {version: name for name, version in versions.items()}
        if names == self._names:
            return
        self._names = names
        self.met = {
            (names[one], names[other]): last
            for (one, other), last in self._last_of.items()
            if one in names and other in names
        }
