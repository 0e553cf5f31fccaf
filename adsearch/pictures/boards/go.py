"""Go: stones on the crossings of lines; the last stone has a ring, and a finished game shows whose each point is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from adsearch.games.go import COLUMNS, PASS, Go
from adsearch.pictures.boards.paper import (
    RIM,
    SMALL,
    Cells,
    Drawing,
    Field,
    Piece,
    Point,
    centre,
    circle,
    document,
    dots,
    inside,
    last_move,
    listed,
    next_event,
    path,
    rect,
    sample,
)
from adsearch.pictures.svg import element, number, pair

CELLS: Final = Cells(("pale",), {".": Piece("lattice", "┼"), "x": Piece("black"), "o": Piece("white")}, link="─")
_STEP: Final = 30.0
"""Distance of two lines."""
_RADIUS: Final = 13.5
"""A stone's."""
_SIDES: Final = dict(zip(Go.looks.pieces, Go.looks.sides, strict=True))


def draw(state: Go, last: int | None = None) -> str:
    """The position as a picture."""
    size = state.board.size
    side = size * _STEP
    parts = [_rims(size), rect("pale", RIM, RIM, side, side), _lines(size)]
    parts.append(dots("lattice", [_point(row, column) for row, column in _stars(size)], 6.0))
    parts += _territory(state) if state.turn is None else []
    rows = state.rows()
    parts += [_row_of_stones(row, marks) for row, marks in enumerate(rows) if marks.strip(".")]
    if last is not None and last != PASS:
        row, column = divmod(last, size)
        parts.append(circle(f"last-on-{_SIDES[state.cell(row, column)].lower()}", *_point(row, column), 7.5))
    caption = [sample(circle(name.lower(), 11.0, 11.0, 9.0), name) for mark, name in _SIDES.items()]
    sentences = [f"{name}: {listed(_points_of(mark, rows))}." for mark, name in _SIDES.items()]
    sentences += last_move(state, last)
    drawing = Drawing(RIM + side, RIM + side, "".join(parts))
    return document(drawing, "Go", _event(state), caption=caption, sentences=sentences)


def touched(state: Go, move: int) -> tuple[Field, ...]:
    """The point; none for a pass."""
    return () if move == PASS else (_field(state, move),)


def cells(state: Go) -> Iterator[Field]:
    """The points."""
    return (_field(state, point) for point in range(len(state.board.names)))


def _field(state: Go, point: int) -> Field:
    board = state.board
    return Field.around(board.names[point], _point(*divmod(point, board.size)), _STEP)


def _territory(state: Go) -> list[str]:
    """A small square on each empty point that belongs to a side."""
    board, stones = state.board, state.black | state.white
    parts = []
    for side, owned in zip(("black", "white"), state.owned(), strict=True):
        for point, bit in enumerate(board.bits):
            if owned & bit & ~stones:
                x, y = _point(*divmod(point, board.size))
                parts.append(rect(f"{side}-area", x - 4.0, y - 4.0, 8.0, 8.0))
    return parts


def _event(state: Go) -> str:
    event = next_event(state, ("Black", "White"))
    if state.turn is None or not state.passes:
        return event
    return f"{('White', 'Black')[state.turn]} passed, {event}"


def _point(row: int, column: int) -> Point:
    return centre(row, column, cell=_STEP)


def _row_of_stones(row: int, marks: str) -> str:
    """The stones of a row as one part: most moves change one row, so the boards of a game share nearly all parts."""
    found = []
    for mark in _SIDES:
        stones = (_outline(*_point(row, column)) for column, one in enumerate(marks) if one == mark)
        if outlines := "".join(stones):
            found.append(path(_SIDES[mark].lower(), outlines))
    return found[0] if len(found) == 1 else element("g", *found)


def _outline(x: float, y: float) -> str:
    """The outline of a stone: an arc from its top that ends next to it."""
    return f"M{pair(x, y - _RADIUS)}a{_RADIUS:g},{_RADIUS:g} 0 1 1-.01,0z"


def _points_of(mark: str, rows: list[str]) -> list[str]:
    """The names of a side's points, the top row first."""
    size = len(rows)
    return [
        f"{COLUMNS[column]}{size - row}"
        for row, marks in enumerate(rows)
        for column, one in enumerate(marks)
        if one == mark
    ]


def _rims(size: int) -> str:
    """The letters above the board, and the numbers to its left, which count from the bottom."""
    above = (inside(COLUMNS[n], _point(0, n)[0], RIM / 2 - 1, size=SMALL, kind="faint") for n in range(size))
    beside = (inside(str(size - n), RIM / 2 - 2, _point(n, 0)[1], size=SMALL, kind="faint") for n in range(size))
    return "".join((*above, *beside))


def _lines(size: int) -> str:
    length = number((size - 1) * _STEP)
    across = (f"M{pair(*_point(n, 0))}h{length}" for n in range(size))
    down = (f"M{pair(*_point(0, n))}v{length}" for n in range(size))
    return path("lattice", "".join((*across, *down)))


def _stars(size: int) -> list[tuple[int, int]]:
    """The star points, as boards have them: the corners' on the third line, from 13 lines on the fourth; the middle
    point if there is one, and from 15 lines on those in the middle of the sides."""
    if size < 7:
        return []
    edge = 2 if size < 13 else 3
    middle = size // 2
    stars = [(row, column) for row in (edge, size - 1 - edge) for column in (edge, size - 1 - edge)]
    if size % 2:
        stars.append((middle, middle))
        if size >= 15:
            stars += [(edge, middle), (size - 1 - edge, middle), (middle, edge), (middle, size - 1 - edge)]
    return stars
