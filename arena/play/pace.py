"""How many games to play at the same time: one fewer when players wait too long for a processor, one more when not.

A director passes each game's record to a Pace. A Pace decides nothing about games: what a wait costs is decided in
`arena/match/clock.py`.
"""

from __future__ import annotations

from typing import Final

from agents.protocol import Verdict
from arena.match.clock import MILLISECOND, SECOND, TOO_BUSY
from arena.match.schedule import PaceChanged
from db.records import GameRecord

GAMES: Final = 20
"""The number of games after which the waits are examined."""
TOO_MUCH: Final = 0.2
"""If players waited for more than this share of their thinking time, one game fewer is played."""
LITTLE: Final = 0.05
"""If they waited for less than this share, one game more can be played."""
_THINKS: Final = 5 * MILLISECOND
"""Shorter turns are not examined, because a process takes time to wake up on any machine; in nanoseconds."""
_LEAST_THINKING: Final = SECOND
"""With less thinking time in the last games nothing changes, in nanoseconds."""


class Pace:
    """How many games are played at the same time, decided by the waits in the last games."""

    def __init__(self, most: int) -> None:
        self.at_once = self._most = most
        # Since the last decision: number of games, thinking time, and waiting time.
        self._games = self._thought = self._waited = 0
        # Decisions in a row with little waiting, and how many are needed for one game more: twice as many each time
        # that one more was too many.
        self._calm = 0
        self._needed = 1
        self._has_risen = False

    def note(self, record: GameRecord) -> PaceChanged | None:
        """A game is over. After every `GAMES` games: the change, if any; also if players wait in a single game."""
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
