"""Othello: black and white discs on green."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from adsearch.games.othello import PASS, Othello
from adsearch.pictures.boards.paper import (
    CELL,
    RIM,
    Cells,
    Drawing,
    Field,
    Piece,
    centre,
    circle,
    document,
    grid,
    last_move,
    listed,
    next_event,
    rect,
    rims,
    sample,
)

CELLS: Final = Cells(("felt",), {".": Piece("seam", "·"), "x": Piece("black"), "o": Piece("white")})
_SIDES = dict(zip(Othello.looks.pieces, Othello.looks.sides, strict=True))


def draw(state: Othello, last: int | None = None) -> str:
    """The position as a picture."""
    board = state.board
    size = state.board.size
    cells = state.position().partition(" ")[0].replace("/", "")
    placed = last is not None and last >= 0
    parts = [rims(size, size), rect("felt", RIM, RIM, size * CELL, size * CELL), grid("seam", size, size)]
    if size > 4:
        spots = [(RIM + a * CELL, RIM + b * CELL) for a in (2, size - 2) for b in (2, size - 2)]
        parts += [circle("spot", x, y, 3.5) for x, y in spots]
    squares: dict[str, list[str]] = {"x": [], "o": []}
    for cell, side in enumerate(cells):
        if side != ".":
            parts.append(disc(side, *centre(*divmod(cell, size)), 15.5))
            squares[side].append(board.names[cell])
    if placed:
        parts.append(circle("lit", *centre(*divmod(last or 0, size)), 17.5))
    event = next_event(state, Othello.looks.sides)
    caption = [sample(disc(side, 11.0, 11.0, 9.0), f"{_SIDES[side]} {len(squares[side])}") for side in "xo"]
    sentences = [f"{_SIDES[side]}: {listed(names)}." for side, names in squares.items()]
    sentences += last_move(state, last)
    drawing = Drawing(RIM + size * CELL, RIM + size * CELL, "".join(parts))
    return document(drawing, "Othello", event, caption=caption, sentences=sentences)


def touched(state: Othello, move: int) -> tuple[Field, ...]:
    """The square; none for a pass."""
    return () if move == PASS else (_square(state, move),)


def cells(state: Othello) -> Iterator[Field]:
    """The squares."""
    return (_square(state, square) for square in range(len(state.board.names)))


def _square(state: Othello, square: int) -> Field:
    board = state.board
    return Field.around(board.names[square], centre(*divmod(square, board.size)), CELL)


def disc(side: str, x: float, y: float, radius: float) -> str:
    """A disc of x, black, or of o, white and with a ring."""
    ring = circle("on-white", x, y, radius * 0.62) if side == "o" else ""
    return circle(_SIDES[side].lower(), x, y, radius) + ring
