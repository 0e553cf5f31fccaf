"""The small pictures in the rows of standings, as SVG: a rating with its error, a rating over time, won-drawn-lost.

They are in per cent of their places, and a line of no length is a dot: a page can make them as wide as it likes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, floor

from adsearch.pictures.svg import element, number, pair, words
from arena.results import figures


def scale(ratings: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The least and the greatest rating that a column of `whisker` shows, in whole hundreds. An error does not make it
    much wider than the ratings do."""
    least, most = min(rating for rating, _ in ratings), max(rating for rating, _ in ratings)
    room = max(100.0, (most - least) / 4)
    low = min(rating - min(error, room) for rating, error in ratings)
    high = max(rating + min(error, room) for rating, error in ratings)
    return 100.0 * floor(low / 100), 100.0 * max(ceil(high / 100), floor(low / 100) + 1)


def whisker(rating: float, error: float | None, low: float, high: float) -> str:
    """A rating as a dot, with a bar as long as its error on each side."""

    def at(value: float) -> str:
        return number(100.0 * (min(max(value, low), high) - low) / (high - low))

    bar = element("line", x1=at(rating - (error or 0.0)), x2=at(rating + (error or 0.0)), y1=5, y2=5)
    said = figures.whole(rating) + (f" ± {figures.whole(error)}" if error else "")
    return _picture(
        "whisker",
        10.0,
        said,
        _lines(low, high),
        bar,
        element("line", class_="dot", x1=at(rating), x2=at(rating), y1=5, y2=5),
    )


@lru_cache(16)
def _lines(low: float, high: float) -> str:
    """The lines behind all dots of a column, at whole hundreds."""
    step = 100.0 * max(1, round((high - low) / 400))
    places = (100.0 * step * count / (high - low) for count in range(int((high - low) / step) + 1))
    return element("path", class_="scale", d="".join(f"M{number(place)},0V10" for place in places))


def spark(ratings: Sequence[float]) -> str:
    """A rating over time; nothing for fewer than two."""
    if len(ratings) < 2:
        return ""
    low, high = min(ratings), max(ratings)
    room = max(high - low, 40.0)
    middle = (low + high) / 2
    points = " ".join(
        pair(100.0 * place / (len(ratings) - 1), 50.0 - 90.0 * (rating - middle) / room)
        for place, rating in enumerate(ratings)
    )
    return _picture(
        "spark",
        100.0,
        f"from {figures.whole(ratings[0])} to {figures.whole(ratings[-1])}",
        element("polyline", points=points),
    )


def bar(won: int, drawn: int, lost: int) -> str:
    """The shares of games won, drawn and lost."""
    games = won + drawn + lost
    if not games:
        return ""
    parts, x = [], 0.0
    for kind, count in (("won", won), ("drawn", drawn), ("lost", lost)):
        width = 100.0 * count / games
        parts.append(element("rect", class_=kind, x=x, width=width, height=10) if count else "")
        x += width
    return _picture("bar", 10.0, "", *parts)


def _picture(kind: str, height: float, said: str, *parts: str) -> str:
    title = element("title", words(said)) if said else ""
    box = f"0 0 100 {number(height)}"
    hidden = "" if said else "true"
    return element(
        "svg",
        title,
        *parts,
        class_=kind,
        viewBox=box,
        preserveAspectRatio="none",
        role="img" if said else "",
        aria_hidden=hidden,
    )
