"""Ratings over time: a line for each version of an agent, in a band as wide as its error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from arena.ratings.plots import chart
from arena.ratings.plots.line_plot import Layout, Line, LinePlot, Point

if TYPE_CHECKING:
    from arena.ratings.progress import Moment

_LAYOUT: Final = Layout(plot=500.0, height=300.0, font=chart.SIZE, names=200.0, dots=30)


def by_version(moments: Sequence[Moment], name: Callable[[str], str] = str) -> list[Line]:
    """A line for each version, in the order in which they played; `name` makes its name of "alice@2"."""
    versions: dict[str, list[Point]] = {}
    for moment in moments:
        versions.setdefault(moment.version, []).append(Point(moment.total, moment.rating, moment.error))
    return [Line(name(version), tuple(points)) for version, points in versions.items()]


def progress(lines: Iterable[Line], *, title: str, unit: str = "Elo") -> str:
    """A picture of these lines; those without points are left out."""
    drawn = [line for line in lines if line.points]
    if not drawn:
        return chart.nothing(title)
    points = [point for line in drawn for point in line.points]
    times = [point.x for point in points]
    plot = LinePlot(
        drawn,
        _LAYOUT,
        x_label="games",
        when=("game", "games"),
        x_range=(min(times), max(times)),
        y_range=[(point.y, point.error) for point in points],
        unit=unit,
        with_values=True,
    )
    lines_in_words = "; ".join(map(plot.in_words, drawn))
    return plot.document(title, f"{chart.some(len(drawn), 'line')}, in {plot.unit}. {lines_in_words}.")
