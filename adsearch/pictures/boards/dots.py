"""Dots and boxes: the edges drawn, and in each box the mark of its owner."""

from __future__ import annotations

from collections.abc import Iterator

from adsearch.games.dots import Dots
from adsearch.games.grid import cell_name
from adsearch.pictures.boards.paper import (
    CELL,
    RIM,
    Drawing,
    Field,
    Point,
    centre,
    document,
    dots,
    last_move,
    listed,
    mark,
    next_event,
    path,
    rect,
    rims,
    sample,
)
from adsearch.pictures.svg import pair


def draw(state: Dots, last: int | None = None) -> str:
    """The position as a picture."""
    board = state.board
    rows = state.position().partition(" ")[0].split("/")
    left = RIM + CELL / 2
    parts = [rims(board.rows + 1, board.columns + 1)]
    boxes: dict[str, list[str]] = {"x": [], "o": []}
    for row in range(board.rows):
        for column in range(board.columns):
            side = rows[2 * row + 1][2 * column + 1]
            if side != ".":
                x, y = left + column * CELL, left + row * CELL
                parts.append(rect(f"of-{side}", x, y, CELL, CELL))
                parts.append(mark(side, x + CELL / 2, y + CELL / 2, 8.0))
                boxes[side].append(cell_name(row, column))
    steps, missing = "", ""
    for edge in board.edges:
        step = _step(state, edge)
        if state.edges >> edge & 1:
            steps += step
        else:
            missing += step
    parts += [path("dim", missing)] * bool(missing) + [path("drawn", steps)] * bool(steps)
    if last is not None:
        parts.append(path("last", _step(state, last)))
    places = [centre(row, column) for row in range(board.rows + 1) for column in range(board.columns + 1)]
    parts.append(dots("dot", places, 8.0))
    event = next_event(state, "xo")
    caption = [sample(mark(side, 11.0, 11.0, 6.0), str(len(names))) for side, names in boxes.items()]
    drawn = listed(board.names[edge] for edge in board.edges if state.edges >> edge & 1)
    sentences = [f"{side} owns {len(names)} boxes." for side, names in boxes.items()]
    sentences += [f"Edges drawn: {drawn}.", *last_move(state, last)]
    drawing = Drawing(RIM + (board.columns + 1) * CELL, RIM + (board.rows + 1) * CELL, "".join(parts))
    return document(drawing, "Dots and boxes", event, caption=caption, sentences=sentences)


def touched(state: Dots, move: int) -> tuple[Field, ...]:
    """The edge: the largest square around its middle that no other edge's square overlaps."""
    x, y = _first_dot(state, move)
    middle = (x, y + CELL / 2) if move >= state.board.half else (x + CELL / 2, y)
    return (Field.around(state.board.names[move], middle, CELL / 2),)


def cells(state: Dots) -> Iterator[Field]:
    """The edges."""
    return (field for edge in state.board.edges for field in touched(state, edge))


def _step(state: Dots, edge: int) -> str:
    """An edge as a step of a path."""
    return f"M{pair(*_first_dot(state, edge))}{'v' if edge >= state.board.half else 'h'}{CELL:g}"


def _first_dot(state: Dots, edge: int) -> Point:
    """The left or upper end of an edge."""
    return centre(*divmod(edge % state.board.half, state.board.width))
