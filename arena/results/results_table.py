"""ResultsTable: a table of results that shows itself, as text in a Python shell and as HTML in a notebook.

`arena/pages/notebook.py` writes the HTML. The text has no control characters.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adsearch.notebook import ShownInNotebook
from arena.history.words import printable

Row = Mapping[str, Any]
Columns = Mapping[str, Callable[[Row], str]]
"""The columns of a table: title -> function that returns a row's text."""


@dataclass(frozen=True, kw_only=True, repr=False)
class ResultsTable:
    """A table of results. `rows` has all fields of every row, with all digits, for programs."""

    title: str
    rows: Sequence[Row]
    """One row for each player, in order. The fields are those of the command's JSON output."""
    columns: Columns
    numbers: Collection[str]
    """The titles of the columns that are right-aligned."""
    note: str = ""
    """How to read the table."""
    picture: str = ""
    """An SVG document that shows the same; empty if there is none."""

    def __repr__(self) -> str:
        cells = [[printable(text(row)) for text in self.columns.values()] for row in self.rows]
        lines = [[*self.columns], *cells]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        sides = [">" if title in self.numbers else "<" for title in self.columns]
        texts = [
            "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(line, sides, widths, strict=True))
            for line in lines
        ]
        table = "\n".join(text.rstrip() for text in texts) if self.rows else "nothing yet"
        return "\n\n".join(filter(None, (printable(self.title), table, self.note)))

    def _repr_html_(self) -> str | None:
        """The table as a notebook shows it, with its picture below."""
        return ShownInNotebook.write_html(self)
