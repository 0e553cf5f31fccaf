"""A running tournament on the screen: the plan, with --plan beside other formats; then a live table (in a log file
one line per game and at most once a minute one with the time), then the standings.

This module shows the director's events and decides nothing. Control characters in names and texts of players are
escaped.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.text import Text

from agents.protocol import Verdict
from arena.cli.asking.record_options import read_standings
from arena.cli.terminal.bars import show_standings
from arena.cli.terminal.files import write_file
from arena.cli.terminal.listings import show
from arena.cli.terminal.notes import wrapped
from arena.cli.terminal.screen import Screen, is_possible
from arena.cli.terminal.stopping import Pausing
from arena.errors import BadLeague
from arena.history import words
from arena.match.clock import SECOND
from arena.match.schedule import Event, Finished, PaceChanged
from arena.play import cores
from arena.play.director import Director
from arena.ratings.match_statistics import Hypothesis
from arena.results.columns import Column
from arena.tournament.description import with_keys
from arena.tournament.duration import GameTime, most_in_parallel, repeats_warning
from arena.tournament.format import MatchTest, SprtTerms
from arena.tournament.league import League
from arena.tournament.preparation import to_try_again
from arena.tournament.tournament import Tournament
from db import games, running
from db.database import Database
from db.errors import Busy

if TYPE_CHECKING:
    from arena.cli.play.run_screen import RunScreen
    from arena.hosts.home import Home
    from arena.tournament.choices import Choice

_WARNS_EVERY: Final = 60.0
"""Shortest time between two warnings about an overloaded machine, in seconds."""


_LINE_EVERY: Final = 60.0
"""Shortest time between two lines of progress in a log file, in seconds."""


class RunProgress:
    """The progress of one run of a tournament."""

    def __init__(self, tournament: Tournament, clock: Callable[[], float]) -> None:
        """`clock` gives the time in seconds."""
        self._tournament = tournament
        self._clock = clock
        self._began = clock()
        # How many games were over when this run began.
        self._first = tournament.over
        self._next_line = self._began + _LINE_EVERY

    def time_left(self) -> str:
        """The time that the other games need: "about 5 minutes left". Empty before the first game is over, and after
        the last."""
        played, to_play = self._tournament.over - self._first, self._tournament.expected - self._first
        return words.time_left(played, to_play, self._clock() - self._began)

    def line(self, now: str) -> str:
        """A line for a log file, at most one a minute; otherwise empty. `now`: the date and time to print."""
        if self._clock() < self._next_line:
            return ""
        self._next_line = self._clock() + _LINE_EVERY
        played = f"{now}  {self._tournament.over:,} of {self._tournament.expected:,} games are over"
        return ", ".join(filter(None, (played, self.time_left())))


class TournamentDisplay:
    """The screen of one `arena run`."""

    def __init__(self, league: League) -> None:
        self._league = league
        self._console = Console(highlight=False)
        self._live: RunScreen | None = None
        self._tournament: Tournament | None = None
        self._progress: RunProgress | None = None
        self._time: GameTime | None = None
        self.pause = Pausing(self.say, "Ctrl-C stops; no game is lost")
        """Reports that the database cannot be written, and waits before the next attempt."""
        # With hosts: what their number is, and how many games they play.
        self._status: Callable[[], str] | None = None
        # Number of quarantined players announced so far.
        self._quarantined = 0
        # Earliest time of the next warning about an overloaded machine.
        self._warn_at = 0.0

    def show_plan(self, time: GameTime | None) -> None:
        """Print the plan before anything starts; `time` is the expected time of a game, None if it is not known."""
        league = self._league
        expected = league.estimate
        is_bound = league.format.test is not None or expected.at_most != expected.games
        pairings = expected.pairings * expected.at_most // max(1, expected.games)
        self._time = time
        for skipped in league.skipped:
            self.say(f"left out: {skipped}")
        own = ", ".join(f"{one.agent} {one.clock}" for one in league.conditions.own_times)
        self.say(
            f"{league.name}: {league.game_text}, {league.format}, {len(league.agents)} players, "
            f"clock {league.conditions.clock}{own and f' ({own})'}: "
            + ("at most " if is_bound else "")
            + f"{words.counted(pairings, 'pairing')}, {words.counted(expected.at_most, 'game')}, "
            + (self._duration(expected.at_most) or "time not known")
        )
        if test := league.format.test:
            self.say(
                f"SPRT, stops when it accepts H0: {test.claim(Hypothesis.H0, self._other)}; or H1: "
                f"{test.claim(Hypothesis.H1, self._other)} (alpha {test.alpha:g}, beta {test.beta:g}, {test.model})"
            )
        for warning in filter(None, (league.short_seed(), repeats_warning(league))):
            self.warn(warning)

    def show_earlier_games(self, over: int, all: int, changed: Sequence[str]) -> None:
        """Print how many games are over, and whose games no longer count because their source has changed."""
        if changed:
            names = ", ".join(map(words.printable, changed))
            self.say(f"new versions: {names} (their earlier games no longer count; --rerun-changed plays them again)")
        if over:
            rest = f"; {duration} for the rest" if over < all and (duration := self._duration(all - over)) else ""
            self.say(f"continuing: {over:,} of {all:,} games are over{rest}")

    def _duration(self, games: int) -> str:
        """How long that many games take; empty if it is not known."""
        seconds = None if self._time is None else self._time.of(games, self._league, there=cores.count())
        return "" if seconds is None else f"about {words.rough_duration(seconds)}"

    @contextmanager
    def running(self, tournament: Tournament, *, on_hosts: bool = False) -> Iterator[None]:
        """Inside the block the live table is shown, on a terminal. A notebook gives its commands a terminal too, but
        would print every picture of the table below the one before.

        `on_hosts`: other machines play the games, behind walls of their own."""
        self._tournament = tournament
        self._progress = RunProgress(tournament, time.monotonic)
        if (held := tournament.confinement.kinds) and not on_hosts:
            kinds = " and ".join(sorted(set(held.values())))
            self.say(f"{words.counted(len(held), 'agent')} confined: {kinds}")
        if self._league.seed is not None and self._league.seats_key is None and tournament.seats_key is not None:
            self.say(f"to repeat agents' random choices too: seats_key = {tournament.seats_key}")
        for warning in () if on_hosts else tournament.confinement.warnings:
            self.warn(warning)
        self.show_earlier_games(tournament.over, tournament.expected, tournament.changed)
        if again := tournament.tried_again:
            self.say(words.tried_again(self._league.name, again))
        if not is_possible() or "JPY_PARENT_PID" in os.environ:
            yield
            return
        from arena.cli.play.run_screen import RunScreen

        said: list[str] = []
        try:
            with Screen() as screen:
                self._live = live = RunScreen(tournament, screen, self._progress.time_left)
                try:
                    yield
                finally:
                    self._live = None
                    said = live.close()
        finally:
            for text in said:
                self._print(text)

    def follow(self, director: Director | Home) -> None:
        """Show the games of this director in the live table."""
        self._status = getattr(director, "status", None)
        if self._live is not None:
            self._live.table.director = director

    def show(self, event: Event) -> None:
        """Show one event: a finished game, or a change of the number of games at the same time."""
        if isinstance(event, PaceChanged):
            self._show_pace(event)
        if not isinstance(event, Finished) or self._tournament is None:
            return
        line = _line(event, self._tournament)
        if self._live is None:
            self._print(line)
            if event.record.verdict != Verdict.NORMAL and event.record.detail:
                self.say(f"     {words.without_store(event.record.detail)}")
            now = datetime.now(UTC).astimezone()
            if self._progress and (progress := self._progress.line(f"{now:%Y-%m-%d %H:%M:%S %Z}")):
                self.say(progress if self._status is None else f"{progress}; {self._status()}")
        else:
            self._live.table.add(event, line)
        if event.record.busy:
            self.say(f"     {event.record.busy}")
        for name in self._tournament.quarantined[self._quarantined :]:
            self._quarantined += 1
            self.say(
                f"{name} is quarantined after {self._league.quarantine} faults in a row: it forfeits its other games "
                f"until a new version is entered, or until: arena rule release {shlex.quote(name)} --reason WHY"
            )

    def _show_pace(self, event: PaceChanged) -> None:
        """Say that more or fewer games run at the same time; if there can be no fewer, warn once a minute. After the
        last game say nothing."""
        if self._tournament is not None and self._tournament.is_over:
            return
        why = f"players waited for a processor for {event.waited:.0%} of their thinking time"
        if event.at_once != event.before:
            which = "one fewer" if event.at_once < event.before else "one more"
            self.say(f"{why}: from now on {words.counted(event.at_once, 'game')} at the same time, {which} than before")
        elif time.monotonic() >= self._warn_at:
            self._warn_at = time.monotonic() + _WARNS_EVERY
            self.warn(f"{why}; their clocks do not count it, but games take longer: close other programs")

    def say(self, text: str) -> None:
        self._print(words.printable(text))

    def _print(self, line: str) -> None:
        """Print a line: wrapped between words on a terminal; elsewhere unchanged, and without Rich, which takes about
        0.2 ms for a line."""
        if self._live is not None:
            self._live.say(line)
            return
        if self._console.is_terminal:
            self._console.print(Text(line))
            return
        try:
            print(line, file=self._console.file, flush=True)
        except BrokenPipeError:
            self._console.on_broken_pipe()  # ends the program, as after a line that Rich prints

    def warn(self, text: str) -> None:
        """Print a warning: above the live table, or to stderr."""
        if self._live is not None:
            self.say(f"warning: {text}")
        else:
            print(f"warning: {words.printable(text)}", file=sys.stderr)

    def conclude(self, tournament: Tournament, database: Database) -> None:
        """Print the standings, the test's outcome, games without a result, and the commands to run next."""
        name = self._league.name
        over = f"{tournament.over:,} of {tournament.expected:,} games"
        try:
            with database.reading() as connection:
                found = read_standings(connection, [name])
        except Busy as error:
            if tournament.is_over:
                raise
            self.say(f"stopped after {over}, because {error}; the same command continues")
            return
        show_standings(found)
        if tournament.test is not None and self._league.format.test is not None:
            self.say(self._outcome(self._league.format.test, tournament.test))
        if tournament.is_over:
            self.say(f"{name} is finished: {words.counted(tournament.all, 'game')}. Next:")
            quoted = shlex.quote(name)
            for command in (f"rank {quoted}", f"crosstable {quoted}", f"history --tournament {quoted}"):
                self.say(f"  arena results {command}")
            self._say_what_failed(tournament, database)
        else:
            left = f", {time_left}" if self._progress and (time_left := self._progress.time_left()) else ""
            self.say(f"stopped after {over}{left}; the same command continues")

    def _say_what_failed(self, tournament: Tournament, database: Database) -> None:
        """Print the games without a result, and the commands that show who failed."""
        name = self._league.name
        with database.reading() as connection:
            old = len(running.outdated_games(connection, tournament.id))
            void = games.games(connection, running.without_result(connection, tournament.id))
            again = len(to_try_again(connection, tournament.id))
            at_fault = running.at_fault(connection, tournament.id)
        if old:
            self.say(
                f"{words.counted(old, 'game')} of earlier versions no longer count; "
                "the same command with --rerun-changed plays them again"
            )
        if void:
            self.say(
                f"no result, because the server failed: {words.games_of(name, [game.number for game in void])}. "
                f"`arena replay {name}-{void[0].number} --show` says why, `arena rule award` gives a game to a player"
                + f"; the same command plays {words.counted(again, 'game')} once more"
                * bool(again)
            )
        if at_fault:
            self.say(f"  arena results history --tournament {shlex.quote(name)} --fault any")
            self.say("  arena replay ID --show   (why that game failed)")

    @property
    def _other(self) -> str:
        """The opponent of the player that the SPRT is about."""
        test = self._league.format.test
        return next((agent.name for agent in self._league.agents if test and agent.name != test.of), "")

    def _outcome(self, test: SprtTerms, found: MatchTest) -> str:
        """The outcome of the SPRT, in a sentence."""
        outcome = test.outcome(found.verdict, self._other)
        bounds = f"(LLR {found.llr:.2f}, bounds {found.lower:.2f} and {found.upper:.2f})"
        games = words.counted(self._league.estimate.games, "game")
        return f"SPRT: {outcome} {bounds} after {2 * found.pairs:,} of {games}"


def _line(event: Finished, tournament: Tournament) -> str:
    """A finished game, on one line."""
    record = event.record
    width = len(f"{tournament.expected:,}")
    if len(record.seats) == 2:
        first, second = (words.printable(seat.player) for seat in record.seats)
        who = f"{first} {words.result([seat.points for seat in record.seats])} {second}"
    else:
        who = "  ".join(f"{words.printable(seat.player)} {words.number(seat.points)}" for seat in record.seats)
    spent = ", ".join(f"{words.printable(seat.player)} {(seat.spent or 0) / SECOND:.1f} s" for seat in record.seats)
    how = record.detail or "normal" if record.verdict == "normal" else words.verdict(record)
    length = words.plies(len(record.moves))
    return (
        f"{tournament.over:{width},}/{tournament.expected:,}  {who}   {event.game.game}   {length}   "
        f"{words.printable(how)}   ({spent})"
    )


# `arena run --plan`: a table of formats for the same agents, with games, time and rating error of each.


def show_choices(league: League, time: GameTime) -> None:
    """Print the table, and what its columns mean."""
    from arena.tournament.choices import choices  # it loads numpy

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
