"""How far a running tournament is, and how much time it needs: for the live table, and for a log file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from arena.history import words
from arena.tournament.tournament import Tournament

if TYPE_CHECKING:
    pass


_EVERY: Final = 60.0
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
        self._next_line = self._began + _EVERY

    def time_left(self) -> str:
        """The time that the other games need: "about 5 minutes left". Empty before the first game is over, and after
        the last."""
        played, to_play = self._tournament.over - self._first, self._tournament.expected - self._first
        return words.time_left(played, to_play, self._clock() - self._began)

    def line(self, now: str) -> str:
        """A line for a log file, at most one a minute; otherwise empty. `now`: the date and time to print."""
        if self._clock() < self._next_line:
            return ""
        self._next_line = self._clock() + _EVERY
        played = f"{now}  {self._tournament.over:,} of {self._tournament.expected:,} games are over"
        return ", ".join(filter(None, (played, self.time_left())))
