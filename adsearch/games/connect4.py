"""Connect-4 on any board, with any length of the line: bitboards that play a million positions a second.

A column is `rows` bits, bottom first, and one bit that is always empty, so that no shift carries a line into the next
column. All positions of one board share its masks.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Self

from adsearch.games.evaluation import squash
from adsearch.games.grid import Cell, LineBoard, LineGame, mirrored, read_marks
from adsearch.option import Option
from adsearch.state import Feature, Looks

WEIGHT_OF_A_THREAT = 0.4
"""Weight of an empty cell that would complete a line."""
WEIGHT_OF_THE_CENTRE = 0.03
"""Weight of a disc, multiplied by its distance from the nearer edge."""


class Board(LineBoard):
    """The constants of a game: the size, the lines, and the masks."""

    __slots__ = ("bottom", "cells", "centres", "column", "steps", "top")

    def __init__(self, rows: int, columns: int, line: int) -> None:
        height = rows + 1
        bits = [1 << column * height + row for row in reversed(range(rows)) for column in range(columns)]
        super().__init__(rows, columns, line, bits)
        self.bottom = sum(1 << column * height for column in range(columns))
        self.column = tuple(((1 << rows) - 1) << column * height for column in range(columns))
        self.cells = sum(self.column)
        self.top = self.bottom << rows - 1
        self.steps = (1, height - 1, height, height + 1)
        # For each n, the cells at distance >= n from the edge: the sum of their discs is the total distance.
        self.centres = tuple(sum(self.column[n : columns - n]) for n in range(1, (columns + 1) // 2))

    def completing(self, discs: int) -> int:
        """The cells, taken or empty, that would complete a line of `discs`."""
        line = self.line
        found = 0
        if discs.bit_count() < line - 1:
            return 0
        for step in self.steps:
            if line == 4:
                # The loop below, unrolled for lines of four, because most of the time is spent here.
                pairs = discs & discs >> step
                if pairs:
                    # Of no cell beyond the board more than one step: numbers stay short.
                    further = discs >> 2 * step
                    triples = pairs & further
                    found |= triples << 3 * step | triples >> step
                    found |= (pairs & further >> step) << 2 * step | (discs & pairs >> 2 * step) << step
                continue
            above = [self.cells]
            for n in range(1, line):
                above.append(above[-1] & discs >> n * step)
            below = self.cells
            for n in range(line):
                found |= below & above[line - 1 - n]
                below &= discs << (n + 1) * step
        return found & self.cells


@lru_cache(maxsize=64)
def board(rows: int, columns: int, line: int) -> Board:
    """The Board of that size (cached)."""
    return Board(rows, columns, line)


class Connect4(LineGame):
    """Two players, x first, take turns and drop a disc into a column that is not full; it falls to the lowest free
    cell. The first player with four discs (option `line`) in an unbroken row, column or diagonal wins. A full board
    without one is a draw."""

    options = (
        Option("rows", 6, "height of the board", 4, 12),
        Option("columns", 7, "width of the board", 4, 12),
        Option("line", 4, "discs in a row that win", 2, 12),
    )
    notation = "the column's number, from 1 on the left"
    looks = Looks(sides=("Yellow", "Red"), pieces=("x", "o"))
    evaluation = (
        Feature("threats", WEIGHT_OF_A_THREAT, "own empty cells that would complete a line, minus the opponent's"),
        Feature("centre", WEIGHT_OF_THE_CENTRE, "own discs by distance from the nearer edge, minus the opponent's"),
    )

    __slots__ = ("_open", "_threats", "_wins", "free")

    board: Board
    _open: tuple[int, ...]
    free: int
    """In each column the lowest free cell, or the spare bit above a full column."""
    _wins: int | None
    """Cache: the cells that would complete a line of `mine`; `_threats`: of `theirs`. A move changes only one player's
    discs, so that the other value is copied from the previous position."""
    _threats: int | None

    @classmethod
    def start(cls, *, rows: int, columns: int, line: int) -> Self:
        return cls.of(board(rows, columns, line), 0, 0)

    @classmethod
    def of(cls, board: Board, mine: int, theirs: int) -> Self:
        """The position with these discs (no empty cell below a disc); `theirs` moved last."""
        state = cls()
        state.board = board
        state.mine, state.theirs = mine, theirs
        state._wins = state._threats = None
        state.free = (mine | theirs) + board.bottom
        state.won = board.has_line(theirs)
        columns = () if state.won else range(board.columns)
        state._open = tuple(column for column in columns if state.free & board.column[column])
        state.turn = (mine | theirs).bit_count() & 1 if state._open else None
        return state

    @classmethod
    def load(cls, text: str, *, rows: int, columns: int, line: int) -> Self:
        grid = board(rows, columns, line)
        x, o = read_marks(text, rows, columns, grid.bits)
        free = (x | o) + grid.bottom
        hanging = [str(number) for number, column in enumerate(grid.column, 1) if free & (x | o) & column]
        where = f"column{'s' * (len(hanging) > 1)} {', '.join(hanging)}"
        wrong = [f"there is an empty cell below a disc in {where}"] if hanging else []
        return cls.of_marks(grid, x, o, wrong=wrong)

    def moves(self) -> tuple[int, ...]:
        return self._open

    def all_moves(self) -> tuple[int, ...]:
        return tuple(range(self.board.columns))

    def play(self, move: int) -> Self:
        board = self.board
        cell = self.free & board.column[move]
        wins = self._wins
        if wins is None:
            wins = self._wins = board.completing(self.mine)
        child = self.__class__()
        child.board = board
        child.mine, child.theirs = self.theirs, self.mine | cell
        child.free = self.free + cell
        child._wins = self._threats
        child._threats = None
        child.won = False
        if cell & wins:
            child.won = True
            child.turn = None
            child._open = ()
        elif cell & board.top:
            child._open = tuple([column for column in self._open if column != move])
            child.turn = (0 if self.turn else 1) if child._open else None
        else:
            child._open = self._open
            child.turn = 0 if self.turn else 1
        return child

    def evaluate(self, seat: int) -> float:
        if self.turn is None:
            return self.utilities()[seat]
        board = self.board
        mine, theirs = self.mine, self.theirs
        wins, threats = self._completing()
        empty = board.cells & ~(mine | theirs)
        ahead = (wins & empty).bit_count() - (threats & empty).bit_count()
        centre = 0
        for cells in board.centres:
            centre += (mine & cells).bit_count() - (theirs & cells).bit_count()
        value = squash(WEIGHT_OF_A_THREAT * ahead + WEIGHT_OF_THE_CENTRE * centre)
        return value if seat == self.turn else -value

    def features(self, seat: int) -> dict[str, float]:
        mine, theirs = self.mine, self.theirs
        wins, threats = self._completing()
        empty = self.board.cells & ~(mine | theirs)
        found = {
            "threats": (wins & empty).bit_count() - (threats & empty).bit_count(),
            "centre": sum((mine & cells).bit_count() - (theirs & cells).bit_count() for cells in self.board.centres),
        }
        return {name: float(value if seat == self.turn else -value) for name, value in found.items()}

    def scaled(self, score: float) -> float:
        return squash(score)

    def noisy_moves(self) -> tuple[int, ...]:
        """The moves that complete a line, else those that block a line of the other player."""
        for completing in self._completing():
            cells = completing & self.free
            if cells and self._open:
                return tuple([column for column in self._open if cells & self.board.column[column]])
        return ()

    def _completing(self) -> tuple[int, int]:
        """The cells that would complete a line of `mine`, and of `theirs`."""
        if self._wins is None:
            self._wins = self.board.completing(self.mine)
        if self._threats is None:
            self._threats = self.board.completing(self.theirs)
        return self._wins, self._threats

    @property
    def key(self) -> int:
        return self.mine + self.free

    @property
    def canonical(self) -> str:
        """The same for a board and its mirror image."""
        rows = self.rows()
        return "".join(min(rows, mirrored(rows)))

    def last_cells(self, last: int) -> tuple[Cell, ...]:
        discs = ((self.mine | self.theirs) & self.board.column[last]).bit_count()
        return ((self.board.rows - discs, last),)

    def in_text(self, row: int, column: int) -> Cell:
        width = self._width
        return row, width * column + width - 1

    @property
    def _width(self) -> int:
        """The width of a column of the text."""
        return 2 if self.board.columns < 10 else 3

    def to_text(self, move: int) -> str:
        return str(move + 1)

    def __str__(self) -> str:
        numbers = range(1, self.board.columns + 1)
        width = self._width
        lines = ["".join(f"{mark:>{width}}" for mark in row) for row in self.rows()]
        return "\n".join([*lines, "".join(f"{number:>{width}}" for number in numbers)])
