"""Boards: how the position of each game is drawn as SVG, for `State.svg` and for pages with many of them.

    paper      what every board is made of: the sheet below it, letters and numbers beside it, a caption
    sheet      the one style sheet of all boards, for light and dark
    die        a die, as it lies after a throw
    text       any position, as its text: the picture of a game that draws none of its own
    tictactoe, connect4, ...    one file a game; `draw(state, last)` is the whole document

A game imports its file when a picture is asked for, and not before: agents and searches never do. No colour means
anything that a shape, a letter or a number does not say as well, and each picture is told in words.
"""

from __future__ import annotations

import re
from html import unescape

_STYLE = re.compile(r"<style>(.*?)</style>\n?", re.DOTALL)


def apart(document: str) -> tuple[str, str]:
    """The style sheet of a picture, as CSS, and the picture without it: a page of many boards needs the sheet once."""
    sheets = _STYLE.findall(document)
    return unescape("\n".join(sheets)).strip(), _STYLE.sub("", document)
