"""An exercise as a picture to print: the task in words, the tree, and the answers or room for them.

`adsearch/pictures/tree_drawing.py` draws the tree; this module adds the text above and below it.
"""

from __future__ import annotations

import re
import textwrap
from typing import Final

from adsearch.pictures import svg, tree_drawing
from adsearch.pictures.tree_picture import Picture
from arena.course.lecture.exercise import Exercise

BLANK: Final = "_" * 24
_LEAST_WIDTH: Final = 640.0
_MARGIN: Final = 24.0
_LINE: Final = 20.0
_ANSWER: Final = 28.0
_LETTER: Final = 7.2
"""Approximate width of a letter of the task, in pixels."""
_COLUMNS: Final = 78
"""Width of a line in a terminal, in characters."""

_STYLE: Final = """
.sheet { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 14px; }
.sheet .paper { fill: #ffffff; }
.sheet .words { fill: #1f2328; }
.sheet .title { font-size: 18px; font-weight: bold; }
""".strip()
_DARK: Final = """
.sheet .paper { fill: #0d1117; }
.sheet .words { fill: #e6edf3; }
""".strip()


def drawn(exercise: Exercise, *, solved: bool) -> str:
    """The sheet, or the key, as SVG."""
    picture = exercise.key() if solved else exercise.sheet()
    tree = tree_drawing.as_svg(picture)
    width, height = _size_of(tree)
    page = max(width + 2 * _MARGIN, _LEAST_WIDTH)
    parts = [_text(picture.title, _MARGIN + 14, "words title")]
    y = _MARGIN + 14 + 1.5 * _LINE
    for line in _wrapped(exercise.task, page):
        parts.append(_text(line, y))
        y += _LINE
    # The tree is an SVG element inside this SVG, at its place.
    parts.append(tree.replace("<svg ", f'<svg x="{svg.number((page - width) / 2)}" y="{svg.number(y)}" ', 1))
    y += height + _LINE
    note = _wrapped(exercise.note, page) if solved else []
    for line in note:
        parts.append(_text(line, y))
        y += _LINE
    y += _LINE / 2 if note else 0.0
    for question, answer in exercise.answers():
        parts.append(_text(f"{question}: {answer if solved else BLANK}", y))
        y += _ANSWER
    return svg.document(
        page,
        y,
        *parts,
        kind="sheet",
        title=picture.title,
        description=f"{exercise.task} {picture.description if solved else ''}".strip(),
        style=_STYLE,
        dark=_DARK,
    )


def as_text(exercise: Exercise, *, solved: bool) -> str:
    """The sheet, or the key, for a terminal."""
    picture: Picture = exercise.key() if solved else exercise.sheet()
    answers = [f"{question}: {answer if solved else BLANK}" for question, answer in exercise.answers()]
    note = [textwrap.fill(exercise.note, _COLUMNS), ""] if solved and exercise.note else []
    task = textwrap.fill(exercise.task, _COLUMNS)
    return "\n".join([picture.title, "", task, "", tree_drawing.as_text(picture), "", *note, *answers])


def _wrapped(words: str, page: float) -> list[str]:
    return textwrap.wrap(words, int((page - 2 * _MARGIN) / _LETTER))


def _text(words: str, y: float, kind: str = "words") -> str:
    return svg.element("text", svg.words(words), class_=kind, x=_MARGIN, y=y)


def _size_of(picture: str) -> tuple[float, float]:
    """The width and height attributes of an SVG."""
    width, height = re.findall(r' (?:width|height)="([0-9.]+)"', picture.partition(">")[0])
    return float(width), float(height)
