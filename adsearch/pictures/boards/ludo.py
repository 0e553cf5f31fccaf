"""Ludo: the cross of squares, the four yards, and the tokens with their colour's letter."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Final

from adsearch.games.ludo import COLOURS, HOME, LAST_ON_TRACK, Cell, Ludo, board, is_safe
from adsearch.pictures.boards.paper import (
    RIM,
    Drawing,
    Field,
    Point,
    centre,
    circle,
    die,
    document,
    inside,
    path,
    rect,
    rims,
)
from adsearch.pictures.svg import pair, polygon
from adsearch.state import CHANCE

INKS: Final = {"r": "R-land", "g": "G-land", "y": "Y-land", "b": "B-land"}
_CELL: Final = 28.0
_SIDE: Final = 15 * _CELL
_CORNERS: Final = ((0, 0), (0, 9), (9, 9), (9, 0))
"""The yards' upper left cells, by quarter."""
_MIDDLE: Final = RIM + _SIDE / 2


def draw(state: Ludo, _last: object = None) -> str:
    """The position as a picture."""
    board = state.board
    parts = [rims(15, 15, cell=_CELL), *_ground(state), *_tokens(state)]
    colours = [COLOURS[quarter] for quarter in board.quarters]
    now = colours[state.seat]
    if state.turn is None:
        event = f"{now} has won"
    elif state.turn == CHANCE:
        event = f"{now} throws{' again' * bool(state.sixes)}"
    else:
        event = f"{now} has thrown a {state.die} and moves"
    sentences = [
        f"{colour.capitalize()}: {', '.join(board.names[seat][step] for step in tokens)}."
        for seat, (colour, tokens) in enumerate(zip(colours, state.tokens, strict=True))
    ]
    caption = [Drawing(22.0, 22.0, _token(board.letters[state.seat], 1, 11.0, 11.0, 10.0))]
    caption += [die(state.die)] if state.die else []
    drawing = Drawing(RIM + _SIDE, RIM + _SIDE, "".join(parts))
    return document(drawing, "Ludo", event, caption=caption, sentences=sentences)


def touched(state: Ludo, move: int) -> tuple[Field, ...]:
    """The square of the token, or the yard that it leaves."""
    board = state.board
    name = board.names[state.seat][move]
    if move:
        return (Field.around(name, centre(*board.cells[state.seat][move], cell=_CELL), _CELL),)
    return (Field(name, *_corner(board.quarters[state.seat]), 6 * _CELL, 6 * _CELL),)


def _ground(state: Ludo) -> list[str]:
    """The board without tokens."""
    whole = board(4, 4)
    parts = []
    letters = [COLOURS[quarter][0].upper() for quarter in range(4)]
    stars = ""
    for quarter, (cells, letter) in enumerate(zip(whole.cells, letters, strict=True)):
        land = f"{letter}-land" if quarter in state.board.quarters else "no-land"
        x, y = _corner(quarter)
        parts.append(rect(land, x + 4, y + 4, 6 * _CELL - 8, 6 * _CELL - 8, rx=14))
        coloured = [cells[1], *cells[LAST_ON_TRACK + 1 : HOME]]
        parts += [rect(land, RIM + c * _CELL, RIM + r * _CELL, _CELL, _CELL) for r, c in coloured]
        stars += "".join(_star(cells[step]) for step in range(1, 14) if is_safe(step))
    low, high = RIM + 6 * _CELL, RIM + 9 * _CELL
    middle = (_MIDDLE, _MIDDLE)
    sides: list[tuple[Point, Point]] = [
        ((low, low), (low, high)), ((low, low), (high, low)), ((high, low), (high, high)), ((low, high), (high, high)),
    ]  # fmt: skip
    for quarter, (start, end) in enumerate(sides):
        land = f"{letters[quarter]}-land" if quarter in state.board.quarters else "no-land"
        parts.append(polygon(land, [start, end, middle]))
    track = [cell for cells in whole.cells for cell in (*cells[1:14], *cells[LAST_ON_TRACK + 1 : HOME])]
    lines = "".join(f"M{pair(RIM + c * _CELL, RIM + r * _CELL)}h{_CELL:g}v{_CELL:g}h-{_CELL:g}z" for r, c in track)
    parts += [path("line", lines), path("star", stars)]
    for yard in state.board.yards:
        parts += [circle("cell", *centre(*cell, cell=_CELL), 12.5) for cell in yard]
    return parts


def _corner(quarter: int) -> Point:
    """The top left corner of a yard."""
    row, column = _CORNERS[quarter]
    return RIM + column * _CELL, RIM + row * _CELL


def _star(cell: Cell) -> str:
    """A star as steps of a path."""
    x, y = centre(*cell, cell=_CELL)
    ends = [(x + r * sin(n * pi / 5), y - r * cos(n * pi / 5)) for n in range(10) for r in [8.0 if n % 2 == 0 else 3.4]]
    return f"M{'L'.join(pair(*end) for end in ends)}z"


def _tokens(state: Ludo) -> list[str]:
    """The tokens: those of one colour on one square as one with their number."""
    board = state.board
    standing: dict[Cell, dict[str, int]] = {}
    for letter, cells, yard, tokens in zip(board.letters, board.cells, board.yards, state.tokens, strict=True):
        for token, step in enumerate(tokens):
            cell = cells[step] if step else yard[token]
            there = standing.setdefault(cell, {})
            there[letter] = there.get(letter, 0) + 1
    parts = []
    for cell, letters in standing.items():
        x, y = centre(*cell, cell=_CELL)
        places = [(0.0, 0.0)] if len(letters) == 1 else [(-6.3, -6.3), (6.3, 6.3), (6.3, -6.3), (-6.3, 6.3)]
        radius = 11.0 if len(letters) == 1 else 7.5
        for (letter, count), (right, down) in zip(letters.items(), places, strict=False):
            parts.append(_token(letter, count, x + right, y + down, radius))
    return parts


def _token(letter: str, count: int, x: float, y: float, radius: float) -> str:
    text = f"{letter}{count if count > 1 else ''}"
    size = radius * (1.25 if len(text) == 1 else 1.0)
    return circle(f"token {letter}", x, y, radius) + inside(text, x, y, size=size, kind=f"on-token on-{letter}")
