"""Connect-4: discs in a frame, crossed or ringed, and those of a line that won marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product
from typing import Final

from adsearch.games.connect4 import Connect4
from adsearch.games.grid import cell_name
from adsearch.pictures.boards.paper import (
    CELL,
    RIM,
    SMALL,
    Cells,
    Drawing,
    Field,
    Piece,
    circle,
    cross,
    document,
    inside,
    last_move,
    next_event,
    rect,
    sample,
)

CELLS: Final = Cells(("frame",), {".": Piece("hole"), "x": Piece("yellow"), "o": Piece("red", is_ring=True)})
_RADIUS = 15.0
_CALLED = {side: name.lower() for side, name in zip(Connect4.looks.pieces, Connect4.looks.sides, strict=True)}


def draw(state: Connect4, last: int | None = None) -> str:
    """The position as a picture."""
    board = state.board
    rows = state.rows()
    width, height = board.columns * CELL + 8.0, board.rows * CELL + 8.0
    won = {cell for line in state.winning_lines() for cell in line}
    parts = [rect("frame", 0.0, 0.0, width, height, rx=10.0)]
    for row, cells in enumerate(rows):
        for column, side in enumerate(cells):
            x, y = _centre(row, column)
            parts.append(disc(side, x, y, _RADIUS))
            if (row, column) in won:
                parts.append(circle("line-of", x, y, _RADIUS + 1.0))
    numbers = range(board.columns)
    if last is not None:
        parts += [circle("lit", *_centre(*cell), _RADIUS + 3.5) for cell in state.last_cells(last)]
    parts += [inside(str(n + 1), 4.0 + (n + 0.5) * CELL, height + RIM / 2, size=SMALL, kind="faint") for n in numbers]
    event = next_event(state, Connect4.looks.sides)
    caption = [] if state.turn is None else [sample(disc("xo"[state.turn], 11.0, 11.0, 10.0))]
    sentences = [
        "The columns, each from the bottom:",
        *(f"{n + 1}: {_column(row[n] for row in reversed(rows))}." for n in numbers),
        *last_move(state, last),
    ]
    drawing = Drawing(width, height + RIM, "".join(parts))
    return document(drawing, f"Connect-{board.line}", event, caption=caption, sentences=sentences)


def touched(state: Connect4, move: int) -> tuple[Field, ...]:
    """The column."""
    x, y = _centre(0, move)
    return (Field(f"column {state.to_text(move)}", x - CELL / 2, y - CELL / 2, CELL, state.board.rows * CELL),)


def cells(state: Connect4) -> Iterator[Field]:
    """The columns by their numbers, and the cells as on other grids: a1 is at the top left."""
    rows, columns = state.board.rows, state.board.columns
    yield from (replace(column, name=state.to_text(move)) for move in range(columns) for column in touched(state, move))
    for row, column in product(range(rows), range(columns)):
        yield Field.around(cell_name(row, column), _centre(row, column), CELL)


def disc(side: str, x: float, y: float, radius: float) -> str:
    """A disc of x or o, or the hole where none is."""
    if side == ".":
        return circle("hole", x, y, radius)
    if side == "x":
        return circle("yellow", x, y, radius) + cross("on-yellow", x, y, radius * 0.36)
    return circle("red", x, y, radius) + circle("on-red", x, y, radius * 0.45)


def _column(discs: Iterable[str]) -> str:
    """The colours of the discs in a column, from the bottom."""
    return " ".join(_CALLED[side] for side in discs if side != ".") or "empty"


def _centre(row: int, column: int) -> tuple[float, float]:
    return 4.0 + (column + 0.5) * CELL, 4.0 + (row + 0.5) * CELL
