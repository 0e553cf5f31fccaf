"""The common parts of all plots: colours, texts, and the widths of texts.

Each plot makes its own layout and calls `document`. All texts are put on one line, without invisible characters and
without characters that change the direction of reading; long texts are shortened.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
