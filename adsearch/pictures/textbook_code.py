"""Textbook code: each search as a few lines of Python, and which lines belong to an event of its trace.

A page shows the code beside the tree, and marks the lines of each step. The code is short: it has no time limit and no
depth. A leaf is a position where the game is over or where the depth ends. A test runs the code: it visits the same
nodes, and runs the same lines, as the trace of the real search says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from adsearch.pictures.textbook_texts import TAG, text_of

LEGEND: Final = (
    "A leaf is a position where the game is over, or where the search depth ends. "
    "Its utility is then the game's utility, or an estimate."
)

_TABLE: Final = "table"
"""Tag of the lines about a table; they are shown only if a value came from a table."""


@dataclass(frozen=True, slots=True)
class TextbookCode:
    """The code of a search: its lines, and for each tag the numbers of its lines (from 0)."""

    lines: tuple[str, ...]
    tags: Mapping[str, tuple[int, ...]]

    def find(self, who: str, role: str) -> tuple[int, ...]:
        """The lines with the tag `role` for a node of `who` ("max", "min", "chance"), or for any node."""
        return self.tags.get(f"{who} {role}") or self.tags.get(role, ())


def code_of(algorithm: str, options: Mapping[str, Any], *, table: bool = False) -> TextbookCode | None:
    """The code of an algorithm with these options; None if there is none. `table`: with the lines about a table."""
    text = text_of(algorithm, options)
    return None if text is None else _read(text if table else _without_table(text))


def _without_table(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.rstrip().endswith(TAG + _TABLE))


def _read(text: str) -> TextbookCode:
    """The code without its tags; one empty line before each function but the first."""
    lines: list[str] = []
    tags: dict[str, list[int]] = {}
    for line in text.splitlines():
        code, _, tagged = line.partition(TAG)
        if not code:
            continue
        if code.startswith("def ") and lines:
            lines.append("")
        for tag in filter(None, tagged.split(", ")):
            tags.setdefault(tag, []).append(len(lines))
        lines.append(code)
    return TextbookCode(tuple(lines), {tag: tuple(numbers) for tag, numbers in tags.items()})
