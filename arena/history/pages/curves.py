"""Line plots over the plies of a game: the players' reported values, and their clocks.

Each seat has its own line style, with its name beside the line. A page can move the cursor to the ply that it shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.ratings.plots.line_plot import Layout, Line, LinePlot, finite

_LAYOUT: Final = Layout(width=480.0, height=140.0, names=110.0, dots=40)
_HUGE: Final = 1e6
"""Largest value on the axis. Larger values mean a certain win or loss; they are drawn at the edge."""


def on_one_axis(lines: Sequence[Line]) -> bool:
    """Whether the lines are readable on one axis: their largest values differ by a factor of at most 20."""
    most = [max((abs(point.y) for point in line.points if point.y), default=0.0) for line in lines]
    most = [value for value in most if value]
    return not most or max(most) <= 20 * min(most)


def plot(lines: Sequence[Line], plies: int, *, title: str, unit: str) -> str:
    """A plot of these lines over the plies of a game; empty if there are no points."""
    drawn = finite(lines)
    if not drawn:
        return ""
    values = [(point.y, None) for line in drawn for point in line.points if abs(point.y) <= _HUGE]
    picture = LinePlot(
        drawn,
        _LAYOUT,
        x_label="ply",
        when=("ply", "plies"),
        x_range=(0.0, float(max(plies, 1))),
        y_range=values or [(-_HUGE, None), (_HUGE, None)],
        unit=unit,
    )
    return picture.document(title, f"{'; '.join(map(picture.in_words, drawn))}.", cursor=True)
