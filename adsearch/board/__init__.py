"""Boards: how the position of each game is drawn as SVG, for `State.svg` and for pages with many of them.

    paper      what every board is made of: the sheet below it, letters and numbers beside it, a caption
    sheet      the one style sheet of all boards, for light and dark
    die        a die, as it lies after a throw
    text       any position, as its text: the picture of a game that draws none of its own
    tictactoe, connect4, ...    one file a game, called like the game's; `draw(state, last)` is the whole document

Games know nothing of their pictures: a file here is imported when a picture is asked for, and not before, so agents and
searches never do. No colour means
anything that a shape, a letter or a number does not say as well, and each picture is told in words.
"""

from __future__ import annotations

import re
from html import unescape
from importlib import import_module
from typing import Any

_STYLE = re.compile(r"<style>(.*?)</style>\n?", re.DOTALL)


def draw(state: Any, last: Any = None) -> str:
    """The position as a whole document, `last` being the move that led to it. A game of somebody's own that is a kind
    of one of ours is drawn as that one, any other as its text."""
    modules = [kind.__module__ for kind in type(state).__mro__]
    game = next((name.rpartition(".")[2] for name in modules if name.startswith("adsearch.games.")), "text")
    picture: str = import_module(f"{__name__}.{game}").draw(state, last)
    return picture


def apart(document: str) -> tuple[str, str]:
    """The style sheet of a picture, as CSS, and the picture without it: a page of many boards needs the sheet once."""
    sheets = _STYLE.findall(document)
    return unescape("\n".join(sheets)).strip(), _STYLE.sub("", document)
