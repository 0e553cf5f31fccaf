"""Schedules that are fed while a host's director plays them: what was sent, until nothing has come for a while."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import Final

from arena.match.schedule import Finished, Planned, Schedule

_IDLE: Final = 30.0
"""Seconds without a game after which a director and its idle players end."""


class Fed(Schedule):
    """A schedule that waits for games."""

    # When it stops waiting; 0: a game was taken since.
    _until = 0.0

    def _taken(self, game: Planned | None) -> Planned | None:
        if game is not None:
            self._until = 0.0
        return game

    def rest(self) -> float | None:
        """Waits for games; None after `_IDLE`."""
        self._until = self._until or monotonic() + _IDLE
        left = self._until - monotonic()
        return left if left > 0 else None


class FedGames(Fed):
    """The games that were sent to a host."""

    def __init__(self, note: Callable[[Finished], None]) -> None:
        self.games: deque[Planned] = deque()
        self._note = note

    def next(self) -> Planned | None:
        """The next game."""
        return self._taken(self.games.popleft() if self.games else None)

    def ahead(self) -> Planned | None:
        """The next game: it was given out already, so that no result decides whether it is played."""
        return self.next()

    def note(self, finished: Finished) -> None:
        """Passes the result on."""
        self._note(finished)

    def give_back(self, game: Planned) -> None:
        """The game is the next one again."""
        self.games.appendleft(game)
