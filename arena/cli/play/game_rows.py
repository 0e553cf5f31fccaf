"""Games in listings: the columns of a table of games, and the document of a game that was just played.

What a document says is decided in `arena.history.documents`; here is only how a table shortens it.
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
"""What a listing of games that were just played shows."""


def game(finished: Finished) -> dict[str, Any]:
    """One game with its seats and moves."""
    return documents.whole(documents.past(finished))
