"""Endgame tables: retrograde analysis of positions with few pieces, with NumPy.

Only the command line imports this room. The tables are read in `adsearch/games/checkers_endgames.py`, which says what
is in them, so that agents and searches need no NumPy.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import accumulate, groupby, product
from math import comb
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from adsearch.errors import BadTable
from adsearch.games.checkers import BIT, BOARD, FAR_ROW
from adsearch.games.checkers_endgames import (
    DRAW,
    FEWEST,
    KING_SQUARES,
    LOST,
    MAN_SQUARES,
    Side,
    as_file,
    blocks,
    path_of,
    read,
    size,
    starts,
    subsets,
    turned,
)
from arena.errors import ArenaError

# Retrograde analysis: finds the value of every position from the ends of the game backwards.


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


# The moves of checkers in all positions of a block at once, as NumPy arrays.


Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]

NO_PIECES: Final = 0
"""The place of the position in which the other side has lost its last piece, and so the game."""

_FORWARD: Final = (4, 5)
_ALL_WAYS: Final = (4, 5, -4, -5)


class Placements(NamedTuple):
    """All placements of one side, in the order of the table, as bitboards."""

    men: Numbers
    kings: Numbers

    @classmethod
    def of(cls, side: Side) -> Placements:
        men, kings = _sets(side[0], MAN_SQUARES), _sets(side[1], KING_SQUARES)
        return cls(np.repeat(men, len(kings)), np.tile(kings, len(men)))

    def turned(self) -> Placements:
        """The same seen from the other side of the board."""
        return Placements(_turned(self.men), _turned(self.kings))


class Block:
    """The positions of a block: a row for each placement of the side to move, a column for each of the other side."""

    def __init__(self, side: Side, other: Side, places: Mapping[tuple[Side, Side], int]) -> None:
        """`places`: where this block and all blocks that are reached from it begin."""
        self.side, self.other, self._places = side, other, places
        self._mine = Placements.of(side)
        self._theirs = Placements.of(other).turned()
        (men, kings), (their_men, their_kings) = self._mine, self._theirs
        self._own, self._others = men | kings, their_men | their_kings
        self._possible = (men & kings) == 0
        self.valid: Flags = (
            self._possible[:, None]
            & ((their_men & their_kings) == 0)[None, :]
            & ((self._own[:, None] & self._others[None, :]) == 0)
        )
        """Whether no two pieces are on one square, by row and column."""

    def moves(self) -> tuple[Numbers, Numbers]:
        """All moves: the place of the position in this block, and the place of the position after the move."""
        capturing = np.zeros_like(self.valid)
        found = [*self._captures(capturing), *self._steps(self.valid & ~capturing)]
        return np.concatenate([before for before, _ in found]), np.concatenate([after for _, after in found])

    def _steps(self, quiet: Flags) -> Iterator[tuple[Numbers, Numbers]]:
        """The moves that capture nothing; `quiet`: the positions without a capture."""
        for is_king, bit, rows in self._movers():
            for way in _ALL_WAYS if is_king else _FORWARD:
                to = _shifted(bit, way)
                rows_here = rows[(self._own[rows] & to) == 0]
                if not to or not len(rows_here):
                    continue
                row, column = _pairs(rows_here, self._others & to == 0, quiet)
                crowned = not is_king and bool(to & FAR_ROW[0])
                side, rank = self._moved(rows_here, is_king, crowned, bit, np.int64(to))
                ranks = np.zeros(len(self._own), np.int64)
                ranks[rows_here] = rank
                start = self._places[self.other, side]
                yield row * len(self._others) + column, start + column * size(side) + ranks[row]

    def _captures(self, capturing: Flags) -> Iterator[tuple[Numbers, Numbers]]:
        """The captures; the positions that have one are marked in `capturing`."""
        for is_king, bit, rows in self._movers():
            for way in _ALL_WAYS if is_king else _FORWARD:
                over, to = _shifted(bit, way), _shifted(_shifted(bit, way), way)
                rows_here = rows[(self._own[rows] & (over | to)) == 0]
                if not to or not len(rows_here):
                    continue
                reached = (self._others & over != 0) & (self._others & to == 0)
                row, column = _pairs(rows_here, reached, self.valid)
                capturing[row, column] = True
                left = self._others[column] & ~over
                yield from self._jumps_on(row, column, is_king, bit, np.full(len(row), to), left)

    def _jumps_on(
        self, row: Numbers, column: Numbers, is_king: bool, bit: int, at: Numbers, left: Numbers
    ) -> Iterator[tuple[Numbers, Numbers]]:
        """The captures of the piece that came from `bit` and is `at` a square, where `left` is left to capture."""
        while len(row):
            empty = BOARD & ~(self._own[row] | self._others[column]) | bit
            ends = np.ones(len(row), np.bool_)
            further = []
            for way in _ALL_WAYS if is_king else _FORWARD:
                over = _shifted(at, way)
                to = _shifted(over, way)
                can = (over & left != 0) & (to & empty != 0)
                ends &= ~can
                further.append((row[can], column[can], to[can], left[can] & ~over[can]))
            yield from self._after(row[ends], column[ends], is_king, bit, at[ends], left[ends])
            row, column, at, left = map(np.concatenate, zip(*further, strict=True))

    def _after(
        self, row: Numbers, column: Numbers, is_king: bool, bit: int, to: Numbers, left: Numbers
    ) -> Iterator[tuple[Numbers, Numbers]]:
        """The positions after captures from `bit` to `to`, where `left` is left of the other side."""
        their_men, their_kings = left & self._theirs.men[column], left & self._theirs.kings[column]
        men_left, kings_left = _count(their_men), _count(their_kings)
        crowning = np.full(len(to), False) if is_king else to & FAR_ROW[0] != 0
        for crowned, men, kings in product((False, True), range(self.other[0] + 1), range(self.other[1] + 1)):
            chosen = (crowning == crowned) & (men_left == men) & (kings_left == kings)
            if not chosen.any():
                continue
            before = row[chosen] * len(self._others) + column[chosen]
            if not men + kings:
                yield before, np.full(len(before), NO_PIECES)
                continue
            side, rank = self._moved(row[chosen], is_king, crowned, bit, to[chosen])
            other = _rank((men, kings), _turned(their_men[chosen]), _turned(their_kings[chosen]))
            yield before, self._places[(men, kings), side] + other * size(side) + rank

    def _movers(self) -> Iterator[tuple[bool, int, Numbers]]:
        """For men and for kings, each square, and the rows with such a piece there."""
        for is_king, pieces in enumerate(self._mine):
            for bit in BIT[1:]:
                rows = np.nonzero((pieces & bit != 0) & self._possible)[0]
                if len(rows):
                    yield bool(is_king), bit, rows

    def _moved(
        self, row: Numbers, is_king: bool, crowned: bool, bit: int, to: np.int64 | Numbers
    ) -> tuple[Side, Numbers]:
        """The side to move after its piece on `bit` went to `to`: its numbers of pieces, and the ranks of the rows."""
        men, kings = self._mine.men[row], self._mine.kings[row]
        if is_king:
            return self.side, _rank(self.side, men, kings & ~bit | to)
        if crowned:
            side = self.side[0] - 1, self.side[1] + 1
            return side, _rank(side, men & ~bit, kings | to)
        return self.side, _rank(self.side, men & ~bit | to, kings)


def _pairs(rows: Numbers, columns: Flags, wanted: Flags) -> tuple[Numbers, Numbers]:
    """The wanted pairs of these rows and columns."""
    at = np.nonzero(columns)[0]
    row, column = np.repeat(rows, len(at)), np.tile(at, len(rows))
    chosen = wanted[row, column]
    return row[chosen], column[chosen]


def _rank(side: Side, men: Numbers, kings: Numbers) -> Numbers:
    """The place of each placement in the order of the table."""
    of_men = np.searchsorted(_sets(side[0], MAN_SQUARES), men)
    of_kings = np.searchsorted(_sets(side[1], KING_SQUARES), kings)
    return of_men * comb(KING_SQUARES, side[1]) + of_kings


def _sets(count: int, squares: int) -> Numbers:
    return np.array(subsets(count, squares), np.int64)


def _turned(bits: Numbers) -> Numbers:
    """The bitboards turned by half a turn."""
    found = np.zeros_like(bits)
    for bit in BIT[1:]:
        found |= np.where(bits & bit, turned(bit), 0)
    return found


def _count(bits: Numbers) -> Numbers:
    """The numbers of squares of small sets."""
    found = np.zeros_like(bits)
    while bits.any():
        found += bits != 0
        bits = bits & (bits - 1)
    return found


@overload
def _shifted(bits: int, way: int) -> int: ...
@overload
def _shifted(bits: Numbers, way: int) -> Numbers: ...
def _shifted(bits: int | Numbers, way: int) -> int | Numbers:
    """The bitboard shifted in one direction; what leaves the board is gone."""
    return (bits << way if way > 0 else bits >> -way) & BOARD


# The files of endgame tables in a folder: those that are there are kept, the missing and damaged ones are built.


def there(folder: Path, pieces: int) -> tuple[dict[int, bytes], list[str]]:
    """The tables for up to `pieces` pieces that are in the folder, and what is wrong with the files of others."""
    tables, problems = {}, []
    for count in range(FEWEST, pieces + 1):
        try:
            tables[count] = read(folder, count)
        except BadTable as error:
            if path_of(folder, count).exists():
                problems.append(str(error))
    return tables, problems


def complete(folder: Path, pieces: int, tables: dict[int, bytes], progress: Callable[[int, float], None]) -> None:
    """Build the tables for up to `pieces` pieces that are not in `tables`, and add them to it and to the folder.

    `progress` is called with the number of pieces, and the part of their table that is done, from 0 to 1."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for count in range(FEWEST, pieces + 1):
            if count not in tables:
                smaller = [tables[fewer] for fewer in range(FEWEST, count)]
                tables[count] = build(count, smaller, progress=partial(progress, count))
                _write(path_of(folder, count), as_file(count, tables[count]))
    except OSError as error:
        raise ArenaError(f"cannot write endgame tables to {folder}: {error.strerror}") from None


def _write(path: Path, content: bytes) -> None:
    """Write the file, completely or not at all."""
    with NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}.", suffix=".part", delete=False) as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            os.chmod(file.name, 0o644)
            os.replace(file.name, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(file.name)
            raise
