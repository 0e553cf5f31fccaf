"""Tic-tac-toe on any board: the m,n,k-games.

The smallest game of the catalogue, and the one whose whole tree a search can walk in half a second.
Marks are bitboards: cell (row, column) is bit row * n + column.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Self

from adsearch.errors import BadPosition
from adsearch.games.evaluation import squash
from adsearch.games.grid import cell_name, draw, in_a_row, read_rows
from adsearch.option import Option
from adsearch.state import State

WEIGHT_OF_AN_OPEN_LINE = (0.0, 0.05, 0.3, 1.0, 3.0, 9.0)
"""By the number of marks on it; a line with marks of both sides is dead."""


class Board:
    """What never changes in a game: the size, and the lines of k cells."""

    __slots__ = ("full", "k", "lines", "lines_through", "m", "n", "names")

    def __init__(self, m: int, n: int, k: int) -> None:
        self.m, self.n, self.k = m, n, k
        self.full = (1 << m * n) - 1
        self.names = tuple(cell_name(row, column) for row in range(m) for column in range(n))
        lines = []
        for row, column, (down, right) in product(range(m), range(n), ((0, 1), (1, 0), (1, 1), (1, -1))):
            if row + down * (k - 1) < m and 0 <= column + right * (k - 1) < n:
                lines.append(sum(1 << (row + down * i) * n + column + right * i for i in range(k)))
        self.lines = tuple(dict.fromkeys(lines))
        self.lines_through = tuple(tuple(line for line in self.lines if line >> cell & 1) for cell in range(m * n))

    def has_line(self, marks: int) -> bool:
        """Whether all cells of some line are among `marks`."""
        return any(marks & line == line for line in self.lines)


@lru_cache(maxsize=64)
def board(m: int, n: int, k: int) -> Board:
    """The one Board of that size."""
    return Board(m, n, k)


class TicTacToe(State[int]):
    """Two players, x first, mark empty cells of a board with m rows and n columns in turn.
    Who first has k marks in an unbroken row, column or diagonal wins; a full board without one is a draw."""

    options = (
        Option("m", 3, "rows", 1, 19),
        Option("n", 3, "columns", 1, 19),
        Option("k", 3, "marks in a line that win", 1, 19),
    )
    notation = "the cell by its column's letter and its row's number from the top, such as b2"

    __slots__ = ("_empty", "board", "mine", "theirs", "turn", "won")

    board: Board
    mine: int
    """The marks of the player whose move it is; `theirs` are those of the one who moved last."""
    theirs: int
    won: bool
    """Whether the one who moved last has a line."""
    _empty: tuple[int, ...]

    @classmethod
    def start(cls, *, m: int, n: int, k: int) -> Self:
        return cls.of(board(m, n, k), 0, 0)

    @classmethod
    def of(cls, board: Board, mine: int, theirs: int) -> Self:
        """The position with these marks; `theirs` moved last."""
        state = cls()
        state.board, state.mine, state.theirs = board, mine, theirs
        taken = mine | theirs
        state.won = board.has_line(theirs)
        over = state.won or taken == board.full
        state._empty = () if over else tuple(cell for cell in range(board.m * board.n) if not taken >> cell & 1)
        state.turn = None if over else taken.bit_count() & 1
        return state

    @classmethod
    def load(cls, text: str, *, m: int, n: int, k: int) -> Self:
        cells = "".join(read_rows(text, m, n, ".xo"))
        x, o = (sum(1 << cell for cell, mark in enumerate(cells) if mark == side) for side in "xo")
        ahead = x.bit_count() - o.bit_count()
        if ahead not in (0, 1):
            raise BadPosition(f"expected as many x as o or one more, got {x.bit_count()} and {o.bit_count()}")
        mine, theirs = (o, x) if ahead else (x, o)
        if board(m, n, k).has_line(mine):
            raise BadPosition("the side to move has won already")
        return cls.of(board(m, n, k), mine, theirs)

    @property
    def max_plies(self) -> int:
        return self.board.m * self.board.n

    def moves(self) -> tuple[int, ...]:
        return self._empty

    def play(self, move: int) -> Self:
        board = self.board
        marks = self.mine | 1 << move
        child = self.__class__()
        child.board = board
        child.mine = self.theirs
        child.theirs = marks
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

    def utilities(self) -> tuple[float, float]:
        if not self.won:
            return (0.0, 0.0)
        return (1.0, -1.0) if self.mine.bit_count() < self.theirs.bit_count() else (-1.0, 1.0)

    def ending(self) -> str:
        return in_a_row(self.board.k) if self.won else "a full board"

    def evaluate(self, seat: int) -> float:
        if self.turn is None:
            return self.utilities()[seat]
        mine, theirs, score = self.mine, self.theirs, 0.0
        most = len(WEIGHT_OF_AN_OPEN_LINE) - 1
        for line in self.board.lines:
            if not line & theirs:
                score += WEIGHT_OF_AN_OPEN_LINE[min((line & mine).bit_count(), most)]
            elif not line & mine:
                score -= WEIGHT_OF_AN_OPEN_LINE[min((line & theirs).bit_count(), most)]
        return squash(score) if seat == self.turn else -squash(score)

    def noisy_moves(self) -> tuple[int, ...]:
        """The moves that complete a line, else those that keep the other from one."""
        lines_through, mine, theirs = self.board.lines_through, self.mine, self.theirs
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

    def to_text(self, move: int) -> str:
        return self.board.names[move]

    def _rows(self) -> list[str]:
        board = self.board
        first_to_move = self.mine.bit_count() == self.theirs.bit_count()
        x, o = (self.mine, self.theirs) if first_to_move else (self.theirs, self.mine)
        cells = "".join("x" if x >> cell & 1 else "o" if o >> cell & 1 else "." for cell in range(board.m * board.n))
        return [cells[row * board.n : (row + 1) * board.n] for row in range(board.m)]

    def position(self) -> str:
        return "/".join(self._rows())

    def __str__(self) -> str:
        return draw(self._rows())
