"""The schedule that a host's director plays: the games that home has sent, until none has come for a while."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import Final

from arena.match.schedule import Finished, Planned, Schedule

_IDLE: Final = 30.0
"""Seconds without a game after which a director and its idle players end."""


class FedGames(Schedule):
    """The games that were sent to a host."""

    def __init__(self, note: Callable[[Finished], None]) -> None:
        self.games: deque[Planned] = deque()
        self._note = note
        # When it stops waiting; 0: a game was taken since.
        self._until = 0.0

    def next(self) -> Planned | None:
        """The next game."""
        if not self.games:
            return None
        self._until = 0.0
        return self.games.popleft()

    def ahead(self) -> Planned | None:
        """The next game: it was given out already, so that no result decides whether it is played."""
        return self.next()

    def rest(self) -> float | None:
        """Waits for games; None after `_IDLE`."""
        self._until = self._until or monotonic() + _IDLE
        left = self._until - monotonic()
        return left if left > 0 else None

    def note(self, finished: Finished) -> None:
        """Passes the result on."""
        self._note(finished)

    def give_back(self, game: Planned) -> None:
        """The game is the next one again."""
        self.games.appendleft(game)
