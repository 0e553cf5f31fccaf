"""`arena run --plan`: a table of formats for the same agents, with games, time and rating error of each."""

from __future__ import annotations

import json
import shlex
from datetime import timedelta
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from arena.cli.terminal.files import write_file
from arena.cli.terminal.listings import show
from arena.cli.terminal.notes import wrapped
from arena.errors import BadLeague
from arena.history import words
from arena.play import cores
from arena.results.columns import Column
from arena.tournament.duration import GameTime
from arena.tournament.league import League

if TYPE_CHECKING:
    from arena.tournament.choices import Choice


def show_choices(league: League, time: GameTime) -> None:
    """Print the table, and what its columns mean."""
    from arena.tournament.choices import choices
    from arena.tournament.duration import most_in_parallel

    found = choices(league)
    there = cores.count()
    at_once = league.at_once(there)
    rows = [_row(choice, time.of(choice.games, league, there=there)) for choice in found]
    print()
    show(rows, [Column(title, number=title in ("games", "±")) for title in rows[0]])
    print()
    against = {choice.format: choice.apart for choice in found if choice.apart and not choice.described}
    for format, apart in against.items():
        names = ", ".join(map(words.printable, apart[:_MOST_NAMED])) + ", ..." * (len(apart) > _MOST_NAMED)
        print(wrapped(f"{format}: all others against {names}"))
    print(wrapped("±: 95 % error of a rating, if all agents are equally strong and no game is drawn"))
    if time.seconds is not None:
        games = f"{words.counted(at_once, 'game')} at the same time"
        if at_once > most_in_parallel(league, there):
            games += f" on {words.counted(there, 'core')}"
        print(wrapped(f"time: about {words.rough_duration(time.seconds)} a game, {time.because}; {games}"))


_MOST_NAMED: Final = 5
"""Number of players that are listed."""
_HOURS: Final = (2, 12, 48)
"""A tournament is long if it takes more than the first; the advice is for the first one in which something fits."""


def show_advice(league: League, time: GameTime, file: Path | None) -> None:
    """Print how to make a long tournament shorter; `file`: its description, if it has one."""
    from arena.tournament.choices import fitting

    there = cores.count()
    taken = time.of(league.estimate.at_most, league, there=there) or 0.0
    for hours in _HOURS:
        most = time.most(3600 * hours, league, there=there)
        if taken > 3600 * hours and most is not None and (shorter := fitting(league, most)):
            what = _changed_keys(league, shorter, as_options=file is None)
            print("\n" + wrapped(f"in {hours} hours: {what}"))
            if file is not None:
                print(
                    f"  {shlex.join(['arena', 'run', str(file), '--fit', f'{hours}h'])}   (writes this into the file)"
                )
            return


def fit(league: League, time: GameTime, file: Path, within: timedelta) -> None:
    """Write a format and a number of rounds into the description, with which the tournament takes no longer than that.
    BadLeague if nothing fits."""
    from arena.tournament.choices import fewest_games, fitting
    from arena.tournament.description import with_keys

    there = cores.count()
    most = time.most(within.total_seconds(), league, there=there)
    if most is None:
        raise BadLeague(f"--fit: the time of {file} is not known, because {time.because}; set a clock")
    if league.estimate.at_most <= most:
        print(f"{file} fits as it is")
        return
    shorter = fitting(league, most)
    if shorter is None:
        least = fewest_games(league)
        minutes = ceil((time.of(least, league, there=there) or 0.0) / 60)
        raise BadLeague(
            f"--fit: {words.counted(most, 'game')} of {league.game_text} fit into that time, which is too few for "
            f"{words.counted(len(league.agents), 'player')}: {least:,} is the least, which fit into --fit {minutes}m; "
            f"or set a shorter clock in {file}"
        )
    text = with_keys(file.read_bytes().decode(), _keys(league, shorter))
    if text is None:
        raise BadLeague(f"--fit: cannot change {file}: write this into it: {_changed_keys(league, shorter)}")
    write_file(file, text)
    print(wrapped(f"changed: {_changed_keys(league, shorter)}"))


def _keys(league: League, shorter: League) -> dict[str, str | int]:
    """The keys of the description that make it `shorter`."""
    changed = {} if str(shorter.format) == str(league.format) else {"format": str(shorter.format)}
    return {**changed, "rounds": shorter.settings()["rounds"]}


def _changed_keys(league: League, shorter: League, *, as_options: bool = False) -> str:
    """These keys as text: `format = "swiss", rounds = 6`, or as options of the command."""
    keys = _keys(league, shorter)
    if as_options:
        return " ".join(f"--{key} {value}" for key, value in keys.items())
    return ", ".join(f"{key} = {json.dumps(value)}" for key, value in keys.items())


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
