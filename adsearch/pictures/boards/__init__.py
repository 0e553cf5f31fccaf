"""Boards: the position of each game as SVG, in one module a game, which is called like the game's.

`draw` is what `State.svg` calls. Each game's module has a function `draw(state, last)` for the whole picture, and is
imported only when it is asked for; `text.py` draws games that have none. Where a move is a place or two on the board,
the module also has `touched(state, move)`: the fields that a person clicks, from the corner of the board. `paper.py` is
what they are drawn with and `sheet.py` the style of all, in which no colour means anything that a shape, a letter or a
number does not say as well.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from adsearch.pictures.boards.paper import Field, corner
from adsearch.state import CHANCE, State


def draw(state: State[Any], last: Any = None) -> str:
    """The position as an SVG document; `last` is the move that led to it. A user's subclass of one of our games is
    drawn as that game, any other as its text."""
    picture: str = _module_of(state).draw(state, last)
    return picture


def fields(state: State[Any]) -> dict[str, tuple[Field, ...]]:
    """For each legal move, by its text, the fields of the picture in the order in which a person clicks them. They are
    in the coordinates of its viewBox, whatever `last` was. Moves without fields are left out: all at a chance node, and
    in games whose moves are not places or that draw themselves.

    No two fields overlap, and no move's fields are the beginning of another's. So a move is made when all its fields
    are clicked, except that several moves can have the same fields, such as a pawn's promotions: then the page asks
    which. After the fields clicked so far, only those that come next in some move can be clicked."""
    touched = getattr(_module_of(state), "touched", None)
    if touched is None or state.turn in (None, CHANCE) or type(state).svg is not State.svg:
        return {}
    left, top = corner(draw(state))
    found = {
        state.to_text(move): tuple(field.moved(left, top) for field in touched(state, move)) for move in state.moves()
    }
    return {text: clicked for text, clicked in found.items() if clicked}


def _module_of(state: State[Any]) -> ModuleType:
    """The module that draws the position."""
    for kind in type(state).__mro__:
        package, _, game = kind.__module__.rpartition(".")
        if package == "adsearch.games" and find_spec(f"{__name__}.{game}"):
            return import_module(f"{__name__}.{game}")
    return import_module(f"{__name__}.text")
