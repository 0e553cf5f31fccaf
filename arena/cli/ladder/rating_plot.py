"""A rating over time as text: one column for each part of the time, one row for each part of the scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from arena.history.words import moment

if TYPE_CHECKING:
    from db.ladder import RatingPoint


def rating_plot(points: Sequence[RatingPoint], *, width: int, height: int) -> list[str]:
    """The lines of the plot; `points` are in the order of their times, and there is at least one.

    A column shows the last rating before its end; ratings change only where there is a point."""
    first, last = points[0].time, points[-1].time
    span = (last - first).total_seconds()
    low, high = (round(end(point.rating for point in points)) for end in (min, max))
    labels = len(str(low)), len(str(high))
    columns = max(1, width - max(labels) - 2) if span else 1
    rows = height if high > low else 1
    lines = [[" "] * columns for _ in range(rows)]
    at = 0
    for column in range(columns):
        while at + 1 < len(points) and _column(points[at + 1], points[0], span, columns) <= column:
            at += 1
        share = (points[at].rating - low) / (high - low) if high > low else 0.0
        lines[min(rows - 1, max(0, round((1.0 - share) * (rows - 1))))][column] = "*"
    named = {0: str(high), rows - 1: str(low)}
    plot = [f"{named.get(row, ''):>{max(labels)}} |{''.join(line).rstrip()}" for row, line in enumerate(lines)]
    times = f"{moment(first)}" if not span else f"{moment(first)} to {moment(last)}"
    return [*plot, f"{'':>{max(labels)}}  {times}"]


def _column(point: RatingPoint, first: RatingPoint, span: float, columns: int) -> int:
    """The column of a time."""
    passed = (point.time - first.time).total_seconds()
    return round(passed / span * (columns - 1)) if span else 0
