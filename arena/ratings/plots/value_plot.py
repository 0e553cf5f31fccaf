"""The value of a game over its plies: a line for each player's view, and a dot for each mistake.

For two opponents one line is enough: up is good for one player, down for the other. A grave mistake is an open dot with
its ply above it. All mistakes are also in the description.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Final

from msgspec import Struct

from arena.ratings.plots import chart
from arena.ratings.plots.line_plot import Layout, Line, LinePlot, Marker, finite

_LAYOUT: Final = Layout(plot=520.0, height=240.0, names=170.0)


class Mistake(Struct, frozen=True):
    """A mistake of the player in `seat`."""

    ply: int
    value: float
    """The value after the mistake, in the view of the line."""
    seat: int
    grave: bool
    words: str


def values(
    lines: Sequence[Line],
    mistakes: Sequence[Mistake],
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
        _LAYOUT,
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
