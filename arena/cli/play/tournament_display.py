"""A running tournament on the screen: what is to come, a live table on a terminal, one line a game elsewhere.

It shows what the director tells and decides nothing. What players chose to be called, or to write, is shown so that no
terminal obeys it.
"""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from agents.protocol import Verdict
from arena.cli.asking.database import read_results
from arena.cli.terminal.standings_table import show_standings
from arena.history import words
from arena.match.clock import SECOND, TimeControl
from arena.match.schedule import MOST_ATTEMPTS, Event, Finished
from arena.play import cores
from arena.play.director import Director
from arena.play.overload import Overload
from arena.ratings.match_statistics import Hypothesis
from arena.tournament.formats.sprt_match import SprtTerms, Weighed
from arena.tournament.league import League
from arena.tournament.plan import superseded
from arena.tournament.tournament import Tournament
from db import running
from db.database import Database

if TYPE_CHECKING:
    from arena.ratings.elo import Elo
    from db.records import RatedGame

_LAST: Final = 6
"""So many results are shown below the table."""
_MOVES: Final = 30
"""For how many moves of a seat a game is reckoned where nothing better is known."""
_WARNS_EVERY: Final = 60.0
"""Seconds."""
_PAUSE: Final = 2.0
"""Seconds after which a database that could not be written is tried again."""


class TournamentDisplay:
    """The screen of one `arena run`."""

    def __init__(self, league: League) -> None:
        self._league = league
        self._console = Console(highlight=False)
        self._live: Live | None = None
        self._tournament: Tournament | None = None
        # Of each player, the points of its games.
        self._points: dict[str, list[float]] = {}
        # Ratings that follow the games, for the live table.
        self._ticker: Elo | None = None
        self._standings = Table()
        self._results: list[Text] = []
        self._director: Director | None = None
        # How many of those who were have been told.
        self._quarantined = 0
        self._overload = Overload()
        # When a word about an overloaded machine may be said again.
        self._warn_at = 0.0
        self._began = time.monotonic()
        # How many games were over when this run began.
        self._first = 0

    def announce(self) -> None:
        """What there is to come, before anything of it begins."""
        league = self._league
        expected = league.estimate
        seconds = expected.games * _game(league) / league.at_once(cores.count())
        for skipped in league.skipped:
            self.tell(f"left out: {skipped}")
        self.tell(
            f"{league.name}: {league.game_text}, {league.format}, {len(league.agents)} players, clock {league.clock}: "
            + ("at most " if league.sprt else "")
            + f"{_some(expected.pairings, 'pairing')}, {_some(expected.games, 'game')}, "
            + (f"at most about {_about(seconds)}" if seconds else "without a clock")
        )
        if test := league.sprt:
            self.tell(
                f"sprt, until one is accepted: H1, {test.claim(Hypothesis.H1, self._other)}; H0, "
                f"{test.claim(Hypothesis.H0, self._other)} (alpha {test.alpha:g}, beta {test.beta:g}, {test.model})"
            )

    def tell_how_it_stands(self, over: int, all: int, changed: Sequence[str]) -> None:
        """What has been played before, and by whom it counts no more."""
        if changed:
            names = ", ".join(map(words.printable, changed))
            self.tell(f"new versions: {names} (their games so far count no more; --rerun-changed plays them again)")
        if over:
            self.tell(f"going on: {over} of {all} games are over")

    @contextmanager
    def over(self, tournament: Tournament) -> Iterator[None]:
        """Inside the block the tournament is shown."""
        self._tournament, self._first, self._began = tournament, tournament.over, time.monotonic()
        for name, points in tournament.points_so_far().items():
            self._points[name] = points
        if held := tournament.confinement.kinds:
            kinds = " and ".join(sorted(set(held.values())))
            self.tell(f"{_some(len(held), 'agent')} confined: {kinds}")
        for warning in tournament.confinement.warnings:
            self.warn(warning)
        self.tell_how_it_stands(tournament.over, tournament.all, tournament.changed)
        if not self._console.is_terminal:
            yield
            return
        self._ticker = _ticker(tournament)
        self._standings = self._ranked()
        with Live(
            get_renderable=self._picture, console=self._console, refresh_per_second=4, transient=True
        ) as self._live:
            yield
        self._live = None

    def follow(self, director: Director) -> None:
        """It tells from now on what is being played."""
        self._director = director

    def show(self, event: Event) -> None:
        """What happened."""
        if not isinstance(event, Finished) or self._tournament is None:
            return
        self._warn_of_overload(event)
        for seat in event.record.seats:
            if seat.points is not None:
                self._points.setdefault(seat.player, []).append(seat.points)
        if self._ticker is not None and (played := _played(event)) is not None:
            self._ticker.play(played)
        line = self._line(event, self._tournament)
        if self._live is None:
            self._console.print(line, soft_wrap=True)
            if event.record.verdict != Verdict.NORMAL and event.record.detail:
                reason = words.printable(words.without_store(event.record.detail))
                self._console.print(Text(f"     {reason}", "dim"), soft_wrap=True)
        else:
            self._results = [*self._results, line][-_LAST:]
            self._standings = self._ranked()
        for name in self._tournament.quarantined[self._quarantined :]:
            self._quarantined += 1
            self.tell(
                f"{name} is quarantined for {self._league.quarantine} faults in a row: it forfeits its other games, "
                f"until it is entered anew, or `arena release {shlex.quote(name)} --reason WHY` lets it go on"
            )

    def _warn_of_overload(self, event: Finished) -> None:
        """A word, now and then, where clocks run on a machine that is too slow for them."""
        self._overload.note(event.record)
        # Without a clock waits cost nothing, unless they went beyond the longest that a move may take.
        matters = self._league.clock != "none" or event.record.verdict == Verdict.VOID
        if matters and time.monotonic() >= self._warn_at and (warning := self._overload.warning()) is not None:
            self._warn_at = time.monotonic() + _WARNS_EVERY
            self.warn(warning)

    def tell(self, text: str) -> None:
        """Something the instructor should know."""
        self._console.print(Text(words.printable(text)), soft_wrap=not self._console.is_terminal)

    def warn(self, text: str) -> None:
        """Something that makes the results worth less than they could be."""
        if self._live is not None:
            self.tell(f"warning: {text}")
        else:
            print(f"warning: {words.printable(text)}", file=sys.stderr)

    def pause(self, reason: str) -> None:
        """The database cannot be written: nothing goes on for a moment."""
        self.tell(f"paused: {reason}. Trying again every {_PAUSE:g} s; Ctrl-C stops, nothing is lost")
        time.sleep(_PAUSE)

    def conclude(self, tournament: Tournament, database: Database) -> None:
        """Standings, faults, and what one may want to know next."""
        name = self._league.name
        with database.reading() as connection:
            results, statuses, byes = read_results(connection, [name])
        show_standings(results, statuses, byes)
        if tournament.test is not None and self._league.sprt is not None:
            self.tell(self._outcome(self._league.sprt, tournament.test))
        if tournament.is_over:
            self.tell(f"{name} is finished: {_some(tournament.all, 'game')}. Next:")
            quoted = shlex.quote(name)
            for command in (f"rank {quoted}", f"crosstable {quoted}", f"history --tournament {quoted}"):
                self.tell(f"  arena {command}")
            self._tell_of_trouble(tournament, database)
        else:
            self.tell(f"stopped after {tournament.over} of {tournament.all} games; the same command goes on")

    def _tell_of_trouble(self, tournament: Tournament, database: Database) -> None:
        """Which games have no result, and how to see who failed."""
        name = self._league.name
        with database.reading() as connection:
            outcomes = running.outcomes(connection, tournament.id)
            old = superseded(connection, tournament.id)
        if old:
            self.tell(
                f"{_some(old, 'game')} of earlier versions count no more; "
                "the same command with --rerun-changed plays them again"
            )
        void = [one.number for one in outcomes if one.status == "void" and None in one.points.values()]
        if void:
            which = ", ".join(f"{name}-{number}" for number in void[:_LAST]) + ", ..." * (len(void) > _LAST)
            self.tell(
                f"void {MOST_ATTEMPTS} times, and without a result: {which}. `arena show {name}-{void[0]}` says why, "
                "`arena award` gives a game to a player"
            )
        if any(one.fault is not None for one in outcomes):
            self.tell(f"  arena history --tournament {shlex.quote(name)} --fault any")
            self.tell("  arena show ID   (why that game failed)")

    @property
    def _other(self) -> str:
        """Against whom the player plays whom the test of a match is about."""
        test = self._league.sprt
        return next((agent.name for agent in self._league.agents if test and agent.name != test.of), "")

    def _outcome(self, test: SprtTerms, found: Weighed) -> str:
        """What the test of a match has come to, in words."""
        said = f"{found.verdict} accepted: {test.claim(found.verdict, self._other)}" if found.verdict else "not decided"
        bounds = f"(llr {found.llr:.2f}, bounds {found.lower:.2f} {found.upper:.2f})"
        return f"sprt: {said} {bounds} after {2 * found.pairs} of {_some(self._league.estimate.games, 'game')}"

    def _picture(self) -> Group:
        """The live table; asked for by a thread of its own, several times a second."""
        tournament = self._tournament
        bar = Progress(
            TextColumn("{task.completed:.0f}/{task.total:.0f}"),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[left]}"),
        )
        if tournament is not None:
            bar.add_task("", total=max(1, tournament.all), completed=tournament.over, left=self._time_left(tournament))
        now = [
            Text(
                "  playing: " + words.printable(" - ".join(entrant.name for entrant in game.entrants)),
                no_wrap=True,
                overflow="ellipsis",
            )
            for game in (self._director.in_progress[:4] if self._director is not None else ())
        ]
        if tournament is not None and (found := tournament.test) is not None:
            now.insert(0, Text(f"  sprt: llr {found.llr:.2f} between {found.lower:.2f} and {found.upper:.2f}"))
        return Group(self._standings, bar, *now, *self._results)

    def _ranked(self) -> Table:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        for title, justify in (
            ("rank", "right"),
            ("name", "left"),
            ("games", "right"),
            ("points", "right"),
            ("score", "right"),
            ("elo", "right"),
        ):
            table.add_column(title, justify=justify, no_wrap=True)  # type: ignore[arg-type]
        rated = self._ticker.rated() if self._ticker is not None else {}
        totals = {name: sum(points) for name, points in self._points.items()}
        for name, points in sorted(self._points.items(), key=lambda item: (-totals[item[0]], item[0])):
            rank = 1 + sum(total > totals[name] for total in totals.values())
            score = f"{sum(points) / len(points):.1%}" if points else "-"
            elo = f"{rated[name].rating:.0f}" if name in rated else "-"
            table.add_row(
                str(rank), Text(words.printable(name)), str(len(points)), words.number(totals[name]), score, elo
            )
        return table

    def _line(self, event: Finished, tournament: Tournament) -> Text:
        record = event.record
        width = len(str(tournament.all))
        if len(record.seats) == 2:
            first, second = (words.printable(seat.player) for seat in record.seats)
            who = f"{first} {words.result([seat.points for seat in record.seats])} {second}"
        else:
            who = "  ".join(f"{words.printable(seat.player)} {words.number(seat.points)}" for seat in record.seats)
        spent = ", ".join(f"{words.printable(seat.player)} {seat.spent / SECOND:.1f} s" for seat in record.seats)
        how = record.detail or "normal" if record.verdict == "normal" else words.verdict(record)
        length = words.plies(len(record.moves))
        return Text(
            f"{tournament.over:{width}}/{tournament.all}  {who}   {event.game.game}   {length}   "
            f"{words.printable(how)}   ({spent})",
            no_wrap=True,
            overflow="ellipsis",
        )

    def _time_left(self, tournament: Tournament) -> str:
        played = tournament.over - self._first
        if not played:
            return ""
        left = (time.monotonic() - self._began) / played * (tournament.all - tournament.over)
        return f"about {_about(left)} left"


def _ticker(tournament: Tournament) -> Elo:
    """Where everybody stands after the games that are over. Loaded here: a screen alone needs it."""
    from arena.ratings.elo import Elo

    ticker = Elo()
    for played in tournament.rated_so_far():
        ticker.play(played)
    return ticker


def _played(event: Finished) -> RatedGame | None:
    """The game as ratings take it; None where it is not rated."""
    from db.records import RatedGame

    points = [seat.points for seat in event.record.seats]
    shares = tuple(share for share in points if share is not None)
    if len(shares) < len(points) or event.record.verdict in (Verdict.FORFEIT, Verdict.VOID):
        return None
    return RatedGame(tuple(seat.player for seat in event.record.seats), shares)


def _game(league: League) -> float:
    """How many seconds a game may take, both sides together; 0 where nobody can say."""
    control = TimeControl.parse(league.clock)
    seats = 2
    moves = _MOVES if league.max_plies is None else -(-league.max_plies // seats)
    each = control.move * moves if control.move else control.base + control.increment * moves
    return seats * each / SECOND


def _about(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = seconds / 60
    return f"{minutes:.0f} minutes" if minutes < 120 else f"{minutes / 60:.1f} hours"


def _some(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"
