"""The live table of a running tournament: who leads, what is being played, the last results, how long it may take."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from agents.protocol import Verdict
from arena.history import words
from arena.match.schedule import Finished
from arena.ratings.elo import Elo
from db.records import RatedGame

if TYPE_CHECKING:
    from arena.play.director import Director
    from arena.tournament.tournament import Tournament

_LAST: Final = 6
"""Number of results that are shown below the table."""


class LiveTable:
    """What a terminal shows while a tournament runs."""

    def __init__(self, tournament: Tournament) -> None:
        # Who plays the games; set when that is known.
        self.director: Director | None = None
        self._tournament = tournament
        # Of each player, the points of its games.
        self._points = dict(tournament.points_so_far())
        # Ratings that follow the games.
        self._ratings = Elo()
        for played in tournament.rated_so_far():
            self._ratings.play(played)
        self._standings = self._ranked()
        self._results: list[Text] = []
        self._began = time.monotonic()
        # How many games were over when this run began.
        self._first = tournament.over

    def add(self, event: Finished, line: Text) -> None:
        """A game is over; `line` says how."""
        for seat in event.record.seats:
            if seat.points is not None:
                self._points.setdefault(seat.player, []).append(seat.points)
        if (played := _played(event)) is not None:
            self._ratings.play(played)
        self._results = [*self._results, line][-_LAST:]
        self._standings = self._ranked()

    def picture(self) -> Group:
        """The table as it is now; Rich asks for it from a thread of its own, several times a second."""
        tournament = self._tournament
        bar = Progress(
            TextColumn("{task.completed:.0f}/{task.total:.0f}"),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[left]}"),
        )
        bar.add_task("", total=max(1, tournament.all), completed=tournament.over, left=self._time_left())
        now = [
            Text(
                "  playing: " + words.printable(" - ".join(entrant.name for entrant in game.entrants)),
                no_wrap=True,
                overflow="ellipsis",
            )
            for game in (self.director.in_progress[:4] if self.director is not None else ())
        ]
        if (found := tournament.test) is not None:
            now.insert(0, Text(f"  sprt: llr {found.llr:.2f} between {found.lower:.2f} and {found.upper:.2f}"))
        return Group(self._standings, bar, *now, *self._results)

    def _ranked(self) -> Table:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        for title in ("rank", "name", "games", "points", "score", "elo"):
            table.add_column(title, justify="left" if title == "name" else "right", no_wrap=True)
        rated = self._ratings.rated()
        totals = {name: sum(points) for name, points in self._points.items()}
        for name, points in sorted(self._points.items(), key=lambda item: (-totals[item[0]], item[0])):
            rank = 1 + sum(total > totals[name] for total in totals.values())
            score = f"{sum(points) / len(points):.1%}" if points else "-"
            elo = f"{rated[name].rating:.0f}" if name in rated else "-"
            table.add_row(
                str(rank), Text(words.printable(name)), str(len(points)), words.number(totals[name]), score, elo
            )
        return table

    def _time_left(self) -> str:
        played = self._tournament.over - self._first
        if not played:
            return ""
        left = (time.monotonic() - self._began) / played * (self._tournament.all - self._tournament.over)
        return f"about {words.rough_duration(left)} left"


def _played(event: Finished) -> RatedGame | None:
    """The game as ratings take it; None where it is not rated."""
    points = [seat.points for seat in event.record.seats]
    shares = tuple(share for share in points if share is not None)
    if len(shares) < len(points) or event.record.verdict in (Verdict.FORFEIT, Verdict.VOID):
        return None
    return RatedGame(tuple(seat.player for seat in event.record.seats), shares)
