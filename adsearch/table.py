"""Table: what was found out about positions, for when another order of moves leads to them again.

An entry says what a position is worth at one depth, as a value or a bound of it, and which move was best. A node that
a budget cut off leaves no entry. One table serves one game with one set of options, one evaluation and one choice of
moves.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

from adsearch.errors import BadSearch
from adsearch.result import Bound


class Entry(NamedTuple):
    """What is known of a position. A plain tuple, for a table holds a million."""

    value: float
    bound: Bound
    depth: int
    """The plies that were looked ahead."""
    proven: bool
    """Whether no estimate went into the value, so that it is right at any greater depth too."""
    move: Any
    """The best move, or None."""

    def serves(self, depth: int, *, to_the_end: bool) -> bool:
        """Whether it is what looking `depth` plies ahead, or to the end, would find."""
        return self.depth == depth or (self.proven and (self.depth < depth or to_the_end))


class Table:
    """Entries by key: at most `size`, the ones not asked for longest making room for new ones.

    There are two halves. When the young one is full, the old one is forgotten and the young one becomes it; an entry of
    the old one that is asked for moves to the young one."""

    def __init__(self, size: int = 1_000_000) -> None:
        if size < 2:
            raise BadSearch(f"expected a table of 2 or more entries, got {size}")
        self._half = size // 2
        self._young: dict[Hashable, Entry] = {}
        self._old: dict[Hashable, Entry] = {}

    def __len__(self) -> int:
        return len(self._young.keys() | self._old.keys())

    def get(self, key: Hashable) -> Entry | None:
        """What is known of the position with that key."""
        entry = self._young.get(key)
        if entry is None and self._old:
            entry = self._old.get(key)
            if entry is not None:
                self._keep(key, entry)
        return entry

    def put(self, key: Hashable, entry: Entry) -> None:
        """Remembers `entry`, in the place of what was known before unless that was proven and this is not."""
        known = self._young.get(key)
        if known is None:
            self._keep(key, entry)
        elif entry.proven or not known.proven:
            self._young[key] = entry

    def _keep(self, key: Hashable, entry: Entry) -> None:
        """Adds an entry to the young half, where there is none of that key."""
        if len(self._young) >= self._half:
            self._young, self._old = {}, self._young
        self._young[key] = entry


def table_for(option: bool | Table) -> Table | None:
    """The table that the option of a search stands for: a given one, one of its own (True), or none."""
    if isinstance(option, Table):
        return option
    return Table() if option else None
