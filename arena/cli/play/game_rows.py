"""The games that `arena play` prints as CSV or JSON: their columns, and the JSON document of each.

`arena.history.documents` decides what a document holds; this module only shortens it for a table.
"""

from __future__ import annotations

from typing import Any, Final

from arena.cli.terminal.listings import Columns
from arena.history import documents, words
from arena.match.schedule import Finished

COLUMNS: Final[Columns] = {
    "id": lambda row: str(row["id"]),
    "game": lambda row: row["game"],
    "players": lambda row: " - ".join(row["players"]),
    "points": lambda row: words.result(row["points"] or [None]),
    "verdict": lambda row: row["verdict"],
    "fault": lambda row: "" if row["fault"] is None else row["players"][row["fault"]],
    "plies": lambda row: str(row["plies"]),
    "clock": lambda row: row["clock"],
    "seed": lambda row: str(row["seed"]),
    "started": lambda row: row["started"],
    "finished": lambda row: row["finished"],
}
"""Columns of the CSV of games that were just played."""


def game(finished: Finished) -> dict[str, Any]:
    """The JSON document of one game, with its seats and moves."""
    return documents.whole(documents.past(finished))
