"""The standings of a tournament as a table, printed by `arena results` and at the end of `arena run`.

Below the table are the bracket, if there is one, and a second table for agents that are ranked separately.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from arena.cli.terminal.listings import Columns, OutputFormat, show
from arena.cli.terminal.wrapping import line_width, wrap_lines
from arena.history.words import printable

if TYPE_CHECKING:
    from arena.tournament.standings import TournamentStandings

_WRAPPED: Final = 10
"""Width of the faults on a narrow screen: the width of "withdrawn;"."""


def show_standings(found: TournamentStandings, *, format: OutputFormat = OutputFormat.TABLE) -> None:
    """Print the standings, and the bracket."""
    from arena.ratings.points import APART
    from arena.results import standings_table

    if found.missing:
        print(f"warning: {printable(found.missing)}", file=sys.stderr)
    rows = standings_table.rows_of(found)
    if format is not OutputFormat.TABLE:
        show(rows, _csv_columns(found), format=format)
        return
    columns = standings_table.columns_of(found, rows)
    for apart in (False, True):
        if shown := [row for row in rows if row["apart"] is apart]:
            if apart:
                print(f"\nThe {APART}: agents that play against all others, ranked separately")
            show(shown, columns, format=format, narrowed="name", wrapped=_WRAPPED, numbers=standings_table.NUMBERS)
    if "bye" in columns:
        print("bye: points for rounds without an opponent, which count as won")
    if found.bracket is not None:
        print()
        for line in bracket_lines(found):
            print(line)


def _csv_columns(found: TournamentStandings) -> Columns:
    from arena.ratings.tiebreaks import TIEBREAKS
    from arena.results.standings_table import counted_faults

    columns: dict[str, Any] = {
        "rank": lambda row: str(row["rank"]),
        "name": itemgetter("name"),
        "games": lambda row: str(row["games"]),
        "wins": lambda row: str(row["wins"]),
        "draws": lambda row: str(row["draws"]),
        "losses": lambda row: str(row["losses"]),
        "points": lambda row: repr(row["points"]),
        "score": lambda row: "" if row["score"] is None else repr(row["score"]),
    }
    return columns | {
        **{name: partial(_tiebreak, name) for name in TIEBREAKS if name not in columns},
        "status": lambda row: row["status"] or "",
        "forfeits": lambda row: str(row["forfeits"]),
        "byes": lambda row: repr(row["byes"]),
        "apart": lambda row: "yes" if row["apart"] else "",
        "reached": lambda row: "" if found.bracket is None else found.bracket.reached(row["name"]),
        "faults": lambda row: counted_faults(row["faults"]),
    }


def _tiebreak(name: str, row: dict[str, Any]) -> str:
    return repr(row["tiebreaks"][name])


# The bracket.


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
