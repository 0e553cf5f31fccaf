"""Bars and ranges as text, in tables of terminals that have room for them; and the table of standings."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from typing import TYPE_CHECKING, Final, TypeVar

from arena.cli.terminal.listings import TABLE, Shown, show
from arena.cli.terminal.notes import line_width, table_width, wrap_lines
from arena.history.words import printable
from arena.results.columns import Column, Medium

if TYPE_CHECKING:
    from arena.ratings.points import Standing
    from arena.results.report import ReportedAgent
    from arena.tournament.standings import TournamentStandings

Row = TypeVar("Row")
WIDTH: Final = 16
"""Characters of a bar."""
_ROOMY: Final = 100
"""Columns of a terminal from which on tables have bars."""
_FIRST_TO_GO: Final = -1
"""A bar is left out before any other column that a table can spare."""
_CERTAIN: Final = 1.96
"""Standard errors on both sides of a value, for 95 %."""
SCORE: Final = "0 % score 100 %"


def has_room() -> bool:
    """Whether stdout is a terminal that is wide enough and has the characters."""
    if (table_width() or 0) < _ROOMY:
        return False
    from rich.console import Console

    from arena.cli.terminal.board import Look

    return Look.of(Console()).signs


def with_bar(columns: Sequence[Column[Row]], title: str, text: Callable[[Row], str]) -> Sequence[Column[Row]]:
    """The columns, with one of bars after them if there is room."""
    return [*columns, Column(title, text=text, spare=_FIRST_TO_GO)] if has_room() else columns


def interval(low: float, at: float, high: float) -> str:
    """A value between its bounds, all from 0 to 1: "    ├───●──┤    "."""
    left, middle, right = (round((WIDTH - 1) * min(max(share, 0.0), 1.0)) for share in (low, at, high))
    signs = [" "] * WIDTH
    signs[left : right + 1] = ["├", *["─"] * (right - left - 1), "┤"] if right > left else ["│"]
    signs[middle] = "●"
    return "".join(signs)


def score(standing: Standing) -> str:
    """The score with its 95 % interval (Wilson); empty without games."""
    games = standing.wins + standing.draws + standing.losses
    if not games or standing.score is None:
        return ""
    z, share = _CERTAIN, standing.score
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    spread = z / (1 + z * z / games) * sqrt(share * (1 - share) / games + (z / (2 * games)) ** 2)
    return interval(middle - spread, share, middle + spread)


def ratings(found: Sequence[tuple[float | None, float | None]]) -> Callable[[float | None, float | None], str]:
    """What draws a rating with its error, in the range that all these have."""
    ends = [value + side * (error or 0.0) for value, error in found if value is not None for side in (-1, 1)]
    low, high = min(ends, default=0.0), max(ends, default=1.0)

    def drawn(value: float | None, error: float | None) -> str:
        if value is None:
            return ""
        low_end, high_end = value - (error or 0.0), value + (error or 0.0)
        return interval(*((each - low) / ((high - low) or 1.0) for each in (low_end, value, high_end)))

    return drawn


def results(wins: float, draws: float, losses: float) -> str:
    """Games won, drawn and lost, as a bar: "██████▒▒░░░░░░░░"."""
    games = wins + draws + losses
    if not games:
        return ""
    won, not_lost = round(WIDTH * wins / games), round(WIDTH * (wins + draws) / games)
    return "█" * won + "▒" * (not_lost - won) + "░" * (WIDTH - not_lost)


# The standings of a tournament as a table, printed by `arena results` and at the end of `arena run`.


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
            columns = [*with_bar(columns, SCORE, lambda row: score(row.standing))]
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
