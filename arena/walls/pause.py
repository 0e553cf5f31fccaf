"""The pauses of an agent: while it is not its turn, it gets no processor time.

A turn ends when the agent is still: when the kernel says that its last thread has stopped. Until then the agent pays
with its own time, whatever its threads do. Then it is paused until it is resumed. An agent that computes in a pause all
the same is found by its processor time, whatever trick it has used. A resume by somebody else, such as an
administrator, is no fault: the agent is stopped again.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

from arena.match.clock import MILLISECOND, SECOND
from arena.walls.jail import Confined, hear_children

_FIRST_LOOK: Final = MILLISECOND
_LONGEST_TO_LOOK: Final = 16 * MILLISECOND
"""When an agent that is not still is looked at again: each time twice as late, up to this."""
_RESUMED_AT: Final = 4
"""In its own time, every fourth look lets an agent that is not still go on until the next one: a process that waits for
a child that has not begun its program is never still, because that child is stopped."""
_MOST_PAUSED: Final = 5 * MILLISECOND
"""Processor time that it can use in a pause."""
_MOST_RESUMED: Final = 50 * MILLISECOND
"""As above, if somebody else has resumed it."""


class Pause:
    """The pauses of one agent. Times are in nanoseconds."""

    def __init__(self, confined: Confined, clock: Callable[[], int]) -> None:
        self._confined = confined
        self._usage = confined.usage
        self._clock = clock
        # Whether it was told to stop and not resumed yet; and whether it is still: all its threads have stopped.
        self.is_on = self.is_still = False
        # When the next look is due; None: none is.
        self.look_at: int | None = None
        # How often somebody else has resumed it: in its life, and in this pause.
        self.woken = 0
        self._woken_now = 0
        self._interval = 0
        self._looks = 0
        # Processor time when it was still.
        self._used: int | None = None

    def begin(self) -> bool:
        """Tells the agent to stop, and waits a moment for it; False if it starts processes faster than they can be
        stopped."""
        self.is_on, self.is_still, self._woken_now, self._looks = True, False, 0, 0
        if not self._confined.stop():
            return False
        for _ in range(self._confined.quick_looks):
            os.sched_yield()  # on one processor, it stops meanwhile
            self.is_still = self._confined.is_still()
            if self.is_still:
                self._used = self._cpu()
                break
        else:
            self._interval = _FIRST_LOOK
            self.look_at = self._clock() + self._interval
        hear_children(True)
        return True

    def look(self, *, may_resume: bool) -> str:
        """Looks whether it is still; what it has done wrong since it was, in words. `may_resume`: what it does until it
        is still is its own time."""
        was_still, self.is_still = self.is_still, self._confined.is_still()
        if self.is_still:
            if not was_still and not self._woken_now:
                self._used = self._cpu()
            self.look_at = None
        else:
            if was_still:
                self.woken += 1
                self._woken_now += 1
                self._interval = _FIRST_LOOK
            self._looks += 1
            if self._looks % _RESUMED_AT or self._woken_now or not may_resume:
                self._confined.stop_firmly()
            else:
                self._confined.resume()
            self.look_at = self._clock() + self._interval
            self._interval = min(2 * self._interval, _LONGEST_TO_LOOK)
        return self.fault()

    def fault(self) -> str:
        """What it has done wrong in this pause until now, in words."""
        now = self._cpu()
        if now is None or self._used is None or not self.is_on:
            return ""
        used = now - self._used
        if used <= (_MOST_RESUMED if self._woken_now else _MOST_PAUSED):
            return ""
        return f"computed for {used / SECOND:.3f} s while it was paused, because it was not its turn"

    def end(self) -> None:
        """Lets the agent run."""
        self.is_on = self.is_still = False
        self.look_at = self._used = None
        hear_children(False)
        self._confined.resume()

    def _cpu(self) -> int | None:
        """Processor time of all its processes, those that were just started too."""
        if self._usage.group is None:
            self._usage.look()
        return self._usage.cpu()
