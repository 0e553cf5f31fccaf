"""A die, as it lies after a throw."""

from __future__ import annotations

from adsearch.board.paper import Drawing, dots, inside, rect

_PLACES = {1: "5", 2: "19", 3: "159", 4: "1379", 5: "13579", 6: "134679"}
"""The pips of each face, as keys of a telephone."""


def die(face: int, *, sides: int = 6, size: float = 32.0) -> Drawing:
    """That face; a number on a die with more sides than six."""
    markup = rect("die", 1.0, 1.0, size - 2.0, size - 2.0, rx=size / 5)
    if sides > 6:
        return Drawing(size, size, markup + inside(str(face), size / 2, size / 2, kind="on-card"))
    places = [divmod(int(key) - 1, 3) for key in _PLACES[face]]
    step = size / 4
    pips = [(size / 2 + (column - 1) * step, size / 2 + (row - 1) * step) for row, column in places]
    return Drawing(size, size, markup + dots("pip", pips, size / 6))
