"""Axes with round ticks, for numbers and for counts.

Only arithmetic: nothing is drawn here. Ticks are far enough apart for their labels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from arena.ratings.plots.chart import SMALL, width_of


@dataclass(frozen=True, slots=True)
class Axis:
    """A linear scale from values to pixels."""

    low: float
    high: float
    start: float
    """The position of `low`, in pixels."""
    end: float
    """The position of `high`, in pixels."""
    ticks: tuple[tuple[float, str], ...]
    digits: int = 0
    """Decimal places of values that are written on the plot."""

    def at(self, value: float) -> float:
        """The position of `value`, in pixels; values outside of the axis are at its end."""
        inside = min(max(value, self.low), self.high)
        return self.start + (inside - self.low) / (self.high - self.low) * (self.end - self.start)

    def text(self, value: float) -> str:
        """A value with the axis's number of decimal places."""
        return _figure(value, self.digits)

    def text_with_error(self, value: float, error: float | None, *, sign: str) -> str:
        """A value with its error, if the error is known."""
        return self.text(value) if error is None else f"{self.text(value)} {sign} {self.text(error)}"


def ratings_axis(ratings: Sequence[tuple[float, float | None]], start: float, end: float) -> Axis:
    """An axis for these ratings and their errors, with a tick at each end."""
    low, high = _extent(ratings)
    if high - low < 1e-6:  # all ratings are equal
        low, high = low - 50.0, high + 50.0
    for most in (7, 5, 3, 2):
        axis = _round_axis(low, high, start, end, most=most)
        room = abs(end - start) / (len(axis.ticks) - 1)
        if all(width_of(words, SMALL) + 6.0 <= room for _, words in axis.ticks):
            break
    return axis


def counts_axis(low: float, high: float, start: float, end: float) -> Axis:
    """An axis of whole numbers from `low` to `high`."""
    if low == high:
        low, high = max(0.0, low - 1.0), high + 1.0
    room = width_of(_figure(high, 0), SMALL) + 24.0
    step = max(1.0, _step((high - low) * room / (end - start)))
    return Axis(low, high, start, end, tuple((tick, _figure(tick, 0)) for tick in _multiples(low, high, step)))


def _round_axis(low: float, high: float, start: float, end: float, *, most: int) -> Axis:
    """An axis from `low` to `high` with a tick at each end and about `most` ticks in total."""
    step = _step((high - low) / most)
    multiples = range(math.floor(low / step), math.ceil(high / step) + 1)
    ticks = tuple((number * step, _figure(number * step, -_power(step))) for number in multiples)
    return Axis(ticks[0][0], ticks[-1][0], start, end, ticks, max(0, 1 - _power(step)))


def _extent(ratings: Sequence[tuple[float, float | None]]) -> tuple[float, float]:
    """The range of the axis: all ratings and errors, but large errors are cut so that ratings stay distinguishable."""
    least, most = min(rating for rating, _ in ratings), max(rating for rating, _ in ratings)
    errors = [error for _, error in ratings if error is not None and math.isfinite(error)]
    room = max((most - least) / 4, 3.0 * median(errors)) if errors else 0.0
    low = min(rating - (error or 0.0) for rating, error in ratings)
    high = max(rating + (error or 0.0) for rating, error in ratings)
    return max(low, least - room), min(high, most + room)


def _multiples(low: float, high: float, step: float) -> list[float]:
    return [number * step for number in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _step(rough: float) -> float:
    """The smallest number of the form 1, 2 or 5 times a power of ten that is at least `rough`."""
    power = 10.0 ** _power(rough)
    return next((step * power for step in (1.0, 2.0, 5.0) if step * power >= rough), 10.0 * power)


def _power(number: float) -> int:
    """The exponent of the number's power of ten."""
    return math.floor(math.log10(number) + 1e-9)


def _figure(value: float, digits: int) -> str:
    """A number with a real minus sign (U+2212)."""
    if not math.isfinite(value):
        return "∞"
    written = f"{round(value, max(0, digits)) + 0.0:.{max(0, digits)}f}"  # + 0.0 turns -0.0 into 0.0
    return written.replace("-", "−")
