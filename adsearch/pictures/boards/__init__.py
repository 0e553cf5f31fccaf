"""Boards: the position of each game as SVG, in one module a game, which is called like the game's.

`draw` is what `State.svg` calls. Each game's module has a function `draw(state, last)` for the whole picture, and is
imported only when it is asked for; `text.py` draws games that have none. `paper.py` is what they are drawn with and
`sheet.py` the style of all, in which no colour means anything that a shape, a letter or a number does not say as well.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from adsearch.state import State


def draw(state: State[Any], last: Any = None) -> str:
    """The position as an SVG document; `last` is the move that led to it. A user's subclass of one of our games is
    drawn as that game, any other as its text."""
    modules = [kind.__module__ for kind in type(state).__mro__]
    game = next((name.rpartition(".")[2] for name in modules if name.startswith("adsearch.games.")), "text")
    picture: str = import_module(f"{__name__}.{game}").draw(state, last)
    return picture
