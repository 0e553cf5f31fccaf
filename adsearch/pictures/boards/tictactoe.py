"""The m,n,k-games: crosses and rings on a grid, a line through those that won."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from adsearch.games.tictactoe import TicTacToe
from adsearch.pictures.boards.paper import (
    CELL,
    RIM,
    Cells,
    Drawing,
    Field,
    Piece,
    centre,
    document,
    grid,
    last_move,
    line,
    listed,
    mark,
    next_event,
    rect,
    rims,
    sample,
)

CELLS: Final = Cells(("cell", "no-land"), {"x": Piece("full-x", "╳"), "o": Piece("full-o", "◯")})


def draw(state: TicTacToe, last: int | None = None) -> str:
    """The position as a picture."""
    board = state.board
    marks = "".join(state.rows())
    parts = [rims(board.rows, board.columns)]
    if last is not None:
        row, column = divmod(last, board.columns)
        parts.append(rect("at", RIM + column * CELL, RIM + row * CELL, CELL, CELL))
    parts.append(grid("line", board.rows, board.columns, around=board.rows == 1 or board.columns == 1))
    parts += [mark(side, *centre(*divmod(n, board.columns)), 10.0) for n, side in enumerate(marks) if side != "."]
    parts += [line("won", centre(*cells[0]), centre(*cells[-1])) for cells in state.winning_lines()]
    event = next_event(state, "xo")
    named = [*zip(marks, board.names, strict=True)]
    sentences = [f"{side}: {listed(name for at, name in named if at == side)}." for side in "xo"]
    sentences += last_move(state, last)
    drawing = Drawing(RIM + board.columns * CELL, RIM + board.rows * CELL, "".join(parts))
    caption = [] if state.turn is None else [sample(mark("xo"[state.turn], 11.0, 11.0, 6.0))]
    return document(drawing, "Tic-tac-toe", event, caption=caption, sentences=sentences)


def touched(state: TicTacToe, move: int) -> tuple[Field, ...]:
    """The cell."""
    return (_cell(state, move),)


def cells(state: TicTacToe) -> Iterator[Field]:
    """The cells."""
    return (_cell(state, cell) for cell in range(len(state.board.names)))


def _cell(state: TicTacToe, cell: int) -> Field:
    board = state.board
    return Field.around(board.names[cell], centre(*divmod(cell, board.columns)), CELL)
