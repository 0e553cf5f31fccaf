"""A whole game as one animated SVG, which browsers, slides and a README show.

Each part of the boards is in it once, and says at which positions it is seen: the picture is far smaller than all
boards together. Without animation it shows the end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final
from xml.sax.saxutils import escape

from adsearch import State
from adsearch.pictures.boards import draw
from adsearch.pictures.svg import split_style
from arena.errors import ArenaError
from arena.pages.boards import parted

_EACH: Final = 0.8
"""Seconds for which a position is seen."""
_LAST: Final = 3.0
"""The same of the last one."""
_SIZE: Final = re.compile(r'width="([\d.]+)" height="([\d.]+)" viewBox="[^"]*"')


def animated(positions: Sequence[tuple[State[Any], Any]], title: str, *, below: int | None = None) -> str:
    """The picture of these positions, each with the move that led to it. ArenaError if the game draws itself."""
    state, _ = positions[0]
    if type(state).svg is not State.svg:
        raise ArenaError(f"{type(state).__name__} draws its boards itself, so they cannot be animated")
    pictures = [split_style(draw(state, last, below=below)) for state, last in positions]
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
    for part in parts:
        if part == "</g>":
            group = ""
        elif part.startswith("<g") and not part.endswith(("</g>", "/>")):
            group = part
        else:
            found.append(f"{group}{part}</g>" if group else part)
    return found


def _in_order(frames: Sequence[Sequence[str]]) -> list[tuple[str, set[int]]]:
    """All parts with the numbers of their frames, so that in each frame they lie above each other as they were
    drawn. A part is there twice if it lay once below and once above another one."""
    order: list[tuple[str, set[int]]] = []
    for number, frame in enumerate(frames):
        place = 0
        for part in frame:
            found = next((at for at in range(place, len(order)) if order[at][0] == part), None)
            if found is None:
                order.insert(place, (part, set()))
                found = place
            order[found][1].add(number)
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
