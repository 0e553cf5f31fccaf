"""Curves over the plies of a game: what the players thought of it, and their clocks.

Each seat has its own stroke and its name beside its curve. A page may move the mark of the ply that it shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.ratings.plots.line_plot import Layout, Line, LinePlot, finite

_LAYOUT: Final = Layout(width=480.0, height=140.0, names=110.0, dots=40)
_HUGE: Final = 1e6
"""Larger values stand for a certain end: they are drawn at the edge."""


def on_one_axis(lines: Sequence[Line]) -> bool:
    """Whether these lines can be read together: none is so small that it would lie along the axis."""
    most = [max((abs(point.y) for point in line.points if point.y), default=0.0) for line in lines]
    most = [value for value in most if value]
    return not most or max(most) <= 20 * min(most)


def plot(lines: Sequence[Line], plies: int, *, title: str, unit: str) -> str:
    """A picture of these lines over the plies of a game; nothing where there is nothing to draw."""
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
