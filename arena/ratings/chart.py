"""The common parts of all plots: colours, texts and their widths, axes with round ticks. Each plot makes its own
layout and calls `document`. All texts are put on one line, without invisible characters and without characters that
change the direction of reading; long texts are shortened.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from adsearch.pictures import svg

SIZE: Final = 13.0
"""Font size, in pixels."""
SMALL: Final = 11.0
_LARGE: Final = 15.0
MARGIN: Final = 20.0
GAP: Final = 12.0
"""Space between columns, in pixels."""
HEAD: Final = 44.0
"""Top of the area below the title, in pixels."""

HUES: Final = 6
"""Number of line colours. They are distinguishable in light and dark mode, also with colour blindness."""

LIGHT: Final = """
.chart { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 13px; }
.chart .paper { fill: #ffffff; }
.chart text { fill: #1f2328; font-variant-numeric: tabular-nums; }
.chart .heading { font-weight: 600; }
.chart .faint { fill: #59636e; }
.chart .grid { stroke: #d8dee4; stroke-width: 1px; }
.chart .guide { stroke: #d8dee4; stroke-width: 1px; stroke-dasharray: 1 4; }
.chart .error { stroke: #4493f8; stroke-width: 2px; fill: none; }
.chart .dot { fill: #0550ae; stroke: #0550ae; stroke-width: 1.6px; }
.chart .dot.marked { fill: #ffffff; }
.chart .line { stroke: currentColor; stroke-width: 2px; fill: none; stroke-linejoin: round; }
.chart .dashed { stroke-dasharray: 8 4; }
.chart .dotted { stroke-dasharray: 2 4; }
.chart .leader { stroke: currentColor; stroke-width: 1px; fill: none; stroke-dasharray: 1 3; }
.chart .point { fill: currentColor; }
.chart .band { fill: currentColor; opacity: 0.14; }
.chart .alone { opacity: 0.4; }
.chart .hue0 { color: #0072b2; }
.chart .hue1 { color: #d55e00; }
.chart .hue2 { color: #9900ff; }
.chart .hue3 { color: #550033; }
.chart .hue4 { color: #bb7777; }
.chart .hue5 { color: #000077; }
""".strip()

DARK: Final = """
.chart .paper { fill: #0d1117; }
.chart text { fill: #e6edf3; }
.chart .faint { fill: #9198a1; }
.chart .grid { stroke: #2b323b; }
.chart .guide { stroke: #3d444d; }
.chart .error { stroke: #316dca; }
.chart .dot { fill: #79c0ff; stroke: #79c0ff; }
.chart .dot.marked { fill: #0d1117; }
.chart .band { opacity: 0.2; }
.chart .hue0 { color: #56b4e9; }
.chart .hue1 { color: #ff8c42; }
.chart .hue2 { color: #33ff99; }
.chart .hue3 { color: #bbdddd; }
.chart .hue4 { color: #999977; }
.chart .hue5 { color: #ffdd00; }
""".strip()


def document(width: float, height: float, *body: str, title: str, description: str) -> str:
    """A whole SVG picture, with its title at the top."""
    heading = shortened(title, _LARGE * 1.1, width - 2 * MARGIN)
    return svg.document(
        width,
        height,
        text(heading, MARGIN, MARGIN + 10.0, size=_LARGE, kind="heading"),
        *body,
        kind="chart",
        title=shown(title),
        description=description,
        style=LIGHT,
        dark=DARK,
    )


def nothing(title: str, what: str = "no ratings yet") -> str:
    """A picture that says that there is no data."""
    body = text(what, MARGIN, HEAD + 16.0, kind="faint")
    return document(400.0, 80.0, body, title=title, description=f"There are {what}.")


def text(words: str, x: float, y: float, *, size: float = SIZE, anchor: str = "", kind: str = "") -> str:
    """A text with its baseline at `y`."""
    if not words:
        return ""
    font = "" if size == SIZE else size
    return svg.element("text", svg.words(words), class_=kind, x=x, y=y, font_size=font, text_anchor=anchor)


def path(places: Sequence[tuple[float, float]]) -> str:
    """The value of the attribute `points` of a polygon or polyline."""
    return " ".join(f"{svg.number(x)},{svg.number(y)}" for x, y in places)


def shown(words: str) -> str:
    """`words` on one line; every character that is not printable becomes U+FFFD."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in words)


def width_of(words: str, size: float) -> float:
    """An upper estimate of the width of `words`: names can be in capitals."""
    more = sum(0.4 if letter in "mwMW@%…—" else 0.16 if letter.isupper() else 0.02 for letter in words)
    return svg.width_of(words, size) + more * size


def widest(texts: Iterable[str], size: float) -> float:
    """The width of the widest text."""
    return max(width_of(words, size) for words in texts)


def shortened(words: str, size: float, room: float) -> str:
    """`words` as `shown`, cut in the middle if they are too wide: names with options differ at the end."""
    plain = shown(words)
    if width_of(plain, size) <= room:
        return plain
    kept = min(len(plain) - 1, int(room / (0.3 * size)))  # the narrowest letters have this width
    while kept > 1 and width_of(_without_middle(plain, kept), size) > room:
        kept -= 1
    return _without_middle(plain, kept)


def _without_middle(words: str, kept: int) -> str:
    return f"{words[: kept - kept // 2]}…{words[len(words) - kept // 2 :]}"


def some(count: int, one: str, many: str = "") -> str:
    """A count with its noun: "1 player", "3 players"."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


# Axes with round ticks, for numbers and for counts.


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
