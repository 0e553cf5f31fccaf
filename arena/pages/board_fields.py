"""Boards on which a person moves by clicking: transparent rectangles over the drawing, and their names for a script.

The rectangles are elements of the inline SVG that `boards.py` makes, after everything else in it, so that each click
meets one of them. There is no script and no style here: the page has both, and finds a field by its class and its name.
A board without fields stays as it is, so the page needs another way to move there: a button for each move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adsearch import State
from adsearch.pictures import boards, svg
from adsearch.pictures.boards.paper import Field

Fields = Mapping[str, Sequence[tuple[Field, ...]]]
"""For each move, by its text, the ways to click it: the fields, one after the other."""


def fields_of(state: State[Any], *, below: int | None = None) -> Fields:
    """The fields of the position's board, with the pieces of seat `below` below; none if its rules are user-supplied
    and raise."""
    try:
        return boards.ways(state, below=below)
    except Exception:  # a user-supplied game may raise anything
        return {}


def with_fields(board: str, fields: Fields) -> str:
    """The markup of a board with a group of class "fields" at the end: one rectangle of class "field" for each field,
    with its name as data-field. Without fields, and if the board is not an inline SVG, it is the same markup."""
    start, end, rest = board.partition("</svg>")
    if not fields or not end or not start.startswith("<svg"):
        return board
    distinct = dict.fromkeys(field for ways in fields.values() for clicked in ways for field in clicked)
    parts = (part for field in distinct for part in (_rectangle(field), _dot(field)))
    return f"{start}{svg.element('g', *parts, class_='fields')}{end}{rest}"


def clicks(state: State[Any]) -> dict[str, list[list[list[str]]]]:
    """What a page's script needs, as values for JSON: for each move the ways to click it. A way has steps, which can be
    clicked in any order, with the names of their fields. `boards.fields` says how clicks become a move."""

    def steps(clicked: Sequence[Field]) -> list[list[str]]:
        names = [field.name for field in clicked]
        length = boards.step(state) or len(names)
        return [names[at : at + length] for at in range(0, len(names), length)]

    return {move: [steps(clicked) for clicked in ways] for move, ways in fields_of(state).items()}


def _rectangle(field: Field) -> str:
    """The field as an element that is not seen and can be clicked: unlike "none", "transparent" takes clicks."""
    place = {"x": field.x, "y": field.y, "width": field.width, "height": field.height}
    return svg.element("rect", class_="field", data_field=field.name, **place, fill="transparent")


def _dot(field: Field) -> str:
    """The dot after a field, for a script to show where a move can go: in the middle, and of a column at its top."""
    size = min(field.width, field.height)
    middle = {"cx": field.x + field.width / 2, "cy": field.y + size / 2}
    return svg.element("circle", class_="legal", **middle, r=0.15 * size)
