"""SVG plots: ratings of players with error bars, ratings of versions over time, and the value of a game ply by ply.

Values in, SVG out. The description of each plot has its data as text, and colour is never the only difference between
two things. What all plots share is in `chart.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import isfinite
from statistics import fmean
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from adsearch.pictures import svg
from arena.ratings import chart
from arena.ratings.chart import GAP, HEAD, HUES, MARGIN, SIZE, SMALL, Axis, counts_axis, ratings_axis

if TYPE_CHECKING:
    from arena.ratings.ranking import Ranking
    from arena.ratings.recorded import VersionRating

# The dot plot of ratings: one line per player, in the order of the input, with a dot at the rating and an error bar.
# Each line has, from left to right: rank, name, dot, rating, mark.


_DOTS_WIDTH: Final = 400.0
"""Width of the plot area, in pixels."""
_NAMES: Final = 230.0
"""Most width of a name, in pixels."""
_MARKS: Final = 120.0
_TALL: Final = 600.0
"""Height in pixels above which a plot has tick labels at the top and at the bottom."""


class RatingBar(Struct, frozen=True):
    """A player in the dot plot."""

    name: str
    rating: float
    """Finite."""
    error: float | None
    """Half the width of the error bar; None: not known."""
    mark: str
    """A note on this rating, such as "anchor"; empty for none."""
    rank: int | None
    """None for an anchor of a ladder."""
    pool: str = ""
    """Only ratings within a pool can be compared."""


def ratings(rows: Sequence[RatingBar], *, title: str, unit: str = "Elo") -> str:
    """The dot plot of these ratings. Each pool starts with a gap and a label."""
    return _DotPlot(rows, unit).document(title) if rows else chart.nothing(title)


class _DotPlot:
    """A plot that is being made."""

    def __init__(self, rows: Sequence[RatingBar], unit: str) -> None:
        self.rows, self.unit = rows, chart.shown(unit)
        self.row = 24.0 if len(rows) <= 40 else 18.0
        self.several_pools = len({row.pool for row in rows}) > 1
        self.names = [chart.shortened(row.name, SIZE, _NAMES) for row in rows]
        self.marks = [chart.shortened(row.mark, SMALL, _MARKS) for row in rows]
        self.ranks_end = MARGIN + chart.widest((_rank(row) for row in rows), SIZE)
        self.names_start = self.ranks_end + GAP
        start = self.names_start + chart.widest(self.names, SIZE) + GAP
        self.axis = ratings_axis([(row.rating, row.error) for row in rows], start, start + _DOTS_WIDTH)
        self.ratings = [self.axis.text(row.rating) for row in rows]
        self.errors = ["" if row.error is None else f"± {self.axis.text(row.error)}" for row in rows]
        self.ratings_end = self.axis.end + 1.5 * GAP + chart.widest(self.ratings, SIZE)
        self.errors_start = self.ratings_end + 6.0
        self.marks_start = self.errors_start + chart.widest(self.errors, SIZE) + GAP
        self.width = self.marks_start + chart.widest(self.marks, SMALL) + MARGIN
        self.grid: list[str] = []
        self.lines: list[str] = []

    def document(self, title: str) -> str:
        """The whole plot: the grid in the background, the lines in front."""
        y = HEAD
        for number, (pool, rows) in enumerate(groupby(enumerate(self.rows), lambda numbered: numbered[1].pool)):
            if self.several_pools:
                y += 30.0 if number else 14.0
                words = chart.shortened(pool or "no pool", SIZE * 1.1, self.width - 2 * MARGIN)
                self.lines.append(chart.text(words, MARGIN, y, kind="faint heading"))
                y += 12.0
            y = self.draw_pool([place for place, _ in rows], y)
        y += 22.0
        unit = chart.text(self.unit, (self.axis.start + self.axis.end) / 2, y, anchor="middle", kind="faint")
        rows_in_words = "; ".join(map(self.in_words, self.rows))
        return chart.document(
            self.width,
            y + MARGIN,
            *self.grid,
            *self.lines,
            unit,
            title=title,
            description=f"{chart.some(len(self.rows), 'player')}, in {self.unit}. {rows_in_words}.",
        )

    def draw_pool(self, places: Sequence[int], y: float) -> float:
        """Draws the lines of these rows from `y` down, with a grid and tick labels; returns the lower end."""
        tall = len(places) * self.row > _TALL
        top = y + (16.0 if tall else 0.0)
        bottom = top + len(places) * self.row
        for tick, words in self.axis.ticks:
            x = self.axis.at(tick)
            self.grid.append(svg.element("line", class_="grid", x1=x, y1=top, x2=x, y2=bottom))
            for baseline in (top - 6.0, bottom + 16.0) if tall else (bottom + 16.0,):
                self.grid.append(chart.text(words, x, baseline, size=SMALL, anchor="middle", kind="faint"))
        for number, place in enumerate(places):
            self.lines.append(self.line(place, top + (number + 0.5) * self.row))
        return bottom + 16.0

    def line(self, place: int, y: float) -> str:
        """A player's line, with all of it in words when pointed at."""
        row, axis, baseline = self.rows[place], self.axis, y + 4.5
        return svg.element(
            "g",
            svg.element("title", svg.words(self.in_words(row))),
            svg.element("line", class_="guide", x1=axis.start, y1=y, x2=axis.end, y2=y),
            *([] if row.error is None else _error_bar(axis, row.rating, row.error, y)),
            svg.element("circle", class_="dot marked" if row.mark else "dot", cx=axis.at(row.rating), cy=y, r=4),
            chart.text(_rank(row), self.ranks_end, baseline, anchor="end", kind="faint"),
            chart.text(self.names[place], self.names_start, baseline),
            chart.text(self.ratings[place], self.ratings_end, baseline, anchor="end"),
            chart.text(self.errors[place], self.errors_start, baseline, kind="faint"),
            chart.text(self.marks[place], self.marks_start, baseline, size=SMALL, kind="faint"),
        )

    def in_words(self, row: RatingBar) -> str:
        """A player's line as text, for the description."""
        pool = f" ({chart.shown(row.pool)})" if self.several_pools and row.pool else ""
        mark = f", {chart.shown(row.mark)}" if row.mark else ""
        rating = self.axis.text_with_error(row.rating, row.error, sign="plus or minus")
        rank = "" if row.rank is None else f"{row.rank}. "
        return f"{rank}{chart.shown(row.name)}{pool}: {rating}{mark}"


def _rank(row: RatingBar) -> str:
    return "–" if row.rank is None else str(row.rank)


def _error_bar(axis: Axis, rating: float, error: float, y: float) -> Iterator[str]:
    """An error bar with caps; an arrow instead of a cap if it is longer than the axis."""
    left, right = axis.at(rating - error), axis.at(rating + error)
    yield svg.element("line", class_="error", x1=left, y1=y, x2=right, y2=y)
    for x, back, beyond in (
        (left, 5.0, rating - error < axis.low),
        (right, -5.0, rating + error > axis.high),
    ):
        corners = [(x + back, y - 4.0), (x, y), (x + back, y + 4.0)] if beyond else [(x, y - 4.0), (x, y + 4.0)]
        yield svg.element("polyline", class_="error", points=chart.path(corners))


def ranking_plot(found: Ranking, *, title: str) -> str:
    """The dot plot of all players of a ranking with a rating, with their marks in words."""
    from arena.ratings.ranking import MARKS  # late: it loads numpy

    bars = [
        RatingBar(
            player.name,
            player.rating,
            player.error,
            ", ".join(MARKS[mark] for mark in player.marks),
            player.rank,
            f"pool {player.pool}" if found.pools > 1 else "",
        )
        for player in found.players
        if player.rating is not None
    ]
    return ratings(bars, title=title, unit=found.system.unit)


# The line plot, over versions, games or plies: axes, grid, lines with error bands, names and markers. Names are at the
# ends of the lines instead of in a legend; names that would overlap are moved up or down. Lines differ by colour and by
# stroke.


_TOP: Final = HEAD + 22.0
_LEADER: Final = 22.0
"""Width of the leader, the thin line from the end of a line to its name, in pixels."""
_SWATCH: Final = 20.0
"""Length of the sample of a line beside its name, in pixels."""
_BANDS: Final = 8
"""Most lines for which error bands are drawn; more bands would hide each other. Errors are also beside the names."""
_CORNER: Final = "good for"
"""Above the name in a corner."""
_STROKES: Final = ("line", "line dashed", "line dotted")


class Point(NamedTuple):
    """A value at one point of the x axis."""

    x: float
    """The number of the version or ply, or of games played."""
    y: float
    """Finite."""
    error: float | None = None
    """Half the width of the error band; None: not known."""


class PlottedLine(Struct, frozen=True):
    """Values of one player, or of one version of it."""

    name: str
    points: tuple[Point, ...]
    """In order of x."""
    hue: int | None = None
    """The number of its colour; None: its number among the lines."""
    stroke: int | None = None
    """0 solid, 1 dashed, 2 dotted; None: from its number among the lines."""


class Marker(Struct, frozen=True):
    """A dot that marks one point of the x axis."""

    x: float
    y: float
    hue: int
    words: str
    """Its meaning, shown as a tooltip."""
    label: str = ""
    """Written above the plot if there is room. A marker with a label is an open dot."""


class Layout(Struct, frozen=True, kw_only=True):
    """The sizes of the parts of a plot, in pixels."""

    plot: float
    """The width of the plot area."""
    height: float
    """The smallest height of the plot area."""
    font: float = SMALL
    """The font size of names."""
    names: float
    """The greatest width of a name."""
    dots: int = 0
    """Most points of a line that are all drawn as dots; a longer line has a dot only at its end. 0: no dots."""


class LinePlot:
    """A plot that is being made. There must be at least one line, and every line must have points."""

    def __init__(
        self,
        lines: Sequence[PlottedLine],
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
        """`when`: the unit of the x axis, in singular and plural. `y_range`: values with their errors. `with_values`:
        show the last value beside the name. `corners`: the players for whom the top and the bottom are
        good; their names are there, and not at the lines."""
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
        names = _LEADER + swatch + chart.widest([*self.names, *([_CORNER] if corners else [])], layout.font)
        values = GAP + chart.widest(self.values, layout.font) if with_values else 0.0
        left = MARGIN + chart.widest((words for _, words in self.y.ticks), SMALL) + 8.0
        right = left + layout.plot
        self.x = counts_axis(*x_range, left, right)
        self.names_start = right + _LEADER + swatch
        self.values_start = right + names + GAP
        self.width = right + names + values + MARGIN

    def document(self, title: str, description: str, *, markers: Sequence[Marker] = ()) -> str:
        """The whole plot."""
        bands = [band for number in range(len(self.lines)) for band in self._bands(number)]
        return chart.document(
            self.width,
            self.bottom + 40.0 + MARGIN,
            *self._grid(),
            *(bands if len(self.lines) <= _BANDS else ()),
            *self._lines(),
            *map(self._marker, markers),
            *self._marker_labels(markers),
            title=title,
            description=description,
        )

    def in_words(self, line: PlottedLine) -> str:
        """A line as text, for the description: its first and its last value."""
        first, last = line.points[0], line.points[-1]
        begun = "" if first is last else f"from {self._point_in_words(first)} to "
        return f"{chart.shown(line.name)}: {begun}{self._point_in_words(last)}"

    def _point_in_words(self, point: Point) -> str:
        value = self.y.text_with_error(point.y, point.error, sign="plus or minus")
        return f"{value} ({chart.some(round(point.x), *self.when)})"

    def _place(self, point: Point, error: float = 0.0) -> tuple[float, float]:
        """The position of a point, or of the edge of its band."""
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

    def _bands(self, number: int) -> Iterator[str]:
        """The error bands of a line; an error bar for a single point."""
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
        """All lines, with names at their ends, or with the names of the corners."""
        if self.corners:
            yield from (self._line(number, None) for number in range(len(self.lines)))
            for words, baseline in zip(self.names, (_TOP + 8.0 + self.label, self.bottom), strict=True):
                above = baseline - self.label
                yield chart.text(_CORNER, self.names_start, above, size=self.layout.font, kind="faint")
                yield chart.text(words, self.names_start, baseline, size=self.layout.font)
            return
        ends = [self.y.at(line.points[-1].y) for line in self.lines]
        labels = spread(ends, self.label, _TOP + self.label / 2, self.bottom - self.label / 2)
        yield from (self._line(number, label) for number, label in enumerate(labels))

    def _line(self, number: int, label: float | None) -> str:
        """A line, with its name at the height `label` and a leader to the name."""
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
        """A dot, with a tooltip."""
        place = {"cx": self.x.at(marker.x), "cy": self.y.at(marker.y)}
        return svg.element(
            "g",
            svg.element("title", svg.words(chart.shown(marker.words))),
            svg.element("circle", class_="point", r=5.0 if marker.label else 3.5, **place),
            *([svg.element("circle", class_="paper", r=2.2, **place)] if marker.label else []),
            class_=_hue(marker.hue),
        )

    def _marker_labels(self, markers: Sequence[Marker]) -> Iterator[str]:
        """The labels of markers at the top; labels that would overlap are left out."""
        free = self.x.start
        for marker in sorted(markers, key=lambda marker: marker.x):
            half = chart.width_of(marker.label, SMALL) / 2
            x = self.x.at(marker.x)
            if marker.label and x - half >= free and x + half <= self.x.end:
                yield chart.text(marker.label, x, _TOP - 8.0, size=SMALL, anchor="middle")
                yield svg.element("line", class_="guide", x1=x, y1=_TOP - 4.0, x2=x, y2=self.y.at(marker.y))
                free = x + half + 4.0


def finite(lines: Sequence[PlottedLine]) -> list[PlottedLine]:
    """The lines with only their finite points; lines without any are left out."""
    kept = [replace(line, points=tuple(point for point in line.points if isfinite(point.y))) for line in lines]
    return [line for line in kept if line.points]


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Positions that are at least `gap` apart, between `low` and `high`, and as close as possible to `wanted`.

    There must be enough room for all of them.
    """
    order = sorted(range(len(wanted)), key=lambda number: wanted[number])
    # Isotonic regression: with the gaps subtracted, positions must only be in order. Positions that are not in order
    # are pooled at their mean.
    heaps: list[list[float]] = []
    for number, place in enumerate(order):
        heaps.append([wanted[place] - number * gap])
        while len(heaps) > 1 and fmean(heaps[-2]) >= fmean(heaps[-1]):
            last = heaps.pop()
            heaps[-1] += last
    lowest = high - (len(wanted) - 1) * gap
    packed = [min(max(fmean(heap), low), lowest) for heap in heaps for _ in heap]
    found = {place: packed[number] + number * gap for number, place in enumerate(order)}
    return [found[place] for place in range(len(wanted))]


def _hue(number: int) -> str:
    return f"hue{number % HUES}"


# The progress plot: a line over the versions of each agent, with error bands.


_PROGRESS_LAYOUT: Final = Layout(plot=500.0, height=300.0, font=chart.SIZE, names=200.0, dots=30)


def of_versions(name: str, versions: Sequence[VersionRating]) -> PlottedLine:
    """The line of the agent `name`: a point for each version, at the version's number."""
    return PlottedLine(
        name, tuple(Point(int(one.version.rpartition("@")[2]), one.rating, one.error) for one in versions)
    )


def progress(
    lines: Iterable[PlottedLine], *, title: str, unit: str = "Elo", when: tuple[str, str] = ("version", "versions")
) -> str:
    """The plot of these lines; lines without points are left out. `when`: the unit of the x axis, in singular and
    plural."""
    drawn = [line for line in lines if line.points]
    if not drawn:
        return chart.nothing(title)
    points = [point for line in drawn for point in line.points]
    numbers = [point.x for point in points]
    plot = LinePlot(
        drawn,
        _PROGRESS_LAYOUT,
        x_label=when[0],
        when=when,
        x_range=(min(numbers), max(numbers)),
        y_range=[(point.y, point.error) for point in points],
        unit=unit,
        with_values=True,
    )
    lines_in_words = "; ".join(map(plot.in_words, drawn))
    return plot.document(title, f"{chart.some(len(drawn), 'line')}, in {plot.unit}. {lines_in_words}.")


# The value of a game over its plies: a line for each player's view, and a dot for each mistake.


_VALUE_LAYOUT: Final = Layout(plot=520.0, height=240.0, names=170.0)


class MistakeMark(Struct, frozen=True):
    """A mistake of the player in `seat`."""

    ply: int
    value: float
    """The value after the mistake, in the view of the line."""
    seat: int
    grave: bool
    words: str


def values(
    lines: Sequence[PlottedLine],
    mistakes: Sequence[MistakeMark],
    *,
    title: str,
    sides: tuple[str, str] | None = None,
    bounds: tuple[float, float] | None = None,
) -> str:
    """The plot of a game's value for these players, ply by ply.

    `sides`: with one line, the player for whom up is good and the one for whom down is good. `bounds`: the smallest and
    the largest possible value, if the axis must show them."""
    drawn = finite(lines)
    if not drawn:
        return chart.nothing(title, "no moves")
    shown = [mistake for mistake in mistakes if isfinite(mistake.value)]
    seen = [0.0, *(bounds or ()), *(point.y for line in drawn for point in line.points)]
    last = max(1.0, *(line.points[-1].x for line in drawn))
    plot = LinePlot(
        drawn,
        _VALUE_LAYOUT,
        x_label="ply",
        when=("ply", "plies"),
        x_range=(0.0, last),
        y_range=[(min(seen), None), (max(seen), None)],
        corners=sides,
    )
    lines_in_words = "; ".join(f"For {plot.in_words(line)}" for line in drawn)
    mistakes_in_words = "; ".join(mistake.words for mistake in shown) or "none"
    return plot.document(
        title,
        f"The value over {chart.some(round(last), 'ply', 'plies')}. {lines_in_words}. Mistakes: {mistakes_in_words}.",
        markers=[Marker(one.ply, one.value, one.seat, one.words, f"{one.ply}??" if one.grave else "") for one in shown],
    )
