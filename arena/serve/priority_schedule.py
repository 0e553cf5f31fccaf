"""Several schedules as one: each is asked for a game in its turn, so their order is their priority.

The standing director plays this schedule. It never ends by itself: with no game to start, the director asks again after
a rest. The end of a game goes to the schedule that gave it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, Protocol

from arena.match.schedule import Finished, Planned, Schedule
from arena.serve.open_ladders import OpenLadder

REST: Final = 2.0
"""Seconds until the director asks again at the latest."""


class StandingSchedule(Schedule, Protocol):
    """A schedule that goes on after its referee is lost, and whose games have numbers that no other schedule uses: ids
    of the database, or larger ones for games without a row."""

    def look(self, _ladder: OpenLadder, /) -> None:
        """Rows of the database can have changed, and this is the ladder now. `next` reads what matters to it."""
        return

    def given(self, _game: Planned, /) -> None:
        """A schedule, this one or another, has given this game to the director."""
        return

    def interrupted(self) -> None:
        """The referee died during the games in progress: they are to be played again."""
        return

    def close(self) -> None:
        """Ends the run; games in progress are to be played again in the next one."""
        return


class FurtherTurn(StandingSchedule):
    """Another turn of a schedule, in which it is asked for other games. All else the schedule does in its own turn."""

    def __init__(self, of: StandingSchedule, next: Callable[[], Planned | None]) -> None:
        self._of = of
        self._next = next

    def next(self) -> Planned | None:
        return self._next()

    def note(self, finished: Finished) -> None:
        self._of.note(finished)


class PrioritySchedule(StandingSchedule):
    """The schedules in the order of their priority. No game is given ahead: the next schedule's turn may come."""

    def __init__(self, schedules: Iterable[StandingSchedule]) -> None:
        self._schedules = [*schedules]
        # By the number of each game in progress: the schedule that gave it.
        self._givers: dict[int, StandingSchedule] = {}

    def next(self) -> Planned | None:
        """The first game that a schedule has."""
        return self._first((schedule, schedule.next) for schedule in self._schedules)

    def beside(self) -> Planned | None:
        """The first game beside all others that a schedule has."""
        return self._first((schedule, schedule.beside) for schedule in self._schedules)

    def _first(self, asked: Iterable[tuple[StandingSchedule, Callable[[], Planned | None]]]) -> Planned | None:
        for schedule, ask in asked:
            if (game := ask()) is not None:
                self._givers[game.number] = schedule
                for each in self._schedules:
                    each.given(game)
                return game
        return None

    def note(self, finished: Finished) -> None:
        self._givers.pop(finished.game.number).note(finished)

    def rest(self) -> float:
        """It never ends by itself."""
        return REST

    def look(self, ladder: OpenLadder) -> None:
        for schedule in self._schedules:
            schedule.look(ladder)

    def interrupted(self) -> None:
        self._givers.clear()
        for schedule in self._schedules:
            schedule.interrupted()

    def close(self) -> None:
        for schedule in self._schedules:
            schedule.close()
