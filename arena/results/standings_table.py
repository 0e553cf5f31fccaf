"""The standings as rows and columns of a table; with a bracket, rows also have the player's series."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import asdict

from arena.history.words import number

if TYPE_CHECKING:
    from arena.results.results_table import Columns, Row
    from arena.tournament.bracket import Bracket, Series
    from arena.tournament.standings import TournamentStandings

NUMBERS: Final = ("games", "W", "D", "L", "points", "bye", "forfeit", "score")
"""The columns that are right-aligned."""


def rows_of(found: TournamentStandings) -> list[dict[str, Any]]:
    """A row for each player, best first: the fields of `Standing`, and what else is known of the player."""
    return [asdict(line) | _more(found, line.name) for line in found.lines]


def columns_of(found: TournamentStandings, rows: list[dict[str, Any]]) -> Columns:
    """The columns that have something to show in these rows."""
    columns: dict[str, Any] = {
        "rank": lambda row: str(row["rank"]),
        "name": itemgetter("name"),
        "games": lambda row: str(row["games"]),
        "W": lambda row: str(row["wins"]),
        "D": lambda row: str(row["draws"]),
        "L": lambda row: str(row["losses"]),
        "points": lambda row: number(row["points"]),
    }
    if any(row["byes"] for row in rows):
        columns["bye"] = lambda row: f"+{number(row['byes'])}" if row["byes"] else ""
    if any(row["forfeits"] for row in rows):
        columns["forfeit"] = lambda row: f"+{row['forfeits']}" if row["forfeits"] else ""
    if (bracket := found.bracket) is None:
        columns["score"] = lambda row: "-" if row["score"] is None else f"{row['score']:.1%}"
    else:
        columns["reached"] = lambda row: bracket.reached(row["name"])
    return columns | {"faults": _faults_and_status}


def counted_faults(faults: Mapping[str, int]) -> str:
    """The faults, with the number of each."""
    return ", ".join(f"{verdict} {count}" for verdict, count in faults.items())


def _faults_and_status(row: Row) -> str:
    """The faults, after the status of an agent that is withdrawn or quarantined."""
    status, counted = row["status"] or "active", counted_faults(row["faults"])
    return counted if status == "active" else f"{status}; {counted}".removesuffix("; ")


def _more(found: TournamentStandings, name: str) -> dict[str, Any]:
    """The additional JSON fields of a player."""
    bracket = found.bracket
    return {
        "status": found.statuses.get(name),
        "byes": found.byes.get(name, 0.0),
        "seed": None if bracket is None else bracket.seed(name),
        "series": None if bracket is None else [_series(bracket, name, round, one) for round, one in bracket.of(name)],
    }


def _series(bracket: Bracket, name: str, round: int, one: Series) -> dict[str, Any]:
    """A series from the point of view of the player `name`."""
    own = one.players.index(name)
    opponent = one.players[1 - own]
    return {
        "round": round,
        "opponent": opponent,
        "opponent_seed": None if opponent is None else bracket.seed(opponent),
        "games": one.games,
        "points": one.points[own],
        "opponent_points": one.points[1 - own],
        "through": None if one.winner is None else one.winner == name,
        "why": one.why,
    }
