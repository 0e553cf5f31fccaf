"""The deadline for an answer or for `ready`: later by the time that the agent has waited for a processor.

The guard asks when the deadline is, and moves it by the waits that were measured. No message of an agent moves it.
"""

from __future__ import annotations

from arena.match.clock import MILLISECOND, longest_wait
from arena.walls.busy import Programs
from arena.walls.meter import Meter, Used


class Deadline:
    """The deadline of one turn, or of one start."""

    def __init__(self) -> None:
        self._waited = 0
        # When the next look will show whether an agent that is late now was waiting; None: no look is needed.
        self._sure_at: int | None = None
        # What all programs have used since it was first moved.
        self._programs: Programs | None = None

    def at(self, since: int, limit: int) -> int:
        """When time is up for something that started at `since` with this limit, by the waits measured so far."""
        due = since + min(limit + self._waited, longest_wait(limit))
        return due if self._sure_at is None else max(due, self._sure_at)

    def move(self, meter: Meter, wall: int, now: int) -> Used:
        """Measures what was used until now, and moves the deadline by the time that the agent has waited."""
        unsure = meter.look()
        used = meter.so_far(wall)
        if used.delay > self._waited:
            self._waited = used.delay
            self._sure_at = None
            self._programs = self._programs or Programs()
        elif unsure and self._sure_at is None:
            self._sure_at = now + MILLISECOND
        return used

    def tell_why(self, game: int) -> None:
        """Writes to the log which programs the agent has waited for in that game."""
        if self._programs is not None:
            self._programs.tell(game)
