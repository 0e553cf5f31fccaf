"""What lies over a board: transparent rectangles on which a person moves by clicking, and marks, a translucent colour
over each cell that an agent named, or where a mistake was made and what was better.

Both are at the end of the inline SVG that `boards.py` makes, over squares and pieces. There is no script and no style
here: the page has both. A sign, or the number itself, says the same as its colour.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from adsearch import State
from adsearch.pictures import boards, svg
from adsearch.pictures.boards.paper import Field
from arena.history import words
from db.records import JudgedPly, Marks, MoveRecord

_SIGNS: Final = {"good": "+", "bad": "−", "best": "★", "danger": "!", "note": "•"}
_EDGE: Final = 1.5
"""Distance of a colour from the edge of its cell, in pixels."""
_HEAD: Final = 0.3
"""Length of an arrow's head, as a share of its last field."""
_STRONGEST: Final = 0.5
"""The opacity of 1 and -1."""


class Legend(NamedTuple):
    """The cells of a move that are marked alike, in words."""

    kind: str
    """How they are marked; empty for numbers."""
    sign: str
    text: str
    """Such as "e4, d5 good"; of numbers each cell with its own."""


class _Shown(NamedTuple):
    """A mark in its place."""

    field: Field
    kind: str
    sign: str
    opacity: str = ""
    """Empty: the sheet's."""


def with_marks(board: str, marks: Marks | None, state: State[Any] | None, *, below: int | None = None) -> str:
    """The markup of the board of a position, with a group of class "marks" at the end of it. Without a mark that it
    can show, and if the board is not an inline SVG, it is the same markup."""
    if not marks or state is None:
        return board
    cells = _cells(state, below)
    found = [_shown(cells[name.lower()], mark) for name, mark in marks.items() if name.lower() in cells]
    return _with(board, _drawn(found))


def with_mistake(board: str, judged: JudgedPly, before: State[Any] | None, *, below: int | None = None) -> str:
    """The same with the mark of a mistake that was made at `before`, where the move ended; and with a star where the
    better move ends, and an arrow to it."""
    if before is None:
        return board
    ways, found, arrow = fields_of(before, below=below), list[_Shown](), list[str]()
    best = [(text, "best", _SIGNS["best"]) for text in judged.better[:1]]
    for text, kind, sign in [(judged.move, "bad", str(judged.mark)), *best]:
        try:
            fields = next(iter(ways[before.to_text(before.from_text(text))]))
        except Exception:  # no board to click on; or user-supplied rules, which may raise anything
            continue
        found.append(_Shown(fields[-1], kind, sign))
        arrow = [*_arrow(fields)] if kind == "best" else arrow
    return _with(board, [*_drawn(found), *arrow])


def with_hint(board: str, fields: Sequence[Field]) -> str:
    """The markup of the board with the move that touches these fields marked as the best one."""
    cells = [_shown(field, "best") for field in dict.fromkeys(fields)]
    return _with(board, [*_drawn(cells), *_arrow(fields)])


def _arrow(fields: Sequence[Field]) -> Iterator[str]:
    """An arrow through the middles of the fields, if they are several."""
    middles = [complex(field.x + field.width / 2, field.y + field.height / 2) for field in fields]
    if len({*middles}) < 2:
        return
    end = middles[-1]
    before = next(one for one in reversed(middles) if one != end)
    back = (before - end) / abs(before - end) * _HEAD * min(fields[-1].width, fields[-1].height)
    steps = [*middles, end + back * (1 + 0.7j), end, end + back * (1 - 0.7j)]
    yield svg.element("path", class_="arrow", d="M" + "L".join(svg.pair(one.real, one.imag) for one in steps))


def _with(board: str, marks: Iterable[str]) -> str:
    """The markup of a board with these marks."""
    start, end, rest = board.partition("</svg>")
    drawn = "".join(marks)
    if not drawn or not end or not start.startswith("<svg"):
        return board
    return f"{start}{svg.element('g', drawn, class_='marks')}{end}{rest}"


def legend(move: MoveRecord) -> list[Legend]:
    """What the marks of the move mean, in the order of `_SIGNS`, and then the numbers."""
    marks = move.marks or {}
    found = []
    for kind, sign in _SIGNS.items():
        if cells := ", ".join(cell for cell, mark in marks.items() if mark == kind):
            found.append(Legend(kind, sign, words.printable(f"{cells} {kind}")))
    numbers = {cell: mark for cell, mark in marks.items() if not isinstance(mark, str)}
    return [*found, Legend("", "", words.marks(numbers))] if numbers else found


def _cells(state: State[Any], below: int | None) -> Mapping[str, Field]:
    """The cells by their names in small letters; none if the rules are user-supplied and raise."""
    try:
        return {name.lower(): field for name, field in boards.cells(state, below=below).items()}
    except Exception:  # a user-supplied game may raise anything
        return {}


def _drawn(marks: Sequence[_Shown]) -> Iterator[str]:
    """One path for all cells of a colour, and then the signs."""
    outlines: dict[tuple[str, str], str] = {}
    for one in marks:
        colour = (one.kind, one.opacity)
        outlines[colour] = outlines.get(colour, "") + _outline(one.field)
    for (kind, opacity), steps in outlines.items():
        yield svg.element("path", class_=f"mark-{kind}", d=steps, fill_opacity=opacity)
    for field, _, sign, _ in marks:
        size = max(7.0, 0.25 * min(field.width, field.height))
        place = {"x": field.x + field.width - 2 * _EDGE, "y": field.y + _EDGE + size}
        yield svg.element("text", sign, **place, font_size=size)


def _shown(field: Field, mark: str | float) -> _Shown:
    """A mark of an agent in its place; the colour of a number is in ten steps."""
    if isinstance(mark, str):
        return _Shown(field, mark, _SIGNS[mark])
    opacity = f"{_STRONGEST * round(abs(mark), 1):.2g}"
    return _Shown(field, "good" if mark > 0 else "bad", words.heat(mark), opacity)


def _outline(field: Field) -> str:
    across, down = (svg.number(side - 2 * _EDGE) for side in (field.width, field.height))
    return f"M{svg.pair(field.x + _EDGE, field.y + _EDGE)}h{across}v{down}h-{across}z"


# Boards on which a person moves by clicking: transparent rectangles over the drawing, and their names for a script.


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
