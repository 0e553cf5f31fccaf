"""The standings of a tournament as a table, printed by `arena standings` and at the end of `arena run`.

A knockout has its bracket below the table; a gauntlet has a second table for the agents that it names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import asdict

from arena.cli.terminal.listings import Columns, OutputFormat, Row, show
from arena.cli.terminal.wrapping import line_width, wrap_lines
from arena.history.words import number, printable

if TYPE_CHECKING:
    from arena.tournament.formats.knockout import Bracket, Series
    from arena.tournament.standings import TournamentStandings

GAUNTLET: Final = "The gauntlet: agents that play against all others, ranked separately"
"""Heading above the agents that a gauntlet names."""

_NUMBERS: Final = ("games", "W", "D", "L", "points", "bye", "forfeit", "score")
_WRAPPED: Final = 10
"""Width of the faults on a narrow screen: the width of "withdrawn;"."""


def show_standings(found: TournamentStandings, *, format: OutputFormat = OutputFormat.TABLE) -> None:
    """Print the standings, and the bracket of a knockout."""
    rows = [asdict(line) | _more(found, line.name) for line in found.lines]
    columns = _columns(rows, found, csv=format is OutputFormat.CSV)
    if format is not OutputFormat.TABLE:
        show(rows, columns, format=format)
        return
    for apart in (False, True):
        if shown := [row for row in rows if row["apart"] is apart]:
            if apart:
                print(f"\n{GAUNTLET}")
            show(shown, columns, format=format, narrowed="name", wrapped=_WRAPPED, numbers=_NUMBERS)
    if found.bracket is not None:
        print()
        for line in bracket_lines(found):
            print(line)


def _columns(rows: Sequence[Row], found: TournamentStandings, *, csv: bool) -> Columns:
    from arena.ratings.tiebreaks import TIEBREAKS

    def faults(row: Row) -> str:
        """The faults; in a table also the status of an agent that is withdrawn or quarantined."""
        status = row["status"] or "active"
        counted = ", ".join(f"{verdict} {count}" for verdict, count in row["faults"].items())
        return counted if status == "active" or csv else f"{status}; {counted}".removesuffix("; ")

    columns: dict[str, Any] = {
        "rank": lambda row: str(row["rank"]),
        "name": itemgetter("name"),
        "games": lambda row: str(row["games"]),
    }
    if csv:
        columns |= {
            "wins": lambda row: str(row["wins"]),
            "draws": lambda row: str(row["draws"]),
            "losses": lambda row: str(row["losses"]),
            "points": lambda row: repr(row["points"]),
            "score": lambda row: "" if row["score"] is None else repr(row["score"]),
            **{name: partial(_tiebreak, name) for name in TIEBREAKS if name not in columns},
            "status": lambda row: row["status"] or "",
            "forfeits": lambda row: str(row["forfeits"]),
            "byes": lambda row: repr(row["byes"]),
            "apart": lambda row: "yes" if row["apart"] else "",
            "reached": lambda row: "" if found.bracket is None else found.bracket.reached(row["name"]),
        }
        return columns | {"faults": faults}
    columns |= {
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
    return columns | {"faults": faults}


def _tiebreak(name: str, row: dict[str, Any]) -> str:
    return repr(row["tiebreaks"][name])


# The bracket of a knockout.


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


def bracket_lines(found: TournamentStandings) -> Iterator[str]:
    """The bracket in words: every series with at least one known player, and the winner of the knockout."""
    bracket = found.bracket
    if bracket is None:
        return
    yield "Bracket (the number after a name is its seed)"
    for round, series in enumerate(bracket.rounds, 1):
        sentences = [text for one in series if (text := bracket.sentence(one, found.statuses))]
        if sentences:
            yield bracket.title(round)
        for text in sentences:
            yield from wrap_lines(printable(text), begin="  ", more="    ", width=line_width())
    if bracket.winner is not None:
        yield f"{printable(bracket.winner)} wins the knockout"
