"""Tic-tac-toe on any board: the m,n,k-games.

The smallest game of the catalogue: a search visits its whole tree in half a second.
Marks are bitboards: cell (row, column) is bit row * columns + column.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Self

from adsearch.games.evaluation import squash
from adsearch.games.grid import Cell, LineBoard, LineGame, cell_name, draw, read_marks, turned_and_mirrored
from adsearch.option import Option
from adsearch.state import Feature, Looks

WEIGHT_OF_AN_OPEN_LINE = (0.0, 0.05, 0.3, 1.0, 3.0, 9.0)
"""Weight of a line by its number of marks; a line with marks of both players counts nothing."""


class Board(LineBoard):
    """The constants of a game."""

    __slots__ = ("full", "lines_through", "names")

    def __init__(self, m: int, n: int, k: int) -> None:
        super().__init__(m, n, k, [1 << cell for cell in range(m * n)])
        self.full = (1 << m * n) - 1
        self.names = tuple(cell_name(row, column) for row in range(m) for column in range(n))
        self.lines_through = tuple(tuple(line for line in self.lines if line & bit) for bit in self.bits)


@lru_cache(maxsize=64)
def board(m: int, n: int, k: int) -> Board:
    """The Board of that size (cached)."""
    return Board(m, n, k)


class TicTacToe(LineGame):
    """Two players, x first, take turns and mark an empty cell of a board with m rows and n columns.
    The first player with k marks in an unbroken row, column or diagonal wins; a full board without one is a draw."""

    options = (
        Option("m", 3, "rows", 1, 19),
        Option("n", 3, "columns", 1, 19),
        Option("k", 3, "marks in a row that win", 1, 19),
    )
    notation = "the cell: its column's letter and its row's number from the top, such as b2"
    looks = Looks(pieces=("x", "o"))
    evaluation = tuple(
        Feature(f"open{marks}", weight, f"lines with {marks} own marks and no others, minus the opponent's")
        for marks, weight in enumerate(WEIGHT_OF_AN_OPEN_LINE)
        if marks
    )

    __slots__ = ("_empty",)

    board: Board
    _empty: tuple[int, ...]

    @classmethod
    def start(cls, *, m: int, n: int, k: int) -> Self:
        return cls.of(board(m, n, k), 0, 0)

    @classmethod
    def of(cls, board: Board, mine: int, theirs: int) -> Self:
        state = cls()
        state.board = board
        state.mine, state.theirs = mine, theirs
        taken = mine | theirs
        state.won = board.has_line(theirs)
        over = state.won or taken == board.full
        state._empty = () if over else tuple(cell for cell, bit in enumerate(board.bits) if not taken & bit)
        state.turn = None if over else taken.bit_count() & 1
        return state

    @classmethod
    def load(cls, text: str, *, m: int, n: int, k: int) -> Self:
        grid = board(m, n, k)
        return cls.of_marks(grid, *read_marks(text, m, n, grid.bits))

    def moves(self) -> tuple[int, ...]:
        return self._empty

    def all_moves(self) -> tuple[int, ...]:
        return tuple(range(self.board.rows * self.board.columns))

    def play(self, move: int) -> Self:
        board = self.board
        marks = self.mine | 1 << move
        child = self.__class__()
        child.board = board
        child.mine, child.theirs = self.theirs, marks
        for line in board.lines_through[move]:
            if marks & line == line:
                child.won = True
                child.turn = None
                child._empty = ()
                return child
        child.won = False
        empty = self._empty
        at = empty.index(move)
        child._empty = empty = empty[:at] + empty[at + 1 :]
        child.turn = (0 if self.turn else 1) if empty else None
        return child

    def evaluate(self, seat: int) -> float:
        if self.turn is None:
            return self.utilities()[seat]
        mine, theirs = self.mine, self.theirs
        score = 0.0
        most = len(WEIGHT_OF_AN_OPEN_LINE) - 1
        for line in self.board.lines:
            if not line & theirs:
                score += WEIGHT_OF_AN_OPEN_LINE[min((line & mine).bit_count(), most)]
            elif not line & mine:
                score -= WEIGHT_OF_AN_OPEN_LINE[min((line & theirs).bit_count(), most)]
        return squash(score) if seat == self.turn else -squash(score)

    def features(self, seat: int) -> dict[str, float]:
        found = {feature.name: 0.0 for feature in self.evaluation}
        for line in self.board.lines:
            mine, theirs = (line & self.mine).bit_count(), (line & self.theirs).bit_count()
            if bool(mine) != bool(theirs):
                sign = 1.0 if bool(mine) == (seat == self.turn) else -1.0
                found[f"open{min(mine or theirs, len(found))}"] += sign
        return found

    def scaled(self, score: float) -> float:
        return squash(score)

    def noisy_moves(self) -> tuple[int, ...]:
        """The moves that complete a line, else those that block a line of the other player."""
        lines_through = self.board.lines_through
        mine, theirs = self.mine, self.theirs
        for marks in (mine, theirs):
            found = tuple(
                cell for cell in self._empty if any((marks | 1 << cell) & line == line for line in lines_through[cell])
            )
            if found:
                return found
        return ()

    @property
    def key(self) -> tuple[int, int]:
        return (self.mine, self.theirs)

    @property
    def canonical(self) -> str:
        """The same for all turned and mirrored boards."""
        return "".join(min(turned_and_mirrored(self.rows())))

    def to_text(self, move: int) -> str:
        return self.board.names[move]

    def last_cells(self, last: int) -> tuple[Cell, ...]:
        return (divmod(last, self.board.columns),)

    def __str__(self) -> str:
        return draw(self.rows())
