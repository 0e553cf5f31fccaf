"""The progress plot: a line over the versions of each agent, with error bands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from arena.ratings.plots import chart
from arena.ratings.plots.line_plot import Layout, Line, LinePlot, Point

if TYPE_CHECKING:
    from arena.ratings.progress import VersionRating

_LAYOUT: Final = Layout(plot=500.0, height=300.0, font=chart.SIZE, names=200.0, dots=30)


def of_versions(name: str, versions: Sequence[VersionRating]) -> Line:
    """The line of the agent `name`: a point for each version, at the version's number."""
    return Line(name, tuple(Point(int(one.version.rpartition("@")[2]), one.rating, one.error) for one in versions))


def progress(
    lines: Iterable[Line], *, title: str, unit: str = "Elo", when: tuple[str, str] = ("version", "versions")
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
        _LAYOUT,
        x_label=when[0],
        when=when,
        x_range=(min(numbers), max(numbers)),
        y_range=[(point.y, point.error) for point in points],
        unit=unit,
        with_values=True,
    )
    lines_in_words = "; ".join(map(plot.in_words, drawn))
    return plot.document(title, f"{chart.some(len(drawn), 'line')}, in {plot.unit}. {lines_in_words}.")
