"""Boards: the position of each game as SVG, in one module a game, which is called like the game's.

`draw` is what `State.svg` calls. Each game's module has a function `draw(state, last)` for the whole picture, and is
imported only when it is asked for; `text.py` draws games that have none. `paper.py` is what they are drawn with and
`sheet.py` the style of all, in which no colour means anything that a shape, a letter or a number does not say as well.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from adsearch.state import State


def draw(state: State[Any], last: Any = None) -> str:
    """The position as an SVG document; `last` is the move that led to it. A user's subclass of one of our games is
    drawn as that game, any other as its text."""
    board = f"{__name__}.text"
    for kind in type(state).__mro__:
        package, _, game = kind.__module__.rpartition(".")
        if package == "adsearch.games" and find_spec(f"{__name__}.{game}"):
            board = f"{__name__}.{game}"
            break
    picture: str = import_module(board).draw(state, last)
    return picture
