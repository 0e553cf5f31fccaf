"""Whether the machine is overloaded: how long players waited for a processor, and the referee for them.

A director shows each game's record to an Overload, which advises how many games to play at once. It decides nothing
about games: what a wait costs is decided in `arena/match/clock.py`.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from arena.match.clock import MILLISECOND, SECOND
from db.records import GameRecord

GAMES: Final = 20
"""So many of the last games are looked at, since the number of games at once was changed."""
_THINKS: Final = 5 * MILLISECOND
"""Of shorter turns the waits say nothing: waking up takes its time on any machine."""
_LEAST_THINKING: Final = SECOND
TOO_MUCH: Final = 0.2
"""Players who waited for more of their thinking time than this are too many at once."""
LITTLE: Final = 0.05
"""Where they waited for less than this, one game more can be played."""


class Overload:
    """The last games, and how much of their time was spent waiting."""

    def __init__(self) -> None:
        # Of each: how long players thought, and how long of that they waited.
        self._games: deque[tuple[int, int]] = deque(maxlen=GAMES)

    def note(self, record: GameRecord) -> None:
        """A game is over."""
        thought = 0
        waited = 0
        for move in record.moves:
            wait = (move.lag or 0) + (move.delay or 0)
            if (move.spent or 0) + (move.delay or 0) >= _THINKS:
                thought += (move.spent or 0) + wait
                waited += wait
        self._games.append((thought, waited))

    def forget(self) -> None:
        """Something has changed: the games until now say nothing of those that come."""
        self._games.clear()

    @property
    def share(self) -> float:
        """How much of their thinking time players waited; 0 where they hardly thought."""
        thought = sum(game[0] for game in self._games)
        return sum(game[1] for game in self._games) / thought if thought >= _LEAST_THINKING else 0.0

    def advice(self) -> int:
        """By how many the games at once should change: -1, 0 or 1."""
        if len(self._games) < GAMES:
            return 0
        return -1 if self.share > TOO_MUCH else 1 if self.share < LITTLE else 0
