"""Code shared by games on a grid: names of cells, boards as text, and winning lines of marks.

A cell is (row, column), row 0 on top. Its name is the column's letter and the row's number: "a1" is the top left.
As one line, a board is its rows from the top joined by "/". The marks of a side are one number, a bit for each cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, Self

from adsearch.errors import BadCell, BadPosition, quote
from adsearch.state import Move, Spot, State

Cell = tuple[int, int]
"""Row and column, from 0."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def cell_name(row: int, column: int) -> str:
    """The name of a cell, such as "c4"."""
    return f"{LETTERS[column]}{row + 1}"


def read_rows(text: str, rows: int, columns: int, marks: str) -> list[str]:
    """The rows of a board from text (rows joined by "/"); BadPosition if size or marks are wrong."""
    board = text.split("/")
    if len(board) != rows or any(len(row) != columns for row in board):
        raise BadPosition(f"expected {rows} rows of {columns} cells, joined by '/', got {quote(text)}")
    if not set(text) <= {*marks, "/"}:
        raise BadPosition(f"expected cells out of '{marks}', got {quote(text)}")
    return board


def draw(rows: Sequence[Sequence[str]], *, row_names: bool = True) -> str:
    """The board as text, with the columns' letters above it and (`row_names`) the rows' numbers beside it."""
    margin = len(str(len(rows))) + 1 if row_names else 0
    lines = [" " * margin + " ".join(LETTERS[: len(rows[0])])]
    for number, row in enumerate(rows, start=1):
        lines.append((f"{number:>{margin - 1}} " if row_names else "") + " ".join(row))
    return "\n".join(lines)


def read_marks(text: str, rows: int, columns: int, bits: Sequence[int]) -> tuple[int, int]:
    """The marks of x and o, as bitboards, of a board from text (rows joined by "/"); `bits`: the bit of each cell."""
    x, o = 0, 0
    for bit, mark in zip(bits, "".join(read_rows(text, rows, columns, ".xo")), strict=True):
        if mark == "x":
            x |= bit
        elif mark == "o":
            o |= bit
    return x, o


def spell_rows(x: int, o: int, columns: int, bits: Sequence[int]) -> list[str]:
    """The rows of the board with these marks."""
    cells = "".join(["x" if x & bit else "o" if o & bit else "." for bit in bits])
    return [cells[at : at + columns] for at in range(0, len(cells), columns)]


def turned_and_mirrored(rows: Sequence[str]) -> list[list[str]]:
    """The board from every side: eight images of a square board, four of any other."""
    seen = [list(rows)]
    if len(rows) == len(rows[0]):
        seen.append(["".join(column) for column in zip(*rows, strict=True)])
    seen += [board[::-1] for board in seen]
    return seen + [mirrored(board) for board in seen]


def mirrored(rows: Sequence[str]) -> list[str]:
    """The board with left and right exchanged."""
    return [row[::-1] for row in rows]


def grid_attributes(marks: str, *, numbers: str = "own pieces are 1, others -1") -> tuple[tuple[str, str], ...]:
    """The `attributes` of a game on a grid with these marks; `numbers`: how `array` counts pieces, if it has any."""
    of_pieces = (
        ("array(seat)", f"the same as numbers: 0 is empty, {numbers}"),
        ("cells(move)", "where a move starts and ends, as pairs of row and column"),
        ("move_to(row, column)", "the legal move that ends there; with start=(row, column) the one from there"),
    )
    return (
        ("cell(row, column)", f"{marks}; row 0 is on top, column 0 on the left"),
        ("rows()", "the same as a list of texts, one for each row: rows()[0][2] is cell(0, 2)"),
        *(of_pieces if numbers else ()),
    )


XO_NOTATION = (
    ("x, o, .", "a cell: a mark of seat 0, a mark of seat 1, empty"),
    ("/", "the end of a row; the first row is on top"),
)
XO_ATTRIBUTES = grid_attributes("'x' (seat 0), 'o' (seat 1) or '.' (empty)")


class GridGame(State[Move]):
    """Base class of games on a grid of cells."""

    __slots__ = ()

    @property
    def _size(self) -> tuple[int, int]:
        """The number of rows and of columns."""
        raise NotImplementedError

    def _mark(self, row: int, column: int) -> str:
        """What `cell` returns; the cell is on the board."""
        raise NotImplementedError

    def cell(self, row: int, column: int) -> str:
        """The mark in a cell, "." if it is empty; row 0 is on top. BadCell if the cell is not on the board."""
        for name, number, size in zip(("row", "column"), (row, column), self._size, strict=True):
            if number not in range(size):
                raise BadCell(f"cell({row}, {column}): expected a {name} from 0 to {size - 1}, got {number}")
        return self._mark(row, column)

    def rows(self) -> list[str]:
        """The marks of all cells: one text for each row, from the top."""
        rows, columns = self._size
        return ["".join([self._mark(row, column) for column in range(columns)]) for row in range(rows)]

    def array(self, seat: int) -> list[list[int]]:
        """The board as numbers for that seat: the letters of each seat count from 1, in the order that
        `arena games GAME` lists; those of other seats are negative."""
        if not self.looks.pieces:
            return super().array(seat)
        numbers = {".": 0}
        for owner, letters in enumerate(self.looks.pieces):
            numbers |= {letter: at if owner == seat else -at for at, letter in enumerate(letters, 1)}
        return [[numbers[mark] for mark in row] for row in self.rows()]

    def last_cells(self, last: Move) -> tuple[Cell, ...]:
        """The cells that show the move `last`, which led here."""
        return ()

    def cells(self, move: Move) -> tuple[Cell, ...]:
        return self.play(move).last_cells(move) if self.looks.pieces else ()

    def winning_lines(self) -> tuple[tuple[Cell, ...], ...]:
        """The cells of each line with which the game was won."""
        return ()

    def in_text(self, row: int, column: int) -> Cell:
        """Where `str(self)` shows a cell: its line and the character in it. This is the place where `draw` puts it."""
        rows, _ = self._size
        return row + 1, len(str(rows)) + 1 + 2 * column

    def spots(self, last: Move | None) -> tuple[Spot, ...]:
        marked = [(cell, True) for line in self.winning_lines() for cell in line]
        marked += [(cell, False) for cell in (() if last is None else self.last_cells(last))]
        places = [(*self.in_text(*cell), won) for cell, won in marked]
        return tuple(Spot(line, at - 1, at + 2, won) for line, at, won in places)


class LineBoard:
    """The constants of a game of lines: the size, the bit of each cell, and the lines."""

    __slots__ = ("bits", "columns", "line", "lines", "rows")

    def __init__(self, rows: int, columns: int, line: int, bits: Sequence[int]) -> None:
        self.rows = rows
        self.columns = columns
        # Number of marks in a row that win.
        self.line = line
        # By cell, row by row from the top.
        self.bits = bits
        lines = []
        for row, column, (down, right) in product(range(rows), range(columns), ((0, 1), (1, 0), (1, 1), (1, -1))):
            if row + down * (line - 1) < rows and 0 <= column + right * (line - 1) < columns:
                lines.append(sum(bits[(row + down * i) * columns + column + right * i] for i in range(line)))
        self.lines = tuple(dict.fromkeys(lines))

    def cells_of(self, marks: int) -> tuple[Cell, ...]:
        """The cells of these marks, row by row from the top."""
        return tuple(divmod(n, self.columns) for n, bit in enumerate(self.bits) if marks & bit)

    def has_line(self, marks: int) -> bool:
        """Whether all cells of some line are among `marks`."""
        for line in self.lines:  # noqa: SIM110 twice as fast as `any`
            if marks & line == line:
                return True
        return False


class LineGame(GridGame[int]):
    """Base class of games in which two players, x first, place marks in turn. The first line of marks wins; a full
    board is a draw."""

    position_notation = (
        *XO_NOTATION,
        ("whose turn", "is not written: x moves if there are as many x as o, otherwise o"),
    )
    attributes = XO_ATTRIBUTES

    __slots__ = ("board", "mine", "theirs", "turn", "won")

    board: LineBoard
    mine: int
    """The marks of the player to move; `theirs` are those of the player that moved last."""
    theirs: int
    won: bool
    """Whether the player that moved last has a line."""

    @classmethod
    def of(cls, board: Any, mine: int, theirs: int) -> Self:
        """The position with these marks; `theirs` moved last."""
        raise NotImplementedError

    @classmethod
    def of_marks(cls, board: LineBoard, x: int, o: int, *, wrong: Sequence[str] = ()) -> Self:
        """The position with these marks; BadPosition if no game can reach it, with all its errors: `wrong` and ours."""
        ahead = x.bit_count() - o.bit_count()
        mine, theirs = (o, x) if ahead else (x, o)
        reasons = [*wrong]
        if ahead not in (0, 1):
            reasons.append(f"expected as many x as o or one more, got {x.bit_count()} and {o.bit_count()}")
        if board.has_line(mine) and (ahead in (0, 1) or board.has_line(theirs)):
            line = next(line for line in board.lines if mine & line == line)
            cells = ", ".join(map(str, board.cells_of(line)))
            what = "is to move, but has won already" if ahead in (0, 1) else "and the other side both have won already"
            reasons.append(f"{'o' if ahead else 'x'} {what}: {cells} (row and column, from 0 at the top left)")
        if reasons:
            raise BadPosition("; ".join(reasons))
        return cls.of(board, mine, theirs)

    def winning_lines(self) -> tuple[tuple[Cell, ...], ...]:
        won = [line for line in self.board.lines if self.won and line & self.theirs == line]
        return tuple(self.board.cells_of(line) for line in won)

    @property
    def max_plies(self) -> int:
        return self.board.rows * self.board.columns

    def utilities(self) -> tuple[float, float]:
        if not self.won:
            return (0.0, 0.0)
        return (1.0, -1.0) if self.mine.bit_count() < self.theirs.bit_count() else (-1.0, 1.0)

    def ending(self) -> str:
        if not self.won:
            return "a full board"
        words = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
        return f"{words.get(self.board.line, self.board.line)} in a row"

    @property
    def _size(self) -> tuple[int, int]:
        return self.board.rows, self.board.columns

    def _mark(self, row: int, column: int) -> str:
        bit = self.board.bits[row * self.board.columns + column]
        if not (self.mine | self.theirs) & bit:
            return "."
        x_moves = self.mine.bit_count() == self.theirs.bit_count()
        return "x" if bool(self.mine & bit) == x_moves else "o"

    def rows(self) -> list[str]:
        # All cells at once, because `position` is written at each ply of a game.
        x_moves = self.mine.bit_count() == self.theirs.bit_count()
        x, o = (self.mine, self.theirs) if x_moves else (self.theirs, self.mine)
        return spell_rows(x, o, self.board.columns, self.board.bits)

    def position(self) -> str:
        return "/".join(self.rows())
