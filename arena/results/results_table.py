"""ResultsTable: a table of results that shows itself, as text in a Python shell and as HTML in a notebook.

`arena/pages/notebook.py` writes the HTML. The text has no control characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from adsearch.notebook import ShownInNotebook
from arena.history.words import printable
from arena.results.columns import Column, document


@dataclass(frozen=True, kw_only=True, repr=False)
class ResultsTable:
    """A table of results. `rows` has all fields of every row, with all digits, for programs."""

    title: str
    listed: Sequence[Any]
    """One row for each player, in order."""
    fields: Sequence[Column[Any]]
    """All columns of the listing."""
    columns: Sequence[Column[Any]]
    """Those of the table."""
    note: str = ""
    """How to read the table."""
    picture: str = ""
    """An SVG document that shows the same; empty if there is none."""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The fields of the command's JSON output, for each player."""
        return [document(row, self.fields) for row in self.listed]

    def __repr__(self) -> str:
        titles = [one.title or one.name for one in self.columns]
        lines = [titles, *([printable(one.said(row)) for one in self.columns] for row in self.listed)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        sides = [">" if one.number else "<" for one in self.columns]
        texts = [
            "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(line, sides, widths, strict=True))
            for line in lines
        ]
        table = "\n".join(text.rstrip() for text in texts) if self.listed else "nothing yet"
        return "\n\n".join(filter(None, (printable(self.title), table, self.note)))

    def _repr_html_(self) -> str | None:
        """The table as a notebook shows it, with its picture below."""
        return ShownInNotebook.write_html(self)
