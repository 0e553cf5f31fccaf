"""`arena run --plan`: a table of formats for the same agents, with games, time and rating error of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arena.cli.terminal.listings import OutputFormat, show
from arena.cli.terminal.wrapping import wrapped
from arena.history import words
from arena.play import cores

if TYPE_CHECKING:
    from arena.tournament.choices import Choice
    from arena.tournament.duration import GameTime
    from arena.tournament.league import League


def show_choices(league: League, time: GameTime) -> None:
    """Print the table, and what its columns mean."""
    from arena.tournament.choices import bars, choices
    from arena.tournament.duration import most_in_parallel

    found = choices(league)
    there = cores.count()
    at_once = league.at_once(there)
    rows = [_row(choice, time.of(choice.games, league, there=there)) for choice in found]
    print()
    show(rows, {title: _cell(title) for title in rows[0]}, format=OutputFormat.TABLE, numbers=("games", "±"))
    print()
    if any(choice.format == "gauntlet" and not choice.described for choice in found):
        against = bars(league)
        names = ", ".join(map(words.printable, against[:_MOST_NAMED])) + ", ..." * (len(against) > _MOST_NAMED)
        print(wrapped(f"gauntlet: all others against {names}"))
    print(wrapped("±: 95 % error of a rating, if all agents are equally strong and no game is drawn"))
    if time.seconds is not None:
        games = f"{words.counted(at_once, 'game')} at the same time"
        if at_once > most_in_parallel(league, there):
            games += f" on {words.counted(there, 'core')}"
        print(wrapped(f"time: about {words.rough_duration(time.seconds)} a game, {time.because}; {games}"))


_MOST_NAMED = 5
"""Number of gauntlet players that are listed."""


def _row(choice: Choice, seconds: float | None) -> dict[str, Any]:
    row = {
        "format": choice.format,
        "rounds": choice.rounds,
        "games": f"at most {choice.games:,}" if choice.is_bound else f"{choice.games:,}",
        "time": words.rough_duration(seconds or 0.0),
        "±": "-" if choice.error is None else f"{choice.error:.0f}",
        "": "this description" if choice.described else "",
    }
    if seconds is None:
        del row["time"]
    return row


def _cell(title: str) -> Any:
    return lambda row: row[title]
