"""A dot plot of ratings: one line per player, with a dot at the rating and an error bar.

Each line has, from left to right: rank, name, dot, rating, mark. The lines keep the order of the input.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct

from adsearch.pictures import svg
from arena.ratings.plots import chart
from arena.ratings.plots.chart import GAP, HEAD, MARGIN, SIZE, SMALL, Axis, ratings_axis

_PLOT: Final = 400.0
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
        self.axis = ratings_axis([(row.rating, row.error) for row in rows], start, start + _PLOT)
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
