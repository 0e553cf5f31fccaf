"""By when an agent must have answered, or be ready: later by as much as it was kept waiting for a processor.

The guard asks it when to look, and what was used when that moment has come. Nothing that an agent says moves it.
"""

from __future__ import annotations

from arena.match.clock import MILLISECOND, longest_wait
from arena.walls.meter import Meter, Used


class Deadline:
    """Of one turn, or of one start."""

    def __init__(self) -> None:
        self._waited = 0
        # When it is known whether an agent that is late by now was waiting just then.
        self._sure_at: int | None = None

    def at(self, since: int, limit: int) -> int:
        """By when it must be done for which there was so much time `since` then, as far as is known."""
        due = since + min(limit + self._waited, longest_wait(limit))
        return due if self._sure_at is None else max(due, self._sure_at)

    def move(self, meter: Meter, wall: int, now: int) -> Used:
        """What was used until now; if the agent was kept waiting, the deadline is later by that."""
        unsure = meter.look()
        used = meter.so_far(wall)
        if used.delay > self._waited:
            self._waited = used.delay
            self._sure_at = None
        elif unsure and self._sure_at is None:
            self._sure_at = now + MILLISECOND
        return used
