"""Boards as SVG: all boards of a game on one page, what lies over them (marks, and fields to click), and a whole game
as one animated picture.

Boards of built-in games are inline SVG: one of the board alone, so that it can be as large as there is room, and one of
the caption below it. Parts that are in several boards are defined once and referenced with <use>, so that the page of a
long game stays small. A user-supplied game can draw anything, so its pictures are <img> elements, in which a browser
runs no script and loads nothing; a picture that is not an SVG document is shown as text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple
from xml.sax.saxutils import escape

from adsearch import State
from adsearch.pictures import boards, svg
from adsearch.pictures.boards.paper import GAP, MARGIN, RIM, Field
from adsearch.pictures.svg import embedded, number, split_style
from arena.errors import ArenaError
from arena.history import words
from arena.pages.drawing import part
from db.records import JudgedPly, Marks, MoveRecord

_TAG: Final = re.compile(r"(<(\w+)[^<>]*(?:/>|(?<!/)>[^<]*</\2>))|</?\w+[^<>]*>")
"""An element with only text inside; else the start or the end of an element."""
_TO_MOVE: Final = re.compile(r"(>|[:;] )[^<>:;]* (?:to move|throws(?: again)?)\b")
"""In a picture, who is to move: in its title, and in the line below the board."""
_BOARD: Final = re.compile(
    r'width="(?P<width>[\d.]+)" height="(?P<height>[\d.]+)" viewBox="[^"]*" data-board="(?P<board>[^"]*)"'
)
"""In the first tag of a picture, its size, and where its board is."""
_CAPTION: Final = '<g class="caption"'
_SHORT: Final = 30
"""Characters of a part that is too short for a reference."""


class DrawnBoards(NamedTuple):
    """The boards of a page."""

    drawn: tuple[str, ...]
    """The markup of each board; empty if there is no position."""
    shared: str
    """Markup of the common parts, which must be on the page before the boards; it is not visible."""


class _Drawing(NamedTuple):
    """An SVG picture in parts."""

    begin: str
    """The opening tag, title and description, which are not shared."""
    kind: str
    parts: list[str]


def drawn_boards(
    positions: Iterable[tuple[State[Any] | None, Any]], *, below: int | None = None, ended: int | None = None
) -> DrawnBoards:
    """The boards of these positions, each with the move that led to it. `below`: the seat whose pieces are below, where
    the board has a direction. `ended`: the position in which the game ended, by the rules or before, so that no player
    is to move."""
    drawn = [_drawn(state, last, below, is_over=number == ended) for number, (state, last) in enumerate(positions)]
    drawings = [each for one in drawn if not isinstance(one, str) for each in one]
    units = iter(_units([each.parts for each in drawings]))
    counts: Counter[tuple[str, str]] = Counter()
    unit_lists = [[(each.kind, unit) for unit in next(units)] for each in drawings]
    for unit_list in unit_lists:
        counts.update(unit_list)
    often = [unit for unit, count in counts.items() if count > 1 and len(unit[1]) > _SHORT and _is_whole(unit[1])]
    often *= len(drawn) > 1
    names = {unit: f"b{number}" for number, unit in enumerate(often)}
    defined = "".join(f'\n<g id="{name}" class="{kind}">{unit}</g>' for (kind, unit), name in names.items())
    shared = f'<svg class="shared" width="0" height="0" aria-hidden="true"><defs>{defined}\n</defs></svg>'
    lists = iter(unit_lists)

    def markup(drawing: _Drawing) -> str:
        used = (f'<use href="#{names[unit]}"/>' if unit in names else unit[1] for unit in next(lists))
        return f"{drawing.begin}{''.join(used)}</svg>"

    made = (one if isinstance(one, str) else "".join(map(markup, one)) for one in drawn)
    return DrawnBoards(tuple(made), shared if names else "")


def plain_board(state: State[Any], last: Any) -> str:
    """The board of a position alone, for a page that says what it shows."""
    found = _drawn(state, last, None, is_over=False)
    if isinstance(found, str):
        return found
    board = found[0]
    opening = board.begin[: board.begin.index(">")].replace('role="img"', 'aria-hidden="true"')
    return f"{opening}>{''.join(board.parts)}</svg>"


def _units(lists: Sequence[list[str]]) -> list[list[str]]:
    """The same lists, with parts joined that are always next to each other; starts and ends of groups stay separate."""
    counts = Counter(part for parts in lists for part in parts)
    pairs = Counter(pair for parts in lists for pair in pairwise(parts))
    neighbours = {
        (one, other)
        for (one, other), count in pairs.items()
        if counts[one] == counts[other] == count and _is_whole(one) and _is_whole(other)
    }

    def joined(parts: list[str]) -> list[str]:
        ends = [number for number, pair in enumerate(pairwise(parts), start=1) if pair not in neighbours]
        return ["".join(parts[begin:end]) for begin, end in pairwise([0, *ends, len(parts)])]

    return [joined(parts) for parts in lists]


def _is_whole(part: str) -> bool:
    """Whether the part is not the start or the end of a group."""
    return part != "</g>" and (not part.startswith("<g") or part.endswith(("</g>", "/>")))


def _drawn(state: State[Any] | None, last: Any, below: int | None, *, is_over: bool) -> tuple[_Drawing, ...] | str:
    """The board of a position and its caption, or the board as text."""
    if state is None:
        return ""
    try:
        if type(state).svg is not State.svg:
            return _image(state.svg(last))
        _, drawing = split_style(boards.draw(state, last, below=below))
        return _cut(parted(_TO_MOVE.sub(r"\1the game is over", drawing) if is_over else drawing))
    except Exception:  # a user-supplied game may raise anything, also because of a move that it does not know
        return _as_text(state) if last is None else _drawn(state, None, below, is_over=is_over)


def _cut(drawing: _Drawing) -> tuple[_Drawing, ...]:
    """The board and its caption, each as a picture without a margin and without paper; a picture that does not say
    where its board is stays whole."""
    found = _BOARD.search(drawing.begin)
    if found is None:
        return (drawing,)
    whole, height = float(found["width"]), float(found["height"])
    x, y, across, down = map(float, found["board"].split())
    middle = y + down + GAP + RIM - MARGIN
    half = height - MARGIN - middle
    begin = next((at for at, one in enumerate(drawing.parts) if one.startswith(_CAPTION)), len(drawing.parts))
    edge = 2.0
    box = (x - edge, y - edge, across + 2 * edge, down + 2 * edge)
    board = drawing.begin.replace(found[0], f'viewBox="{_box(*box)}" data-board="{found["board"]}"', 1)
    caption = (
        f'<svg class="{drawing.kind} caption" viewBox="{_box(0, middle - half, whole, 2 * half)}" aria-hidden="true">'
    )
    paper = drawing.parts[0].startswith('<rect class="paper"')
    return (
        _Drawing(board, drawing.kind, drawing.parts[paper:begin]),
        _Drawing(caption, drawing.kind, drawing.parts[begin:]),
    )


def _box(*sides: float) -> str:
    return " ".join(map(number, sides))


def _image(picture: str) -> str:
    """The picture of a user-supplied game as an <img>; ValueError if it is not an SVG document."""
    image = embedded(picture)
    return part("board_image", image.address, words.printable(image.title) or "board")


def parted(drawing: str) -> _Drawing:
    """The picture in parts: its elements, and the elements of its groups, each with its content. ValueError if it is
    not an SVG picture."""
    opening = drawing[: drawing.index(">") + 1]
    kind = re.search(r' class="([\w -]*)"', opening)
    begin, parts = [opening.replace(' xmlns="http://www.w3.org/2000/svg"', "")], list[str]()
    depth = inside = start = 0
    for tag in _TAG.finditer(drawing, len(opening)):
        text = tag[0]
        if tag[1]:  # a whole element
            if depth == inside:
                (begin if depth == 0 and tag[2] in ("title", "desc") else parts).append(text)
        elif text.startswith("</"):
            depth -= 1
            if depth < inside:
                if depth < 0:
                    break
                inside = 0
                parts.append(text)
            elif depth == inside:
                parts.append(drawing[start : tag.end()])
        else:
            if depth == 0 and text.startswith("<g"):
                inside = 1
                parts.append(text)
            elif depth == inside:
                start = tag.start()
            depth += 1
    if depth != -1 or not opening.startswith("<svg"):
        raise ValueError("not an SVG picture")
    return _Drawing("".join(begin), kind[1] if kind else "", parts)


def _as_text(state: State[Any]) -> str:
    """The board as the game's text, else the position."""
    return part("board_text", words.drawn(state))


# A whole game as one animated SVG, which browsers, slides and a README show.


_EACH: Final = 0.8
"""Seconds for which a position is seen."""
_LAST: Final = 3.0
"""The same of the last one."""
_SIZE: Final = re.compile(r'width="([\d.]+)" height="([\d.]+)" viewBox="[^"]*"')


def animated(positions: Sequence[tuple[State[Any], Any]], title: str) -> str:
    """The picture of these positions, each with the move that led to it. ArenaError if the game draws itself."""
    state, _ = positions[0]
    if type(state).svg is not State.svg:
        raise ArenaError(f"{type(state).__name__} draws its boards itself, so they cannot be animated")
    pictures = [split_style(boards.draw(state, last)) for state, last in positions]
    frames = [_whole_parts(parted(picture).parts) for _, picture in pictures]
    sizes = [found for _, picture in pictures if (found := _SIZE.search(picture))]
    width, height = (max(float(size[side]) for size in sizes) for side in (1, 2))
    body = "\n".join(_seen(part, [n in shown for n in range(len(frames))]) for part, shown in _in_order(frames))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board" role="img" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}">\n<title>{escape(title)}</title>\n'
        f"<style>\n{escape(pictures[0][0])}\n</style>\n{body}\n</svg>\n"
    )


def _whole_parts(parts: Sequence[str]) -> list[str]:
    """The parts, each with the group that it is in."""
    found: list[str] = []
    group = ""
    for one in parts:
        if one == "</g>":
            group = ""
        elif one.startswith("<g") and not one.endswith(("</g>", "/>")):
            group = one
        else:
            found.append(f"{group}{one}</g>" if group else one)
    return found


def _in_order(frames: Sequence[Sequence[str]]) -> list[tuple[str, set[int]]]:
    """All parts with the numbers of their frames, so that in each frame they lie above each other as they were
    drawn. A part is there twice if it lay once below and once above another one."""
    order: list[tuple[str, set[int]]] = []
    for at_frame, frame in enumerate(frames):
        place = 0
        for one in frame:
            found = next((at for at in range(place, len(order)) if order[at][0] == one), None)
            if found is None:
                order.insert(place, (one, set()))
                found = place
            order[found][1].add(at_frame)
            place = found + 1
    return order


def _seen(part: str, shown: Sequence[bool]) -> str:
    """The part, seen at these positions only."""
    if all(shown):
        return part
    whole = _EACH * (len(shown) - 1) + _LAST
    changes = [number for number, one in enumerate(shown) if number == 0 or one != shown[number - 1]]
    times = ";".join(f"{number * _EACH / whole:.4g}" for number in changes)
    values = ";".join("inline" if shown[number] else "none" for number in changes)
    animation = (
        f'<animate attributeName="display" values="{values}" keyTimes="{times}" dur="{whole:g}s" calcMode="discrete" '
        'repeatCount="indefinite"/>'
    )
    return f'<g display="{"inline" if shown[-1] else "none"}">{animation}{part}</g>'


# What lies over a board: transparent rectangles on which a person moves by clicking, and marks, a translucent colour
# over each cell that an agent named, or where a mistake was made and what was better.


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
    return _with(board, "marks", _marks_drawn(found))


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
    return _with(board, "marks", [*_marks_drawn(found), *arrow])


def with_hint(board: str, fields: Sequence[Field]) -> str:
    """The markup of the board with the move that touches these fields marked as the best one."""
    cells = [_shown(field, "best") for field in dict.fromkeys(fields)]
    return _with(board, "marks", [*_marks_drawn(cells), *_arrow(fields)])


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


def _with(board: str, kind: str, parts: Iterable[str]) -> str:
    """The markup of a board with a group of this class at its end. Without parts, and if the board is not an inline
    SVG, it is the same markup."""
    start, end, rest = board.partition("</svg>")
    drawn = "".join(parts)
    if not drawn or not end or not start.startswith("<svg"):
        return board
    return f"{start}{svg.element('g', drawn, class_=kind)}{end}{rest}"


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


def _marks_drawn(marks: Sequence[_Shown]) -> Iterator[str]:
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
    """The markup of a board with a group of class "fields": one rectangle of class "field" for each field, with its
    name as data-field."""
    distinct = dict.fromkeys(field for ways in fields.values() for clicked in ways for field in clicked)
    return _with(board, "fields", (part for field in distinct for part in (_rectangle(field), _dot(field))))


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
