"""Ratings over time: a line for each version of an agent, in a band as wide as its error.

Names stand where the lines end, so that no legend has to be searched by colour; where lines end near each other, names
give way up and down.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import groupby
from typing import Final

from msgspec import Struct

from adsearch.pictures import svg
from arena.ratings.plots import chart
from arena.ratings.plots.axis import counts_axis, dates_axis, moment, ratings_axis
from arena.ratings.plots.chart import GAP, HEAD, HUES, MARGIN, SIZE, SMALL

_PLOT: Final = 500.0
"""How wide the plot is."""
_NAMES: Final = 200.0
"""How wide names are at most."""
_LABEL: Final = 18.0
"""How far apart names are at least."""
_LEADER: Final = 16.0
"""How far to the side what leads from a line to its name may go up or down."""
_SWATCH: Final = 22.0
"""How much of a line is shown beside its name."""
_BANDS: Final = 8
"""Of more lines the bands would be one fog; errors stand beside the names."""
_DOTS: Final = 30
"""Of more points only the last is a dot."""
_STROKES: Final = ("line", "line dashed", "line dotted")


class Point(Struct, frozen=True):
    """A rating at one time."""

    at: str
    """When, in ISO 8601."""
    games: int
    """How many had been played."""
    rating: float
    """Finite."""
    error: float | None
    """The rating is within this much, to either side; None: not known."""


class Line(Struct, frozen=True):
    """The ratings of one version of an agent."""

    name: str
    points: tuple[Point, ...]
    """In order of time."""


class Across(StrEnum):
    """What time is measured by."""

    GAMES = "games"
    DATES = "dates"


def progress(lines: Sequence[Line], *, title: str, across: Across = Across.GAMES, unit: str = "Elo") -> str:
    """A picture of these lines; those without points are left out."""
    drawn = [line for line in lines if line.points]
    return _LinePlot(drawn, across, unit).document(title) if drawn else chart.nothing(title)


class _LinePlot:
    """One picture in the making."""

    def __init__(self, lines: Sequence[Line], across: Across, unit: str) -> None:
        self.lines, self.across, self.unit = lines, across, chart.shown(unit)
        points = [point for line in lines for point in line.points]
        self.top = HEAD + 26.0
        self.bottom = self.top + max(300.0, _LABEL * len(lines))
        self.y = ratings_axis([(point.rating, point.error) for point in points], self.bottom, self.top)
        left = MARGIN + chart.widest((words for _, words in self.y.ticks), SMALL) + 8.0
        times = [self.time(point) for point in points]
        axis = counts_axis if across is Across.GAMES else dates_axis
        self.x = axis(min(times), max(times), left, left + _PLOT)
        self.names = [chart.shortened(line.name, SIZE, _NAMES) for line in lines]
        self.ends = [self.y.told_with(line.points[-1].rating, line.points[-1].error, sign="±") for line in lines]
        self.swatch = self.x.end + 6.0 + _LEADER
        self.names_start = self.swatch + _SWATCH + 8.0
        self.ends_start = self.names_start + chart.widest(self.names, SIZE) + GAP
        self.width = self.ends_start + chart.widest(self.ends, SIZE) + MARGIN

    def document(self, title: str) -> str:
        """The whole of it: grid, bands, lines."""
        numbers = range(len(self.lines))
        bands = [band for number in numbers for band in self.bands(number)] if len(self.lines) <= _BANDS else []
        ends = [self.y.at(line.points[-1].rating) for line in self.lines]
        labels = spread(ends, _LABEL, self.top + _LABEL / 2, self.bottom - _LABEL / 2)
        told = "; ".join(map(self.told, self.lines))
        return chart.document(
            self.width,
            self.bottom + 40.0 + MARGIN,
            *self.grid(),
            *bands,
            *(self.drawn(number, label) for number, label in zip(numbers, labels, strict=True)),
            title=title,
            description=f"{chart.some(len(self.lines), 'line')}, in {self.unit}. {told}.",
        )

    def time(self, point: Point) -> float:
        """How far across a point is."""
        return float(point.games) if self.across is Across.GAMES else moment(point.at).timestamp()

    def place(self, point: Point, error: float = 0.0) -> tuple[float, float]:
        """Where a point is, or the edge of its band."""
        return self.x.at(self.time(point)), self.y.at(point.rating + error)

    def grid(self) -> Iterator[str]:
        """Both axes."""
        yield chart.text(self.unit, MARGIN, HEAD + 8.0, size=SMALL, kind="faint")
        for tick, words in self.y.ticks:
            y = self.y.at(tick)
            yield svg.element("line", class_="grid", x1=self.x.start, y1=y, x2=self.x.end, y2=y)
            yield chart.text(words, self.x.start - 8.0, y + 4.0, size=SMALL, anchor="end", kind="faint")
        for tick, words in self.x.ticks:
            x = self.x.at(tick)
            yield svg.element("line", class_="grid", x1=x, y1=self.bottom, x2=x, y2=self.bottom + 5.0)
            yield chart.text(words, x, self.bottom + 18.0, size=SMALL, anchor="middle", kind="faint")
        middle = (self.x.start + self.x.end) / 2
        yield chart.text(self.measure(), middle, self.bottom + 40.0, anchor="middle", kind="faint")

    def measure(self) -> str:
        """What is written below the axis of time."""
        if self.across is Across.GAMES:
            return "games"
        days = sorted(f"{moment(point.at):%Y-%m-%d}" for line in self.lines for point in line.points)
        return f"{days[0]}, UTC" if days[0] == days[-1] else f"{days[0]} to {days[-1]}, UTC"

    def bands(self, number: int) -> Iterator[str]:
        """As far as the errors of a line reach; a bar where one is known of a single point."""
        for known, run in groupby(self.lines[number].points, lambda point: point.error is not None):
            points = list(run)
            if not known:
                continue
            upper = [self.place(point, point.error or 0.0) for point in points]
            lower = [self.place(point, -(point.error or 0.0)) for point in points]
            outline = chart.path([*upper, *reversed(lower)])
            shape = (
                svg.element("polygon", class_="band", points=outline)
                if len(points) > 1
                else svg.element("polyline", class_="line alone", points=outline)
            )
            yield svg.element("g", shape, class_=_hue(number))

    def drawn(self, number: int, label: float) -> str:
        """A line, its name at the height `label`, and what leads there."""
        line = self.lines[number]
        places = [self.place(point) for point in line.points]
        stroke = _STROKES[number // HUES % len(_STROKES)]
        leader = [places[-1], (self.x.end + 6.0, places[-1][1]), (self.swatch, label)]
        swatch = [(self.swatch, label), (self.swatch + _SWATCH, label)]
        return svg.element(
            "g",
            svg.element("title", svg.words(self.told(line))),
            svg.element("polyline", class_="leader", points=chart.path(leader)),
            svg.element("polyline", class_=stroke, points=chart.path(places)),
            svg.element("polyline", class_=stroke, points=chart.path(swatch)),
            *(
                svg.element("circle", class_="point", cx=x, cy=y, r=2.8)
                for x, y in (places if len(places) <= _DOTS else places[-1:])
            ),
            chart.text(self.names[number], self.names_start, label + 4.5),
            chart.text(self.ends[number], self.ends_start, label + 4.5, kind="faint"),
            class_=_hue(number),
        )

    def told(self, line: Line) -> str:
        """A line in words."""
        first, last = line.points[0], line.points[-1]
        begun = "" if first is last else f"from {self.told_point(first)} to "
        return f"{chart.shown(line.name)}: {begun}{self.told_point(last)}"

    def told_point(self, point: Point) -> str:
        """A point in words."""
        games = self.across is Across.GAMES
        when = chart.some(point.games, "game") if games else f"{moment(point.at):%Y-%m-%d %H:%M}"
        return f"{self.y.told_with(point.rating, point.error, sign='plus or minus')} ({when})"


def _hue(number: int) -> str:
    return f"hue{number % HUES}"


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
