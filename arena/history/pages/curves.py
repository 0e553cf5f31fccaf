"""Curves over the plies of a game: what the players thought of it, and their clocks.

A curve reads in light and dark and without colours: each seat has its own stroke and its name beside it. A page may
move the mark of the ply that it shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Final, NamedTuple

from adsearch.pictures import svg
from arena.ratings.plots import chart
from arena.ratings.plots.axis import Axis, counts_axis, ratings_axis
from arena.ratings.plots.chart import HEAD, HUES, MARGIN, SMALL
from arena.ratings.plots.line_plot import spread

_WIDTH: Final = 460.0
_TOP: Final = HEAD + 14.0
_BOTTOM: Final = _TOP + 140.0
_NAMES: Final = 110.0
"""How wide names are at most."""
_LABEL: Final = 15.0
"""How far apart names are at least."""
_SWATCH: Final = 20.0
_STROKES: Final = ("line", "line dashed", "line dotted")
_DOTS: Final = 40
"""Of more points none is a dot."""
_HUGE: Final = 1e6
"""Values beyond stand for a certain end: they are drawn at the edge."""


class Curve(NamedTuple):
    """Values of one seat."""

    name: str
    seat: int
    points: tuple[tuple[int, float], ...]
    """Plies and values, in order."""


def on_one_axis(curves: Sequence[Curve]) -> bool:
    """Whether these curves can be read together: none is so small that it would be a line along the axis."""
    most = [max((abs(value) for _, value in curve.points if value), default=0.0) for curve in curves]
    most = [value for value in most if value]
    return not most or max(most) <= 20 * min(most)


def plot(curves: Sequence[Curve], plies: int, *, title: str, unit: str) -> str:
    """A picture of these curves over the plies of a game; nothing where there is nothing to draw."""
    finite = [curve._replace(points=tuple(point for point in curve.points if isfinite(point[1]))) for curve in curves]
    drawn = [curve for curve in finite if curve.points]
    if not drawn:
        return ""
    usual = [(value, None) for curve in drawn for _, value in curve.points if abs(value) <= _HUGE]
    y = ratings_axis(usual or [(-_HUGE, None), (_HUGE, None)], _BOTTOM, _TOP)
    names = [chart.shortened(curve.name, SMALL, _NAMES) for curve in drawn]
    left = MARGIN + chart.widest((words for _, words in y.ticks), SMALL) + 8.0
    right = _WIDTH - MARGIN - chart.widest(names, SMALL) - _SWATCH - 12.0
    x = counts_axis(0.0, float(max(plies, 1)), left, right)
    told = (
        f"{chart.shown(curve.name)}: {y.told(first)} at ply {begin}, {y.told(last)} at ply {end}"
        for curve in drawn
        for (begin, first), (end, last) in [(curve.points[0], curve.points[-1])]
    )
    return chart.document(
        _WIDTH,
        _BOTTOM + 32.0 + MARGIN,
        *_grid(x, y, unit),
        *_lines(drawn, names, x, y),
        title=title,
        description=f"{'; '.join(told)}.",
    )


def _grid(x: Axis, y: Axis, unit: str) -> Iterator[str]:
    """Both axes, and the mark of the ply that is shown, which knows where plies are."""
    yield chart.text(unit, MARGIN, HEAD + 2.0, size=SMALL, kind="faint")
    for tick, words in y.ticks:
        at = y.at(tick)
        yield svg.element("line", class_="grid", x1=x.start, y1=at, x2=x.end, y2=at)
        yield chart.text(words, x.start - 8.0, at + 4.0, size=SMALL, anchor="end", kind="faint")
    for tick, words in x.ticks:
        yield chart.text(words, x.at(tick), _BOTTOM + 17.0, size=SMALL, anchor="middle", kind="faint")
    yield chart.text("ply", (x.start + x.end) / 2, _BOTTOM + 33.0, size=SMALL, anchor="middle", kind="faint")
    yield svg.element(
        "line", class_="now", x1=x.start, y1=_TOP, x2=x.start, y2=_BOTTOM, data_from=x.start, data_to=x.end
    )


def _lines(curves: Sequence[Curve], names: Sequence[str], x: Axis, y: Axis) -> Iterator[str]:
    """The curves, and their names where they end."""
    ends = spread([y.at(curve.points[-1][1]) for curve in curves], _LABEL, _TOP - 4.0, _BOTTOM + 4.0)
    for curve, name, label in zip(curves, names, ends, strict=True):
        places = [(x.at(float(ply)), y.at(value)) for ply, value in curve.points]
        stroke = _STROKES[curve.seat % len(_STROKES)]
        swatch = [(x.end + 6.0, label), (x.end + 6.0 + _SWATCH, label)]
        yield svg.element(
            "g",
            svg.element("polyline", class_=stroke, points=chart.path(places)),
            *(
                svg.element("circle", class_="point", cx=at, cy=height, r=2.2)
                for at, height in (places if len(places) <= _DOTS else [])
            ),
            svg.element("polyline", class_=stroke, points=chart.path(swatch)),
            chart.text(name, swatch[1][0] + 6.0, label + 4.0, size=SMALL),
            class_=f"hue{curve.seat % HUES}",
        )
