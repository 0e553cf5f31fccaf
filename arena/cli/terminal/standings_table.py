"""The standings of a tournament as a table, printed by `arena results` and at the end of `arena run`.

Below the table are the bracket, if there is one, and a second table for agents that are ranked separately.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from arena.cli.terminal import bars
from arena.cli.terminal.listings import TABLE, Shown, show
from arena.cli.terminal.wrapping import line_width, wrap_lines
from arena.history.words import printable
from arena.results.columns import Column, Medium

if TYPE_CHECKING:
    from arena.results.report import ReportedAgent
    from arena.tournament.standings import TournamentStandings


def standings_columns() -> tuple[Column[ReportedAgent], ...]:
    """The columns of `show_standings`."""
    from arena.results.standings_table import STANDINGS

    return STANDINGS


def show_standings(found: TournamentStandings, shown: Shown = TABLE) -> None:
    """Print the standings, and the bracket."""
    from arena.ratings.points import APART
    from arena.results.report import reported_agents
    from arena.results.standings_table import FIRST, STANDINGS

    if found.missing:
        print(f"warning: {printable(found.missing)}", file=sys.stderr)
    rows = reported_agents(found)
    if not shown.is_table:
        show(rows, STANDINGS, shown, first=FIRST[Medium.TABLE])
        return
    for apart in (False, True):
        if some := [row for row in rows if row.standing.apart is apart]:
            if apart:
                print(f"\nThe {APART}: agents that play against all others, ranked separately")
            columns = [one for one in STANDINGS if one.name != "apart"]
            columns = [*bars.with_bar(columns, bars.SCORE, lambda row: bars.score(row.standing))]
            show(some, columns, shown, first=FIRST[Medium.TABLE])
    if any(row.byes for row in rows):
        print("bye: points for rounds without an opponent, which count as won")
    if found.bracket is not None:
        print()
        for line in bracket_lines(found):
            print(line)


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
