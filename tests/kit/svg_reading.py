"""Reads a board's SVG: the place of everything drawn, groups and paths included."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree.ElementTree import Element, fromstring

from adsearch.pictures.svg import width_of

SVG = "{http://www.w3.org/2000/svg}"
_TRANSLATED = re.compile(r"translate\((-?[\d.]+) (-?[\d.]+)\)")
_COORDINATES = {"M": 2, "L": 2, "l": 2, "H": 1, "h": 1, "V": 1, "v": 1, "a": 7, "A": 7, "C": 6, "z": 0}
"""How many numbers follow each command of a path."""
_STEP = re.compile(r"([MLlHhVvaACz])([^MLlHhVvaACz]*)")
_NUMBER = re.compile(r"-?[\d.]+")


class Seen(NamedTuple):
    """An element, and where the picture has its origin for it."""

    element: Element
    x: float
    y: float
    captioned: bool
    """Whether it is part of the caption."""

    @property
    def kind(self) -> str:
        """Its name: rect, text, ..."""
        return self.element.tag.removeprefix(SVG)

    @property
    def classes(self) -> list[str]:
        """Its classes."""
        return self.element.get("class", "").split()


class Box(NamedTuple):
    """The room that something takes."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        """Whether both have room in common."""
        beside = self.right <= other.left or other.right <= self.left
        return not (beside or self.bottom <= other.top or other.bottom <= self.top)


def seen(picture: str) -> list[Seen]:
    """All that is drawn. What is not well-formed cannot be read."""
    picture.encode("utf-8")
    return list(_walk(fromstring(picture), 0.0, 0.0, captioned=False))


def _walk(parent: Element, x: float, y: float, *, captioned: bool) -> Iterator[Seen]:
    for element in parent:
        moved = _TRANSLATED.fullmatch(element.get("transform", "translate(0 0)"))
        assert moved, element.get("transform")
        right, down = x + float(moved[1]), y + float(moved[2])
        inside = captioned or element.get("class") == "caption"
        if element.get("opacity") != "0":
            yield Seen(element, right, down, inside)
        yield from _walk(element, right, down, captioned=inside)


def box(one: Seen) -> Box | None:
    """Where it is; None for what is not drawn itself."""
    get = one.element.get

    def number(name: str) -> float:
        return float(get(name, "0"))

    if one.kind == "text":
        words, size = one.element.text or "", float(get("font-size", "14"))
        width = width_of(words, size) if "mono" not in one.classes else 0.6 * size * len(words)
        left = number("x") - {"start": 0.0, "middle": width / 2, "end": width}[get("text-anchor") or "middle"]
        places = [(left, number("y") - 0.75 * size), (left + width, number("y") + 0.1 * size)]
    elif one.kind == "rect":
        places = [(number("x"), number("y")), (number("x") + number("width"), number("y") + number("height"))]
    elif one.kind == "circle":
        x, y, r = number("cx"), number("cy"), number("r")
        places = [(x - r, y - r), (x + r, y + r)]
    elif one.kind == "line":
        places = [(number("x1"), number("y1")), (number("x2"), number("y2"))]
    elif one.kind == "polygon":
        places = [tuple(map(float, corner.split(",")))[:2] for corner in get("points", "").split()]  # type: ignore[misc]
    elif one.kind == "path":
        places = list(steps(get("d", "")))
    else:
        return None
    xs, ys = [one.x + x for x, _ in places], [one.y + y for _, y in places]
    return Box(min(xs), min(ys), max(xs), max(ys))


def steps(path: str) -> Iterator[tuple[float, float]]:
    """The places that a path leads to; of an arc and a curve their ends."""
    x = y = 0.0
    for command, numbers in _STEP.findall(path):
        given = list(map(float, _NUMBER.findall(numbers)))
        assert len(given) == _COORDINATES[command], path
        if command in "MLAC":
            x, y = given[-2:]
        elif command in "HV":
            x, y = (given[0], y) if command == "H" else (x, given[0])
        elif command in "la":
            x, y = x + given[-2], y + given[-1]
        else:
            x, y = x + (given[0] if command == "h" else 0.0), y + (given[0] if command == "v" else 0.0)
        yield x, y
