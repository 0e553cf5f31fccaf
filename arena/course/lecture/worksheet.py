"""A worksheet: one exercise on paper with its key, ready to be drawn.

The modules of the kinds make it, `exercise_sheet.py` draws it. It is a value: nothing in it depends on the way in which
it is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from adsearch.pictures.tree_picture import Picture

Figure = Picture | str
"""A tree, or lines of a table or a program, which are drawn with letters of one width."""


@dataclass(frozen=True, slots=True)
class Worksheet:
    """One exercise and its key."""

    title: str
    task: str
    """The task in a few sentences."""
    sheet: tuple[Figure, ...]
    """The figures without the solution."""
    key: tuple[Figure, ...]
    answers: tuple[tuple[str, str], ...]
    """Each question with its answer."""
    note: str = ""
    """A note on how to read the key; may be empty."""
    description: dict[str, Any] | None = None
    """The tree, as `tree:file=...` reads it; None for an exercise without a tree."""


def title_of(kind: str, seed: int, student: str, what: str = "tree") -> str:
    """The title on one line: with the student, or with the seed."""
    return f"Exercise: {kind}, {student or f'{what} {seed}'}"


def table(rows: list[tuple[str, ...]]) -> str:
    """The rows as lines, in columns that are aligned right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows)
