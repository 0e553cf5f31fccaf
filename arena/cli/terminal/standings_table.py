"""The standings of a tournament as a table, as `arena standings` and the end of `arena run` print them."""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from arena.cli.terminal.listings import Columns, OutputFormat, Row, show
from arena.history.words import number

if TYPE_CHECKING:
    from db.scores import Scores


def show_standings(
    results: Scores, statuses: dict[str, str], byes: dict[str, float], *, format: OutputFormat = OutputFormat.TABLE
) -> None:
    """Prints the standings: what the games came to, who takes part with which status, and the points for byes."""
    from arena.ratings import points

    rows = [asdict(standing) for standing in points.standings(results, statuses, byes)]
    show(rows, _columns(statuses, csv=format is OutputFormat.CSV), format=format, narrowed="name")


def _columns(statuses: dict[str, str], *, csv: bool) -> Columns:
    from arena.ratings.tiebreaks import TIEBREAKS

    def faults(row: Row) -> str:
        """The faults; in a table also that somebody is out."""
        status = statuses.get(row["name"], "active")
        counted = ", ".join(f"{verdict} {count}" for verdict, count in row["faults"].items())
        return counted if status == "active" or csv else f"{status}; {counted}".removesuffix("; ")

    columns: dict[str, Any] = {
        "rank": lambda row: str(row["rank"]),
        "name": itemgetter("name"),
        "games": lambda row: str(row["games"]),
        "wins": lambda row: str(row["wins"]),
        "draws": lambda row: str(row["draws"]),
        "losses": lambda row: str(row["losses"]),
        "points": lambda row: number(row["points"]),
        "score": lambda row: "-" if row["score"] is None else f"{row['score']:.1%}",
    }
    if csv:
        columns |= {
            "points": lambda row: repr(row["points"]),
            "score": lambda row: "" if row["score"] is None else repr(row["score"]),
            **{name: partial(_tiebreak, name) for name in TIEBREAKS if name not in columns},
            "status": lambda row: statuses.get(row["name"], ""),
        }
    return columns | {"faults": faults}


def _tiebreak(name: str, row: dict[str, Any]) -> str:
    return repr(row["tiebreaks"][name])
