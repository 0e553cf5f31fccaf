"""Checkers: men and kings on the dark squares, which have their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from adsearch.games.checkers import BIT, Checkers, Path
from adsearch.pictures.boards.paper import (
    Cells,
    Drawing,
    Field,
    Piece,
    Point,
    circle,
    document,
    last_move,
    listed,
    next_event,
    path,
    rect,
    sample,
    words,
)
from adsearch.pictures.svg import pair, polygon

ABOVE: Final = 0
CELLS: Final = Cells(
    ("pale", "wood"),
    {"b": Piece("black"), "B": Piece("black", "♛"), "w": Piece("white"), "W": Piece("white", "♕")},
    has_labels=False,
)
_CELL: Final = 44.0


def draw(state: Checkers, last: Path | None = None, *, turned: bool = False) -> str:
    """The position as a picture; `turned`: as Black sees it."""
    edge = 3.0
    parts = [rect("pale", 0.0, 0.0, 8 * _CELL + 2 * edge, 8 * _CELL + 2 * edge, rx=3.0)]
    parts.append(path("wood", "".join(f"M{pair(*_corner(n))}h{_CELL:g}v{_CELL:g}h-{_CELL:g}z" for n in range(1, 33))))
    for n in range(1, 33):
        x, y = _corner(n, turned)
        parts.append(words(str(n), x + 3.0, y + 10.0, size=9.0, anchor="start", kind="on-wood"))
    if last:
        parts.append(path("last", f"M{'L'.join(pair(*_middle(n, turned)) for n in last)}"))
        parts += [circle("last", *_middle(last[0], turned), 4.0), circle("last", *_middle(last[-1], turned), 17.5)]
    pieces: dict[str, list[str]] = {"black": [], "white": []}
    for n in range(1, 33):
        side = "black" if state.black & BIT[n] else "white" if state.white & BIT[n] else ""
        if side:
            x, y = _middle(n, turned)
            king = bool(state.kings & BIT[n])
            parts.append(piece(side, x, y, king=king))
            pieces[side].append(f"{'king ' * king}{n}")
    event = next_event(state, ("black", "white"))
    caption = [sample(piece(side, 11.0, 11.0, scale=0.68), str(len(names))) for side, names in pieces.items()]
    sentences = [*(f"{side}: {listed(names)}." for side, names in pieces.items()), *last_move(state, last)]
    size = 8 * _CELL + 2 * edge
    drawing = Drawing(size, size, "".join(parts))
    return document(drawing, "Checkers", event, caption=caption, sentences=sentences)


def touched(_state: Checkers, move: Path, *, turned: bool = False) -> tuple[Field, ...]:
    """The square of the piece, and every square on which it lands."""
    return tuple(_square(square, turned) for square in move)


def cells(_state: Checkers, *, turned: bool = False) -> Iterator[Field]:
    """The dark squares."""
    return (_square(square, turned) for square in range(1, 33))


def _square(square: int, turned: bool) -> Field:
    return Field.around(str(square), _middle(square, turned), _CELL)


def piece(side: str, x: float, y: float, *, king: bool = False, scale: float = 1.0) -> str:
    """A man, or a king with a crown."""
    ring = circle(f"on-{side}", x, y, 10.0 * scale)
    return circle(side, x, y, 14.5 * scale) + (_crown(x, y) if king else ring)


def _crown(x: float, y: float) -> str:
    corners = [(-8, 6), (-9, -5), (-4, 0), (0, -8), (4, 0), (9, -5), (8, 6)]
    return polygon("crown", [(x + right, y + down) for right, down in corners])


def _corner(square: int, turned: bool = False) -> Point:
    row, n = divmod((32 - square) if turned else (square - 1), 4)
    return 3.0 + (2 * n + (row % 2 == 0)) * _CELL, 3.0 + row * _CELL


def _middle(square: int, turned: bool = False) -> Point:
    x, y = _corner(square, turned)
    return x + _CELL / 2, y + _CELL / 2
