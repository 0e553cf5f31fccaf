"""Line plots over the plies of a game: the players' reported values, their clocks, and the values of our analysis.

Each seat has its own line style, with its name beside the line. A page can move the cursor to the ply that it shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import structs

from arena.history import words
from arena.ratings.plots import value_plot
from arena.ratings.plots.line_plot import Layout, Line, LinePlot, Point, finite
from db.records import JudgedPly

_LAYOUT: Final = Layout(width=352.0, height=140.0, names=95.0, dots=40)
_JUDGED: Final = structs.replace(_LAYOUT, dots=0)
"""The analysis has a dot for each mistake only."""
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


def judged_values(
    plies: Sequence[JudgedPly],
    players: Sequence[str],
    *,
    bounds: tuple[float, float] | None = None,
    title: str = "",
) -> str:
    """The plot of an analysis: the value after each ply, and a dot for each mistake. `bounds`: the least and the
    greatest utility of the game, if known; `title`: that of a plot on the page of the game, which has a cursor."""
    two = len(players) == 2
    first = plies[0]
    lines = []
    for seat in [0] if len(players) < 3 else range(len(players)):
        points = [Point(first.ply - 1, first.before.values[seat])] if first.before.known else []
        points += [Point(ply.ply, ply.after.values[seat]) for ply in plies if ply.after.known]
        lines.append(Line(players[seat], tuple(points)))
    mistakes = [
        value_plot.Mistake(
            ply.ply,
            ply.after.values[0 if two else ply.who],
            ply.who,
            ply.mark == "??",
            f"{ply.ply}{ply.mark} {words.mistake(ply, players)}",
        )
        for ply in plies
        if ply.mark and isinstance(ply.who, int) and ply.after.known
    ]
    narrow = bounds if bounds is not None and bounds[1] - bounds[0] <= 20 else None
    sides = (players[0], players[1]) if two else None
    if title:
        return value_plot.values(lines, mistakes, title=title, sides=sides, bounds=narrow, layout=_JUDGED, cursor=True)
    return value_plot.values(lines, mistakes, title=" - ".join(players), sides=sides, bounds=narrow)
