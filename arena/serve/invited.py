"""Games with people: played before all others, and recorded whole when they are over.

A person's seat is a guest: the director does not start its process, but calls the entrant's `invite` with the address
and the token. If the referee is lost, these games begin again, and their guests are invited again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from typing import Final

from arena.errors import BadFixture
from arena.match.schedule import Finished, InOrder, Planned
from arena.serve.in_turn import StandingSchedule
from arena.tournament.casual import RecordingSchedule
from arena.tournament.recorded_games import Wait
from db.database import Database
from db.errors import Busy, DiskFull

FIRST_NUMBER: Final = 2**41
"""The numbers of these games are from here on: they have no row before they are over."""


class InvitedGames(RecordingSchedule, StandingSchedule):
    """The games with people that are waiting or in progress."""

    def __init__(self, database: Database, wait: Wait) -> None:
        self._queue = InOrder(())
        self._started_as: dict[str, str] = {}
        super().__init__(self._queue, database, self._started_as, {})
        self._wait = wait
        self._numbers = count(FIRST_NUMBER)
        self._in_progress: dict[int, Planned] = {}

    def invite(self, planned: Planned, started_as: Mapping[str, str]) -> int:
        """Plays this game as soon as there is room; returns its number. `started_as`: the text of each name."""
        number = next(self._numbers)
        self._started_as |= started_as
        self._queue.append(replace(planned, number=number))
        return number

    def next(self) -> Planned | None:
        """The next game to start."""
        if (game := super().next()) is not None:
            self._in_progress[game.number] = game
        return game

    def note(self, finished: Finished) -> None:
        """Records the finished game."""
        while True:
            try:
                super().note(finished)
            except (Busy, DiskFull) as error:
                self._wait(str(error))
                continue
            except BadFixture:
                pass  # the rules failed: it is recorded, and not played again
            del self._in_progress[finished.game.number]
            return

    def interrupted(self) -> None:
        """The referee was lost during the games in progress: they begin again."""
        for game in reversed(self._in_progress.values()):
            self._queue.give_back(game)
        self._in_progress.clear()

    def close(self) -> None:
        """Forgets the games that are not over: their people are gone with the process."""
        self._in_progress.clear()
