"""The games that `arena play` prints as CSV or JSON: their columns, and the JSON document of each.

`arena.history.documents` decides what a document holds; this module only shortens it for a table.
"""

from __future__ import annotations

from typing import Any, Final

from arena.history import documents, words
from arena.match.schedule import Finished
from arena.results.columns import Column, Medium, fields, worded

GAMES: Final = worded(
    *fields(("id", "game")),
    Column("players", text=lambda row: " - ".join(row["players"])),
    Column("points", text=lambda row: words.result(row["points"] or [None])),
    Column("verdict"),
    Column("fault", text=lambda row: "" if row["fault"] is None else row["players"][row["fault"]]),
    *fields(("plies", "clock", "seed", "started", "finished")),
    *fields(("tournament", "round", "number", "attempt", "opening", "status", "utilities", "ruling"), on=Medium.JSON),
    *fields(("kind", "detail", "host", "seats", "moves"), on=Medium.JSON),
)
"""Games that were just played."""


def game(finished: Finished) -> dict[str, Any]:
    """The JSON document of one game, with its seats and moves."""
    return documents.whole(documents.past(finished))
