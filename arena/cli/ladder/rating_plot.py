"""A rating over time as text: one column for each part of the time, one row for each part of the scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from arena.history.words import moment

if TYPE_CHECKING:
    from db.ladder import RatingPoint


def rating_plot(points: Sequence[RatingPoint], *, width: int, height: int) -> list[str]:
    """The lines of the plot; `points` are in the order of their times, and there is at least one.

    A column shows the last rating at its time."""
    first, last = points[0].time, points[-1].time
    low, high = (round(end(point.rating for point in points)) for end in (min, max))
    label = max(len(str(low)), len(str(high)))
    columns = max(1, width - label - 2) if last > first else 1
    rows = height if high > low else 1
    lines = [[" "] * columns for _ in range(rows)]
    at = 0
    for column in range(columns):
        while at + 1 < len(points) and (points[at + 1].time - first) * (columns - 1) <= (last - first) * column:
            at += 1
        share = (high - points[at].rating) / (high - low) if high > low else 0.0
        lines[min(rows - 1, max(0, round(share * (rows - 1))))][column] = "*"
    named = {0: str(high), rows - 1: str(low)}
    plot = [f"{named.get(row, ''):>{label}} |{''.join(line).rstrip()}" for row, line in enumerate(lines)]
    times = moment(first) if last == first else f"{moment(first)} to {moment(last)}"
    return [*plot, f"{'':>{label}}  {times}"]
