"""Reads a plot's SVG: its elements, and the area of each text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple
from xml.etree import ElementTree

from arena.ratings.chart import width_of

SVG = "{http://www.w3.org/2000/svg}"
AWKWARD = (
    "<script>alert(1)</script>",
    "]]>&amp;\"'",
    "mal\x1b[31mlory\n\t\u202e\x00\ud800",
    "素人の将棋エージェントは強いですよね本当に強い",
    "W" * 64,
    "mcts:seconds=0.02,exploration=1.41,seed=12345678",
    " ",
    "a",
)
"""Names that break markup, lines, columns and terminals."""


class Box(NamedTuple):
    """The room that a text takes."""

    words: str
    left: float
    right: float
    top: float
    bottom: float


def drawn(picture: str) -> ElementTree.Element:
    """The picture as it is read; what is not well-formed cannot be."""
    picture.encode("utf-8")
    return ElementTree.fromstring(picture)


def texts(root: ElementTree.Element) -> list[str]:
    """Everything that is written."""
    return [text.text or "" for text in root.iter(SVG + "text")]


def boxes(root: ElementTree.Element) -> Iterator[Box]:
    """Where everything is written."""
    for text in root.iter(SVG + "text"):
        words, size = text.text or "", float(text.get("font-size", "13"))
        x, y, width = float(text.get("x", "nan")), float(text.get("y", "nan")), width_of(words, size)
        left = x - {"start": 0.0, "middle": width / 2, "end": width}[text.get("text-anchor", "start")]
        yield Box(words, left, left + width, y - 0.8 * size, y + 0.25 * size)


def check_room(root: ElementTree.Element) -> None:
    """Fails where two texts overlap, or something is outside the picture."""
    width, height = float(root.get("width", "nan")), float(root.get("height", "nan"))
    found = list(boxes(root))
    for box in found:
        assert 0 <= box.left <= box.right <= width, box
        assert 0 <= box.top <= box.bottom <= height, box
    for one, other in combinations(found, 2):
        apart = one.right <= other.left or other.right <= one.left or one.bottom <= other.top or other.bottom <= one.top
        assert apart, (one, other)
    for x, y in places(root):
        assert 0 <= x <= width, x
        assert 0 <= y <= height, y


def places(root: ElementTree.Element) -> Iterator[tuple[float, float]]:
    """The corners of everything drawn."""
    for line in root.iter(SVG + "line"):
        yield float(line.get("x1", "nan")), float(line.get("y1", "nan"))
        yield float(line.get("x2", "nan")), float(line.get("y2", "nan"))
    for circle in root.iter(SVG + "circle"):
        yield float(circle.get("cx", "nan")), float(circle.get("cy", "nan"))
    for shape in (*root.iter(SVG + "polyline"), *root.iter(SVG + "polygon")):
        for corner in shape.get("points", "").split():
            x, _, y = corner.partition(",")
            yield float(x), float(y)


def classed(root: ElementTree.Element, kind: str, name: str) -> list[ElementTree.Element]:
    """The elements of a kind that have this class."""
    return [element for element in root.iter(SVG + kind) if name in element.get("class", "").split()]
