"""How many games to play at once: fewer where players wait for a processor, and one more again where they do not.

A director shows each game's record to a Pace, which says when to play one game fewer, or one more again. It decides
nothing about games: what a wait costs is decided in `arena/match/clock.py`.
"""

from __future__ import annotations

from typing import Final

from agents.protocol import Verdict
from arena.match.clock import MILLISECOND, SECOND, TOO_BUSY
from arena.match.schedule import PaceChanged
from db.records import GameRecord

GAMES: Final = 20
"""The number of games at a time of which the waits are looked at."""
TOO_MUCH: Final = 0.2
"""Players who waited for more of their thinking time than this are too many at once."""
LITTLE: Final = 0.05
"""Where they waited for less than this, one game more can be played."""
_THINKS: Final = 5 * MILLISECOND
"""Of shorter turns the waits say nothing: waking up takes its time on any machine."""
_LEAST_THINKING: Final = SECOND


class Pace:
    """How many games are played at once, by what the last ones showed."""

    def __init__(self, most: int) -> None:
        self.at_once = self._most = most
        # Of the games since this was last asked: how many, how long players thought, and waited.
        self._games = self._thought = self._waited = 0
        # How often in a row there was little waiting, and how often that must be for one game more: longer each time
        # that one more was too many.
        self._calm = 0
        self._needed = 1
        self._has_risen = False

    def note(self, record: GameRecord) -> PaceChanged | None:
        """A game is over; what follows from the last twenty. Also told where no fewer games can be played."""
        self._games += 1
        for move in record.moves:
            wait = (move.lag or 0) + (move.delay or 0)
            if (move.spent or 0) + (move.delay or 0) >= _THINKS:
                self._thought += (move.spent or 0) + wait
                self._waited += wait
        if record.verdict == Verdict.VOID and TOO_BUSY in record.detail:
            self._thought += 60 * SECOND
            self._waited += 60 * SECOND
        if self._games < GAMES:
            return None
        share = self._waited / self._thought if self._thought >= _LEAST_THINKING else None
        self._games = self._thought = self._waited = 0
        return None if share is None else self._follow(share)

    def _follow(self, share: float) -> PaceChanged | None:
        before = self.at_once
        self._calm = self._calm + 1 if share < LITTLE else 0
        if share > TOO_MUCH:
            self._needed *= 2 if self._has_risen else 1
            self.at_once = max(1, self.at_once - 1)
        elif self._calm >= self._needed and self.at_once < self._most:
            self.at_once += 1
            self._calm = 0
        self._has_risen = self.at_once > before
        if self.at_once == before and share <= TOO_MUCH:
            return None
        return PaceChanged(before, self.at_once, share)
