"""Grundy's game: a heap of stones for each pile, and its size below; those that cannot be split are hollow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import isqrt
from typing import Final

from adsearch.games.grundy import Grundy
from adsearch.pictures.boards.paper import (
    GAP,
    PLAYERS,
    SMALL,
    Drawing,
    Point,
    document,
    dots,
    inside,
    last_move,
    next_event,
    rect,
)
from adsearch.pictures.svg import polygon, width_of

_STONE: Final = 14.0
_MOST: Final = 300
"""A larger pile is drawn as one heap, without single stones."""
_MANY: Final = 20
"""More piles of one size than this are drawn once, with their number."""
_WIDEST: Final = 560.0


def draw(state: Grundy, last: tuple[int, int] | None = None) -> str:
    """The position as a picture."""
    parts = []
    x = 0.0
    top = 0.0
    height = 0.0
    width = 0.0
    for pile, times, marked in _piles(state, last):
        heap = _heap(pile, times, new=marked)
        if x and x + heap.width > _WIDEST:
            x = 0.0
            top = top + height + GAP
            height = 0.0
        # The first pile of a row is the largest, so the others stand on its ground.
        height = height or heap.height
        parts.append(heap.at(x, top + height - heap.height, kind="pile"))
        width = max(width, x + heap.width)
        x += heap.width + GAP
    event = next_event(state, PLAYERS)
    sentences = [f"Piles: {', '.join(map(str, state.piles))}.", *last_move(state, last)]
    return document(Drawing(width, top + height, "".join(parts)), "Grundy's game", event, sentences=sentences)


def _piles(state: Grundy, last: tuple[int, int] | None) -> Iterator[tuple[int, int, bool]]:
    """What heaps are drawn: of which size, for how many piles, and whether one of them is new."""
    for size, times in Counter(state.piles).items():
        new = (last or ()).count(size)
        if times > _MANY:
            yield size, times, new > 0
        else:
            yield from ((size, 1, number < new) for number in range(times))


def _heap(pile: int, times: int, *, new: bool) -> Drawing:
    """A pile, or one for many like it: rows of stones, each one shorter than that below it."""
    stones = min(pile, _MOST)
    across = (isqrt(8 * stones - 7) + 1) // 2
    across += across * (across + 1) // 2 < stones
    number = str(pile) if times == 1 else f"{times} \u00d7 {pile}"
    width = max(across * _STONE, width_of(number, SMALL)) + 8.0
    rows = 0
    places: list[Point] = []
    while len(places) < stones:
        wide = min(across - rows, stones - len(places))
        left = width / 2 - (wide - 1) * _STONE / 2
        places += [(left + n * _STONE, -(rows + 0.5) * _STONE * 0.9) for n in range(wide)]
        rows += 1
    ground = rows * _STONE * 0.9 + 6.0
    places = [(x, ground + y) for x, y in places]
    if pile > _MOST:
        markup = polygon("heap", [(4.0, ground), (width / 2, 4.0), (width - 4.0, ground)])
    else:
        markup = dots("stone" if pile > 2 else "small", places, _STONE - 2.0)
    markup += inside(number, width / 2, ground + 10.0, size=SMALL, kind="" if pile > 2 else "faint")
    if new:
        markup += rect("last", 1.5, 1.5, width - 3.0, ground + 17.0, rx=6.0)
    return Drawing(width, ground + 20.0, markup)
