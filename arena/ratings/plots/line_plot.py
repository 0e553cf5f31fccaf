"""Lines over games or plies: axes, grid, lines with bands, names where the lines end, and markers.

`progress`, `value_plot` and the curves on the page of a game are this plot with other sizes. Names stand at the ends of
the lines, so that nobody has to search a legend by colour; where lines end near each other, their names give way up and
down. Lines differ by colour and by stroke.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import isfinite
from typing import Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from adsearch.pictures import svg
from arena.ratings.plots import chart
from arena.ratings.plots.axis import counts_axis, ratings_axis
from arena.ratings.plots.chart import GAP, HEAD, HUES, MARGIN, SMALL

_TOP: Final = HEAD + 22.0
_LEADER: Final = 22.0
"""How much room there is between the end of a line and its name for what leads from one to the other."""
_SWATCH: Final = 20.0
"""How much of a line is shown beside its name."""
_BANDS: Final = 8
"""With more lines than this no bands are drawn: they would hide each other. Errors stand beside the names."""
_STROKES: Final = ("line", "line dashed", "line dotted")


class Point(NamedTuple):
    """A value at one time."""

    x: float
    """How many games or plies had been played."""
    y: float
    """Finite."""
    error: float | None = None
    """The value is within this much, to either side; None: not known."""


class Line(Struct, frozen=True):
    """Values of one player, or of one version of it."""

    name: str
    points: tuple[Point, ...]
    """In order of time."""
    hue: int | None = None
    """Its colour; None: by its place among the lines."""
    stroke: int | None = None
    """Whether it is solid, dashed or dotted; None: by its place among the lines."""


class Marker(Struct, frozen=True):
    """A dot that points out one moment."""

    x: float
    y: float
    hue: int
    words: str
    """What it means, shown when pointed at."""
    label: str = ""
    """Written above the plot if there is room. A marker with a label is an open dot."""


class Layout(Struct, frozen=True, kw_only=True):
    """How large the parts of a plot are."""

    plot: float | None = None
    """The width between the axes; None: what is left of `width`."""
    width: float = 0.0
    """The width of the picture, where `plot` is None."""
    height: float
    """The least height between the axes."""
    font: float = SMALL
    """Of the names."""
    names: float
    """The greatest width of a name."""
    dots: int = 0
    """A line with more points than this has only its last one drawn as a dot; 0: no dots at all."""


class LinePlot:
    """One picture in the making. There must be a line, and every line must have points."""

    def __init__(
        self,
        lines: Sequence[Line],
        layout: Layout,
        *,
        x_label: str,
        when: tuple[str, str],
        x_range: tuple[float, float],
        y_range: Sequence[tuple[float, float | None]],
        unit: str = "",
        with_values: bool = False,
        corners: tuple[str, str] | None = None,
    ) -> None:
        """`when` is what is counted from left to right: the words for one and for many. `y_range` are values with
        their errors. `with_values`: the last value stands beside the name. `corners` stand at the top and at the
        bottom instead of names."""
        self.lines = lines
        self.layout = layout
        self.x_label = x_label
        self.when = when
        self.unit = chart.shown(unit)
        self.corners = corners is not None
        self.label = layout.font + 5.0
        self.bottom = _TOP + max(layout.height, self.label * len(lines))
        self.y = ratings_axis(y_range, self.bottom, _TOP)
        self.names = [
            chart.shortened(name, layout.font, layout.names) for name in corners or [one.name for one in lines]
        ]
        ends = [line.points[-1] for line in lines]
        self.values = [self.y.text_with_error(end.y, end.error, sign="±") if with_values else "" for end in ends]
        swatch = 0.0 if self.corners else _SWATCH + 8.0
        names = _LEADER + swatch + chart.widest(self.names, layout.font)
        values = GAP + chart.widest(self.values, layout.font) if with_values else 0.0
        left = MARGIN + chart.widest((words for _, words in self.y.ticks), SMALL) + 8.0
        right = left + layout.plot if layout.plot else layout.width - MARGIN - names - values
        self.x = counts_axis(*x_range, left, right)
        self.names_start = right + _LEADER + swatch
        self.values_start = right + names + GAP
        self.width = right + names + values + MARGIN

    def document(self, title: str, description: str, *, markers: Sequence[Marker] = (), cursor: bool = False) -> str:
        """The whole picture. `cursor`: with the mark of the ply that a page shows, which the page may move."""
        bands = [band for number in range(len(self.lines)) for band in self._bands(number)]
        return chart.document(
            self.width,
            self.bottom + 40.0 + MARGIN,
            *self._grid(),
            *(self._cursor() if cursor else ()),
            *(bands if len(self.lines) <= _BANDS else ()),
            *self._lines(),
            *map(self._marker, markers),
            *self._marker_labels(markers),
            title=title,
            description=description,
        )

    def in_words(self, line: Line) -> str:
        """A line in words: its first and its last value."""
        first, last = line.points[0], line.points[-1]
        begun = "" if first is last else f"from {self._point_in_words(first)} to "
        return f"{chart.shown(line.name)}: {begun}{self._point_in_words(last)}"

    def _point_in_words(self, point: Point) -> str:
        value = self.y.text_with_error(point.y, point.error, sign="plus or minus")
        return f"{value} ({chart.some(round(point.x), *self.when)})"

    def _place(self, point: Point, error: float = 0.0) -> tuple[float, float]:
        """Where a point is, or the edge of its band."""
        return self.x.at(point.x), self.y.at(point.y + error)

    def _grid(self) -> Iterator[str]:
        """Both axes."""
        yield chart.text(self.unit, MARGIN, HEAD + 6.0, size=SMALL, kind="faint")
        for tick, words in self.y.ticks:
            y = self.y.at(tick)
            yield svg.element("line", class_="grid", x1=self.x.start, y1=y, x2=self.x.end, y2=y)
            yield chart.text(words, self.x.start - 8.0, y + 4.0, size=SMALL, anchor="end", kind="faint")
        for tick, words in self.x.ticks:
            x = self.x.at(tick)
            yield svg.element("line", class_="grid", x1=x, y1=self.bottom, x2=x, y2=self.bottom + 5.0)
            yield chart.text(words, x, self.bottom + 18.0, size=SMALL, anchor="middle", kind="faint")
        middle = (self.x.start + self.x.end) / 2
        yield chart.text(self.x_label, middle, self.bottom + 38.0, size=self.layout.font, anchor="middle", kind="faint")

    def _cursor(self) -> Iterator[str]:
        """The mark of a ply, which says where the first and the last ply are."""
        ends = {"data_from": self.x.start, "data_to": self.x.end}
        yield svg.element("line", class_="now", x1=self.x.start, y1=_TOP, x2=self.x.start, y2=self.bottom, **ends)

    def _bands(self, number: int) -> Iterator[str]:
        """As far as the errors of a line reach; a bar where one is known of a single point."""
        for known, run in groupby(self.lines[number].points, lambda point: point.error is not None):
            points = list(run)
            if not known:
                continue
            upper = [self._place(point, point.error or 0.0) for point in points]
            lower = [self._place(point, -(point.error or 0.0)) for point in points]
            outline = chart.path([*upper, *reversed(lower)])
            shape = (
                svg.element("polygon", class_="band", points=outline)
                if len(points) > 1
                else svg.element("polyline", class_="line alone", points=outline)
            )
            yield svg.element("g", shape, class_=self._hue(number))

    def _lines(self) -> Iterator[str]:
        """All lines, with their names where they end or with what stands in the corners."""
        if self.corners:
            yield from (self._line(number, None) for number in range(len(self.lines)))
            for words, baseline in zip(self.names, (_TOP + 8.0, self.bottom), strict=True):
                yield chart.text(words, self.names_start, baseline, size=self.layout.font)
            return
        ends = [self.y.at(line.points[-1].y) for line in self.lines]
        labels = spread(ends, self.label, _TOP + self.label / 2, self.bottom - self.label / 2)
        yield from (self._line(number, label) for number, label in enumerate(labels))

    def _line(self, number: int, label: float | None) -> str:
        """A line; its name at the height `label`, and what leads there."""
        line = self.lines[number]
        places = [self._place(point) for point in line.points]
        stroke = number // HUES if line.stroke is None else line.stroke
        kind = _STROKES[stroke % len(_STROKES)]
        dotted = places if len(places) <= self.layout.dots else places[-1:] if self.layout.dots else []
        parts = [
            svg.element("polyline", class_=kind, points=chart.path(places)),
            *(svg.element("circle", class_="point", cx=x, cy=y, r=2.6) for x, y in dotted),
        ]
        if label is not None:
            swatch = self.x.end + _LEADER
            leader = [places[-1], (self.x.end + 6.0, places[-1][1]), (swatch, label)]
            baseline = label + self.layout.font * 0.35
            parts = [
                svg.element("polyline", class_="leader", points=chart.path(leader)),
                *parts,
                svg.element("polyline", class_=kind, points=chart.path([(swatch, label), (swatch + _SWATCH, label)])),
                chart.text(self.names[number], self.names_start, baseline, size=self.layout.font),
                chart.text(self.values[number], self.values_start, baseline, size=self.layout.font, kind="faint"),
            ]
        return svg.element("g", svg.element("title", svg.words(self.in_words(line))), *parts, class_=self._hue(number))

    def _hue(self, number: int) -> str:
        hue = self.lines[number].hue
        return _hue(number if hue is None else hue)

    def _marker(self, marker: Marker) -> str:
        """A dot, with all of it in words when pointed at."""
        place = {"cx": self.x.at(marker.x), "cy": self.y.at(marker.y)}
        return svg.element(
            "g",
            svg.element("title", svg.words(chart.shown(marker.words))),
            svg.element("circle", class_="point", r=5.0 if marker.label else 3.5, **place),
            *([svg.element("circle", class_="paper", r=2.2, **place)] if marker.label else []),
            class_=_hue(marker.hue),
        )

    def _marker_labels(self, markers: Sequence[Marker]) -> Iterator[str]:
        """The labels of markers, as far as there is room for them along the top."""
        free = self.x.start
        for marker in sorted(markers, key=lambda marker: marker.x):
            half = chart.width_of(marker.label, SMALL) / 2
            x = self.x.at(marker.x)
            if marker.label and x - half >= free and x + half <= self.x.end:
                yield chart.text(marker.label, x, _TOP - 8.0, size=SMALL, anchor="middle")
                yield svg.element("line", class_="guide", x1=x, y1=_TOP - 4.0, x2=x, y2=self.y.at(marker.y))
                free = x + half + 4.0


def finite(lines: Sequence[Line]) -> list[Line]:
    """The lines with their finite points, as far as they have any."""
    kept = [replace(line, points=tuple(point for point in line.points if isfinite(point.y))) for line in lines]
    return [line for line in kept if line.points]


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places at least `gap` apart, between `low` and `high`, and else as near as can be to where they are wanted.

    There must be room for all of them.
    """
    order = sorted(range(len(wanted)), key=lambda number: wanted[number])
    # With the gaps taken out it is enough that none comes before the one above it. Those that would, stand together.
    heaps: list[list[float]] = []
    for number, place in enumerate(order):
        heaps.append([wanted[place] - number * gap])
        while len(heaps) > 1 and _mean(heaps[-2]) >= _mean(heaps[-1]):
            last = heaps.pop()
            heaps[-1] += last
    lowest = high - (len(wanted) - 1) * gap
    packed = [min(max(_mean(heap), low), lowest) for heap in heaps for _ in heap]
    found = {place: packed[number] + number * gap for number, place in enumerate(order)}
    return [found[place] for place in range(len(wanted))]


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


def _hue(number: int) -> str:
    return f"hue{number % HUES}"
