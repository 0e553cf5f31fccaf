"""Retrograde analysis: finds the value of every position from the ends of the game backwards.

A position in which the side to move has no move is lost in 0 plies. Then, for 1, 2, 3, ... plies: a position is won if
a move leads to a lost one; it is lost if all its moves lead to won ones, which is so when the last of them is found.
What is never found is a draw: both sides can avoid a loss for ever. Each value is found at its true distance, because
all values of smaller distances are known then. No position is searched twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, groupby
from typing import Final

import numpy as np
from numpy.typing import NDArray

from adsearch.games.checkers_endgames import DRAW, FEWEST, LOST, Side, blocks, starts
from arena.endgames.checkers_moves import NO_PIECES, Block, Flags

Entries = NDArray[np.uint8]
Places = NDArray[np.int32]

_EVERY: Final = 8
"""Number of plies after which the moves of decided positions are dropped: more often takes longer than it saves."""


def build(pieces: int, smaller: Sequence[bytes], *, progress: Callable[[float], None]) -> bytes:
    """The entries of the table with this number of pieces; `smaller`: those of all smaller tables, in order.

    `progress` is called with the part that is done, from 0 to 1."""
    # All tables one after the other, behind the entry of NO_PIECES.
    places: dict[tuple[Side, Side], int] = {}
    length = NO_PIECES + 1
    for count in range(FEWEST, pieces + 1):
        begin = length
        within, more = starts(count)
        places |= {pair: begin + start for pair, start in within.items()}
        length += more
    entries = np.zeros(length, np.uint8)
    entries[:begin] = np.frombuffer(bytes([LOST]) + b"".join(smaller), np.uint8)
    for _, pairs in groupby(blocks(pieces), key=sorted):
        group = [Block(*pair, places) for pair in pairs]
        start = places[group[0].side, group[0].other]
        found = [block.moves() for block in group]
        shifts = accumulate((block.valid.size for block in group), initial=0)
        before = np.concatenate([positions + shift for (positions, _), shift in zip(found, shifts, strict=False)])
        after = np.concatenate([successors for _, successors in found])
        valid = np.concatenate([block.valid.ravel() for block in group])
        analyse(entries, start, valid, before.astype(np.int32), after.astype(np.int32))
        progress((start + len(valid) - begin) / (length - begin))
    return entries[begin:].tobytes()


def analyse(entries: Entries, start: int, valid: Flags, before: Places, after: Places) -> None:
    """Find the entries of one or two blocks, which begin at `start`: of the `valid` positions.

    `before` and `after` have all their moves: from a position, counted from `start`, to a place in `entries`."""
    mine = entries[start : start + len(valid)]
    # The number of moves of each position that are not known to lead to a won one.
    left = np.bincount(before, minlength=len(valid))
    mine[valid & (left == 0)] = LOST
    entry, largest = LOST, int(entries.max())
    while entry <= largest:
        leading = entries[after] == entry
        parents = before[leading]
        if entry % 2 == LOST:
            found = parents[mine[parents] == DRAW]
        else:
            left -= np.bincount(parents, minlength=len(valid))
            found = parents[(left[parents] == 0) & (mine[parents] == DRAW)]
        entry += 1
        if len(found):
            mine[found] = entry
            largest = max(largest, entry)
        if entry % _EVERY == 0:  # decided positions need no more looks
            undecided = mine[before] == DRAW
            before, after = before[undecided], after[undecided]
