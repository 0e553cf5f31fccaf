"""NAP: the numbers; marked ones are filled, forbidden ones struck out."""

from __future__ import annotations

from adsearch.games.nap import Nap
from adsearch.pictures.boards.paper import (
    PLAYERS,
    Drawing,
    Field,
    Point,
    document,
    inside,
    last_move,
    listed,
    next_event,
    path,
    rect,
)
from adsearch.pictures.svg import pair

_CELL = 36.0
_IN_A_ROW = 10


def draw(state: Nap, last: int | None = None) -> str:
    """The position as a picture."""
    free = state.moves()
    parts = []
    struck = ""
    for number in range(1, state.n + 1):
        x, y = _corner(state, number)
        kind = "ink" if number in state.marks else "cell" if number in free else "blank"
        parts += [rect(kind, x + 2.0, y + 2.0, _CELL - 4.0, _CELL - 4.0, rx=6.0)] * (kind != "blank")
        text = {"ink": "on-ink", "cell": "", "blank": "faint"}[kind]
        parts.append(inside(str(number), x + _CELL / 2, y + _CELL / 2, kind=text))
        if kind == "blank":
            struck += f"M{pair(x + 8.0, y + _CELL - 8.0)}l{_CELL - 16.0:g}-{_CELL - 16.0:g}"
        if number == last:
            parts.append(rect("last", x + 2.0, y + 2.0, _CELL - 4.0, _CELL - 4.0, rx=6.0))
    parts += [path("line", struck)] * bool(struck)
    event = next_event(state, PLAYERS)
    sentences = [f"Marked: {listed(map(str, sorted(state.marks)))}.", f"May be marked: {listed(map(str, free))}."]
    sentences += last_move(state, last)
    across = _across(state)
    drawing = Drawing(across * _CELL, ((state.n - 1) // across + 1) * _CELL, "".join(parts))
    return document(drawing, "NAP", event, sentences=sentences)


def touched(state: Nap, move: int) -> tuple[Field, ...]:
    """The number."""
    return (Field(str(move), *_corner(state, move), _CELL, _CELL),)


def _across(state: Nap) -> int:
    """How many numbers are in a row."""
    return state.n if state.n <= 12 else _IN_A_ROW


def _corner(state: Nap, number: int) -> Point:
    """The top left corner of a number's cell."""
    row, column = divmod(number - 1, _across(state))
    return column * _CELL, row * _CELL
