"""The pauses of an agent: while it is not its turn, it gets no processor time.

A pause has two parts. The agent is *stopping* from the signal until the kernel says that its last thread has stopped.
That takes as long as the machine needs: a busy processor lets a thread run before it notices, and a long system call
ends first. Then it is *stopped*, until it is resumed. Honest agents compute in neither part, so one that does is found
by its processor time, whatever trick it has used. A resume by somebody else, such as an administrator, is no fault: the
agent is stopped again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from arena.match.clock import MILLISECOND, SECOND
from arena.walls.jail import Confined

_FIRST_LOOK: Final = MILLISECOND
_LONGEST_TO_LOOK: Final = 16 * MILLISECOND
"""When it is looked at again while it is stopping: each time twice as late, up to this."""
_MOST_STOPPING: Final = 50 * MILLISECOND
"""Processor time in user mode that it can use while it is stopping."""
_OF_SAMPLES: Final = 8
"""The kernel divides processor time into that of programs and its own by samples: of this part of its own it is not
sure."""
_MOST_STOPPED: Final = 5 * MILLISECOND
"""Processor time that it can use while it is stopped."""
_MOST_IN_KERNEL: Final = 10 * SECOND
"""Processor time in its last system calls: less than makes a game void, more than to fill all its memory takes."""


class Pause:
    """The pauses of one agent. Times are in nanoseconds."""

    def __init__(self, confined: Confined, clock: Callable[[], int]) -> None:
        self._confined = confined
        self._usage = confined.usage
        self._clock = clock
        # When the next look is due; None: none is, because it runs, or is still.
        self.look_at: int | None = None
        # Whether it is still: all its threads have stopped.
        self.is_still = False
        # How often somebody else has resumed it.
        self.woken = 0
        # Processor time that it has used since the pause began, at the last look.
        self.used = 0
        self._interval = 0
        # Processor time when the pause began: all of it, and that in user mode; and what was used until it was still.
        self._all_before: int | None = None
        self._user_before: int | None = None
        self._at_rest = 0

    def begin(self) -> bool:
        """Tells the agent to stop; False if it starts processes faster than they can be stopped."""
        self.is_still = False
        has_stopped = self._confined.stop()
        self._all_before, self._user_before = self._usage.cpu(), self._usage.user()
        self.used = 0
        self._interval = _FIRST_LOOK
        self.look_at = self._clock() + self._interval
        return has_stopped

    def look(self) -> str:
        """Looks whether it is still; what it has done wrong, in words."""
        was_still, self.is_still = self.is_still, self._confined.is_still()
        fault = self._fault(is_stopped=was_still and self.is_still)
        if was_still and not self.is_still:
            self.woken += 1
            self._interval = _FIRST_LOOK
        if self.is_still:
            self._at_rest = self._at_rest if was_still else self.used
            self.look_at = None
        else:
            self._confined.stop_firmly()
            self.look_at = self._clock() + self._interval
            self._interval = min(2 * self._interval, _LONGEST_TO_LOOK)
        return fault

    def fault(self) -> str:
        """What it has done wrong until now, in words: only its processor time is read, which is fast."""
        return self._fault(is_stopped=self.is_still)

    def end(self) -> None:
        """Lets the agent run."""
        self.is_still = False
        self.look_at = None
        self._confined.resume()

    def _fault(self, *, is_stopped: bool) -> str:
        now = self._usage.cpu()
        self.used = 0 if now is None or self._all_before is None else now - self._all_before
        if is_stopped:
            if (spent := self.used - self._at_rest) > _MOST_STOPPED:
                return f"computed for {spent / SECOND:.3f} s while it was paused, because it was not its turn"
            return ""
        if self.used <= _MOST_STOPPING:
            return ""
        of_programs = min(self.used, (self._usage.user() or 0) - (self._user_before or 0))
        in_kernel = self.used - of_programs
        if of_programs > _MOST_STOPPING + in_kernel // _OF_SAMPLES:
            return f"computed for {of_programs / SECOND:.2f} s after it was told to stop, because it was not its turn"
        if in_kernel > _MOST_IN_KERNEL:
            return f"kept the processor for {in_kernel / SECOND:.0f} s in system calls when it was not its turn"
        return ""
