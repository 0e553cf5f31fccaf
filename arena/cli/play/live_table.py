"""The live table of a running tournament: standings, games in progress, last results, time left.

The director's thread only notes a finished game. A thread of Rich draws the table, and updates the ratings before.
The standings are those of `arena results`, cut to the height of the screen; the rest is always shown whole.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from rich.console import Group, RenderableType
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from agents.protocol import Verdict
from arena.cli.play.run_progress import RunProgress
from arena.cli.terminal import bars
from arena.history import words
from arena.match.schedule import Finished
from arena.ratings.points import APART
from arena.ratings.systems.incremental import Elo, EloRating
from arena.results.columns import Column, Medium
from arena.results.report import ReportedAgent, reported_agents
from arena.results.standings_table import columns_of
from db.errors import Busy
from db.records import RatedGame

if TYPE_CHECKING:
    from arena.hosts.home import Home
    from arena.play.director import Director
    from arena.tournament.tournament import Tournament

_LAST: Final = 6
"""Number of results that are shown below the table."""
_PLAYING: Final = 4
"""Number of games in progress that are shown."""
_WIDE: Final = 78
"""Columns from which on the range of a score is shown."""
_SHARE: Final = 0.05
"""Largest share of the time that is spent on reading the standings."""
_EVERY: Final = 0.1
"""Shortest time between two readings of the standings, in seconds."""


class LiveTable:
    """What a terminal shows while a tournament runs."""

    def __init__(self, tournament: Tournament, *, clock: Callable[[], float] = time.monotonic) -> None:
        # The director that plays the games; None until it has started.
        self.director: Director | Home | None = None
        self._tournament = tournament
        self._clock = clock
        # The ratings, without the finished games in `_unrated`: they are added when the table is drawn.
        self._ratings = Elo()
        for played in tournament.rated_so_far():
            self._ratings.play(played)
        self._unrated: deque[Finished] = deque()
        self._results: list[str] = []
        self._progress = RunProgress(tournament, clock)
        self._read_standings()

    def add(self, event: Finished, line: str) -> None:
        """Add a finished game, with its result as a `line`."""
        self._unrated.append(event)
        self._results = [*self._results, line][-_LAST:]
        if self._clock() >= self._read_again:
            with suppress(Busy):  # the tournament itself waits for the database, before its next result
                self._read_standings()

    def _read_standings(self) -> None:
        """Read the standings from the database, with the forfeits, rulings and new versions that no event reports."""
        began = self._clock()
        self._standings = reported_agents(self._tournament.standings())  # one assignment: a thread reads them
        self._stands = self._tournament.stands() if len(self._standings) == 2 else ""
        ended = self._clock()
        self._read_again = ended + max(_EVERY, (ended - began) / _SHARE)

    def _rated(self) -> dict[str, EloRating]:
        """The ratings after all games so far."""
        while self._unrated:
            if (played := _played(self._unrated.popleft())) is not None:
                self._ratings.play(played)
        return self._ratings.rated()

    def picture(self, width: int, height: int) -> Group:
        """The current table for a screen of that size; a thread calls this several times a second."""
        tournament = self._tournament
        bar = Progress(
            TextColumn("{task.completed:.0f}/{task.total:.0f}"),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[left]}"),
        )
        bar.add_task("", total=max(1, tournament.expected), completed=tournament.over, left=self._progress.time_left())
        playing = self.director.in_progress if self.director is not None else []
        now = [
            Text(
                "  playing: " + words.printable(" - ".join(entrant.name for entrant in game.entrants)),
                no_wrap=True,
                overflow="ellipsis",
            )
            for game in playing[:_PLAYING]
        ]
        if (more := len(playing) - _PLAYING) > 0:
            now.append(Text(f"  ... and {words.counted(more, 'more game')}"))
        if (hosts := getattr(self.director, "status", None)) is not None:
            now.insert(0, Text(f"  {hosts()}"))
        if self._stands:
            now.insert(0, Text(f"  {words.printable(self._stands)}", overflow="fold"))
        results = [Text(line, no_wrap=True, overflow="ellipsis") for line in self._results]
        below: list[RenderableType] = [bar, *now, *results]
        head = 1
        return Group(*self._table(height - head - len(below), width), *below)

    def _table(self, most: int, width: int) -> list[RenderableType]:
        """The standings, in at most this number of lines below their head."""
        lines, rated = self._standings, self._rated()
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        elo = Column[ReportedAgent](
            "elo", value=lambda one: f"{round(rated[one.name].rating)}" if one.name in rated else "-", number=True
        )
        interval = Column[ReportedAgent](bars.SCORE, value=lambda one: bars.score(one.standing))
        columns = [*columns_of(lines, Medium.LIVE), elo, *([interval] if width >= _WIDE else [])]
        for one in columns:
            table.add_column(one.title or one.name, justify="right" if one.number else "left", no_wrap=True)
        # None stands for the heading above the players that are apart.
        apart = [line for line in lines if line.standing.apart]
        rows = [*(line for line in lines if not line.standing.apart), *([None] if apart else []), *apart]
        shown = rows if len(rows) <= most else rows[: max(1, most - 1)]
        for line in shown:
            if line is None:
                table.add_row("", Text(f"the {APART}:", "dim"))
            else:
                table.add_row(*(Text(words.printable(one.said(line))) for one in columns))
        hidden = sum(line is not None for line in rows[len(shown) :])
        return [table, *([Text(f"... and {hidden} more")] if hidden else [])]


def _played(event: Finished) -> RatedGame | None:
    """The game as a rated game; None if it is not rated."""
    points = [seat.points for seat in event.record.seats]
    shares = tuple(share for share in points if share is not None)
    if len(shares) < len(points) or event.record.verdict in (Verdict.FORFEIT, Verdict.VOID):
        return None
    return RatedGame(tuple(seat.player for seat in event.record.seats), shares)
