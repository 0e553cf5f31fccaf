"""Board nodes: the nodes of a drawn tree that show the board of their position.

A board is the picture of `State.svg`, smaller and without the caption below it. The picture of a user-supplied game is
an image, so that it cannot affect the rest of the drawing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from adsearch.pictures import svg
from adsearch.state import State

_SIDE: Final = 84.0
"""The longest side of a board, in pixels."""
_BOARD: Final = re.compile(r'<svg [^>]*class="([^"]*)"[^>]* data-board="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Board:
    """A board to draw in a tree."""

    width: float
    height: float
    sheet: str
    """Its style sheet, which is needed once in a picture."""
    image: str = ""
    """The address of the whole picture, if it is an image."""
    kind: str = ""
    part: str = ""
    """The part of the picture that is the board: x, y, width and height."""
    markup: str = ""

    def at(self, x: float, y: float) -> str:
        """The markup with the top left corner there."""
        place = {"x": x, "y": y, "width": self.width, "height": self.height}
        if self.image:
            return svg.element("image", **place, href=self.image)
        return svg.element("svg", self.markup, class_=self.kind, viewBox=self.part, **place)


def board_of(state: State[Any]) -> Board:
    """The board of a position; ValueError if its game draws something that is not an SVG document."""
    picture = state.svg()
    found = _BOARD.match(picture) if type(state).svg is State.svg else None
    if found is None:
        whole = svg.embedded(picture)
        scale = _SIDE / max(whole.width, whole.height)
        return Board(whole.width * scale, whole.height * scale, "", image=whole.address)
    sheet, drawing = svg.split_style(picture)
    width, height = map(float, found[2].split()[2:])
    scale = min(1.0, _SIDE / max(width, height))
    markup = drawing[drawing.index("</desc>") + len("</desc>") : drawing.rindex("</svg>")]
    return Board(width * scale, height * scale, sheet, kind=found[1], part=found[2], markup=markup)
