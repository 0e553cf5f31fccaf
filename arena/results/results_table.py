"""ResultsTable: a table of results that shows itself, as text in a Python shell and as HTML in a notebook.

All texts are made harmless: text has no control characters, HTML is escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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

    def _cells(self) -> list[list[str]]:
        return [[printable(text(row)) for text in self.columns.values()] for row in self.rows]

    def __repr__(self) -> str:
        lines = [[*self.columns], *self._cells()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        sides = [">" if title in self.numbers else "<" for title in self.columns]
        texts = [
            "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(line, sides, widths, strict=True))
            for line in lines
        ]
        table = "\n".join(text.rstrip() for text in texts) if self.rows else "nothing yet"
        return "\n\n".join(filter(None, (printable(self.title), table, self.note)))

    def _repr_html_(self) -> str:
        """The table as a notebook shows it, with its picture below."""
        from adsearch.pictures import html  # here: it loads the drawing of trees, and commands show text

        if not self.rows:
            return html.element("p", html.words(f"{self.title}: nothing yet"))
        note = html.element("p", html.words(self.note)) if self.note else ""
        picture = html.image(self.picture) if self.picture else ""
        return html.element(
            "div", html.table(self.title, [*self.columns], self._cells(), numbers=self.numbers), note, picture
        )
