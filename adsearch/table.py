"""Table: a transposition table, which stores the values of positions that several move orders can reach.

An entry has the value of a position at one depth, or a bound of it, and the best move. A node that the budget cut off
is not stored. Use a table only with one game, its options, one evaluation function, and one choice of moves.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

from adsearch.errors import BadSearch
from adsearch.result import Bound


class Entry(NamedTuple):
    """One entry. A NamedTuple, because a table has a million of them."""

    value: float
    bound: Bound
    depth: int
    """The search depth below the position, in plies."""
    proven: bool
    """Whether the value does not depend on any estimate, and so is correct for greater depths too."""
    move: Any
    """The best move, or None."""

    def serves(self, depth: int, *, to_the_end: bool) -> bool:
        """Whether the entry can replace a search `depth` plies deep, or to the end."""
        return self.depth == depth or (self.proven and (self.depth < depth or to_the_end))


class Table:
    """Entries by key, at most `size`. When the table is full, it drops entries that were not used for the longest time.

    There are two dictionaries. When `_young` is full, `_old` is dropped and `_young` becomes `_old`. An entry of `_old`
    that is used moves to `_young`."""

    def __init__(self, size: int = 1_000_000) -> None:
        if size < 2:
            raise BadSearch(f"expected a table of 2 or more entries, got {size}")
        self._half = size // 2
        self._young: dict[Hashable, Entry] = {}
        self._old: dict[Hashable, Entry] = {}

    def __len__(self) -> int:
        return len(self._young.keys() | self._old.keys())

    def get(self, key: Hashable) -> Entry | None:
        """The entry for that key, or None."""
        entry = self._young.get(key)
        if entry is None and self._old:
            entry = self._old.get(key)
            if entry is not None:
                self._keep(key, entry)
        return entry

    def put(self, key: Hashable, entry: Entry) -> None:
        """Store `entry`; replace an earlier entry unless that one is proven and this one is not."""
        known = self._young.get(key)
        if known is None:
            self._keep(key, entry)
        elif entry.proven or not known.proven:
            self._young[key] = entry

    def _keep(self, key: Hashable, entry: Entry) -> None:
        """Add an entry to `_young`, which has none for that key."""
        if len(self._young) >= self._half:
            self._young, self._old = {}, self._young
        self._young[key] = entry


def table_for(option: bool | Table) -> Table | None:
    """The table for a search's option `table`: the given one, a new one (True), or None (False)."""
    if isinstance(option, Table):
        return option
    return Table() if option else None
