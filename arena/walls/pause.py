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
        self._interval = 0
        # Processor time: all of it, and that in user mode, when the pause began; all of it when it was still.
        self._all_before: int | None = None
        self._user_before: int | None = None
        self._at_rest: int | None = None

    def begin(self) -> bool:
        """Tells the agent to stop; False if it starts processes faster than they can be stopped."""
        self.is_still = False
        self._all_before, self._user_before = self._usage.cpu(), self._usage.user()
        self._interval = _FIRST_LOOK
        self.look_at = self._clock() + self._interval
        return self._confined.stop()

    def look(self) -> str:
        """Looks whether it is still; what it has done wrong, in words."""
        was_still, self.is_still = self.is_still, self._confined.is_still()
        used = self._usage.cpu()
        fault = ""
        if not was_still:
            fault = self._of_stopping(used)
        elif self.is_still:
            fault = self._of_stopped(used)
        else:
            self.woken += 1
            self._interval = _FIRST_LOOK
        if self.is_still:
            self._at_rest = self._at_rest if was_still else used
            self.look_at = None
        else:
            self._confined.stop_each_thread()
            self.look_at = self._clock() + self._interval
            self._interval = min(2 * self._interval, _LONGEST_TO_LOOK)
        return fault

    def fault(self) -> str:
        """What it has done wrong until now, in words: only its processor time is read, which is fast."""
        used = self._usage.cpu()
        return self._of_stopped(used) if self.is_still else self._of_stopping(used)

    def end(self) -> None:
        """Lets the agent run."""
        self.is_still = False
        self.look_at = None
        self._confined.resume()

    def _of_stopping(self, used: int | None) -> str:
        if (spent := _since(self._all_before, used)) <= _MOST_STOPPING:
            return ""
        of_programs = min(spent, _since(self._user_before, self._usage.user()))
        in_kernel = spent - of_programs
        if of_programs > _MOST_STOPPING + in_kernel // _OF_SAMPLES:
            return f"computed for {of_programs / SECOND:.2f} s after it was told to stop, because it was not its turn"
        if in_kernel > _MOST_IN_KERNEL:
            return f"kept the processor for {in_kernel / SECOND:.0f} s in system calls when it was not its turn"
        return ""

    def _of_stopped(self, used: int | None) -> str:
        if (spent := _since(self._at_rest, used)) <= _MOST_STOPPED:
            return ""
        return f"computed for {spent / SECOND:.3f} s while it was paused, because it was not its turn"


def _since(before: int | None, after: int | None) -> int:
    return 0 if before is None or after is None else after - before
