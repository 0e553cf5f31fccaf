"""The value of a game over its plies: a line for each view, and a dot where somebody made a mistake.

Of two opponents one view is enough: what is good for the one is above, what is good for the other below. All dots are
told in words too, and a grave mistake is an open dot with its ply beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Final

from msgspec import Struct

from adsearch.pictures import svg
from arena.ratings.plots import chart
from arena.ratings.plots.axis import counts_axis, ratings_axis
from arena.ratings.plots.chart import HEAD, HUES, MARGIN, SMALL
from arena.ratings.plots.line_plot import spread

_PLOT: Final = 520.0
"""How wide the plot is."""
_HIGH: Final = 240.0
_NAMES: Final = 170.0
"""How wide names are at most."""
_LABEL: Final = 16.0
"""How far apart names are at least."""
_SWATCH: Final = 18.0
"""How much of a line is shown beside its name."""
_STROKES: Final = ("line", "line dashed", "line dotted")


class Curve(Struct, frozen=True):
    """What a game was worth, ply after ply."""

    name: str
    """Whose view it is."""
    points: tuple[tuple[int, float], ...]
    """Plies and values."""


class Spot(Struct, frozen=True):
    """A mistake."""

    ply: int
    value: float
    """After it, in the view of the curve."""
    seat: int
    grave: bool
    told: str
    """In words."""


def values(
    curves: Sequence[Curve],
    spots: Sequence[Spot],
    *,
    title: str,
    sides: tuple[str, str] | None = None,
    bounds: tuple[float, float] | None = None,
) -> str:
    """A picture of these curves. `sides`: for whom it is good to be high, and for whom low, where there is one curve;
    `bounds`: the least and the greatest value that there can be, where all of that is to be seen."""
    finite = [Curve(curve.name, tuple(point for point in curve.points if isfinite(point[1]))) for curve in curves]
    drawn = [curve for curve in finite if curve.points]
    seen = [spot for spot in spots if isfinite(spot.value)]
    return _ValuePlot(drawn, seen, sides, bounds).document(title) if drawn else _nothing(title)


def _nothing(title: str) -> str:
    body = chart.text("no moves", MARGIN, HEAD + 16.0, kind="faint")
    return chart.document(400.0, 80.0, body, title=title, description="There are no moves.")


class _ValuePlot:
    """One picture in the making."""

    def __init__(
        self,
        curves: Sequence[Curve],
        spots: Sequence[Spot],
        sides: tuple[str, str] | None,
        bounds: tuple[float, float] | None,
    ) -> None:
        self.curves, self.spots, self.sides = curves, spots, sides
        self.top, self.bottom = HEAD + 22.0, HEAD + 22.0 + max(_HIGH, _LABEL * len(curves))
        told = [value for curve in curves for _, value in curve.points] + [0.0, *(bounds or ())]
        self.y = ratings_axis([(min(told), None), (max(told), None)], self.bottom, self.top)
        left = MARGIN + chart.widest((words for _, words in self.y.ticks), SMALL) + 8.0
        last = max(ply for curve in curves for ply, _ in curve.points)
        self.x = counts_axis(0.0, float(max(last, 1)), left, left + _PLOT)
        beside = [f"good for {chart.shown(name)}" for name in sides] if sides else [curve.name for curve in curves]
        self.names = [chart.shortened(words, SMALL, _NAMES) for words in beside]
        self.width = self.x.end + 20.0 + _SWATCH + 6.0 + chart.widest(self.names, SMALL) + MARGIN

    def document(self, title: str) -> str:
        """The whole of it: grid, curves, mistakes."""
        curves = "; ".join(self.told(curve) for curve in self.curves)
        mistakes = "; ".join(spot.told for spot in self.spots) or "none"
        return chart.document(
            self.width,
            self.bottom + 40.0 + MARGIN,
            *self.grid(),
            *(self.drawn(number) for number in range(len(self.curves))),
            *self.beside(),
            *(self.dot(spot) for spot in self.spots),
            *self.labels(),
            title=title,
            description=f"The value over {chart.some(round(self.x.high), 'ply').replace('plys', 'plies')}. {curves}. "
            f"Mistakes: {mistakes}.",
        )

    def grid(self) -> Iterator[str]:
        """Both axes."""
        for tick, words in self.y.ticks:
            y = self.y.at(tick)
            yield svg.element("line", class_="grid", x1=self.x.start, y1=y, x2=self.x.end, y2=y)
            yield chart.text(words, self.x.start - 8.0, y + 4.0, size=SMALL, anchor="end", kind="faint")
        for tick, words in self.x.ticks:
            x = self.x.at(tick)
            yield svg.element("line", class_="grid", x1=x, y1=self.bottom, x2=x, y2=self.bottom + 5.0)
            yield chart.text(words, x, self.bottom + 18.0, size=SMALL, anchor="middle", kind="faint")
        yield chart.text("ply", (self.x.start + self.x.end) / 2, self.bottom + 38.0, anchor="middle", kind="faint")

    def drawn(self, number: int) -> str:
        """A curve."""
        curve = self.curves[number]
        places = [(self.x.at(ply), self.y.at(value)) for ply, value in curve.points]
        line = svg.element("polyline", class_=_stroke(number), points=chart.path(places))
        return svg.element("g", svg.element("title", svg.words(self.told(curve))), line, class_=_hue(number))

    def beside(self) -> Iterator[str]:
        """To the right: who wants to be where, or whose curve ends where."""
        x = self.x.end + 20.0
        if self.sides:
            yield chart.text(self.names[0], x, self.top + 8.0, size=SMALL)
            yield chart.text(self.names[1], x, self.bottom, size=SMALL)
            return
        ends = [self.y.at(curve.points[-1][1]) for curve in self.curves]
        labels = spread(ends, _LABEL, self.top + _LABEL / 2, self.bottom - _LABEL / 2)
        for number, (end, label) in enumerate(zip(ends, labels, strict=True)):
            leader = chart.path([(self.x.end, end), (x, label)])
            swatch = chart.path([(x, label), (x + _SWATCH, label)])
            yield svg.element(
                "g",
                svg.element("polyline", class_="leader", points=leader),
                svg.element("polyline", class_=_stroke(number), points=swatch),
                class_=_hue(number),
            )
            yield chart.text(self.names[number], x + _SWATCH + 6.0, label + 4.0, size=SMALL)

    def dot(self, spot: Spot) -> str:
        """A mistake, with all of it in words when pointed at."""
        place = {"cx": self.x.at(spot.ply), "cy": self.y.at(spot.value)}
        inside = svg.element("circle", class_="paper", r=2.2, **place) if spot.grave else ""
        return svg.element(
            "g",
            svg.element("title", svg.words(chart.shown(spot.told))),
            svg.element("circle", class_="point", r=5.0 if spot.grave else 3.5, **place),
            *([inside] if inside else []),
            class_=_hue(spot.seat),
        )

    def labels(self) -> Iterator[str]:
        """The plies of grave mistakes, as far as there is room for them along the top."""
        free = self.x.start
        for spot in sorted(self.spots, key=lambda spot: spot.ply):
            words = f"{spot.ply}??"
            half = chart.width_of(words, SMALL) / 2
            x = self.x.at(spot.ply)
            if spot.grave and x - half >= free and x + half <= self.x.end:
                yield chart.text(words, x, self.top - 8.0, size=SMALL, anchor="middle")
                yield svg.element("line", class_="guide", x1=x, y1=self.top - 4.0, x2=x, y2=self.y.at(spot.value))
                free = x + half + 4.0

    def told(self, curve: Curve) -> str:
        """A curve in words."""
        (_, first), (_, last) = curve.points[0], curve.points[-1]
        return f"For {chart.shown(curve.name)}: from {self.y.told(first)} to {self.y.told(last)}"


def _hue(number: int) -> str:
    return f"hue{number % HUES}"


def _stroke(number: int) -> str:
    return _STROKES[number // HUES % len(_STROKES)]
