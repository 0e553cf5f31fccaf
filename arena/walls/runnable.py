"""How long the threads of a process ran or were ready to run, from Linux's /proc/PID/task/*/schedstat.

That file has two counters for each thread: how long it has run, and how long it was ready without a processor. The
second one grows only when a wait ends. So a thread that is ready at two looks, with the same counters at both, has
waited all the time between. A process with one thread is read in one call; several threads are read only in long spans.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from time import monotonic_ns
from typing import Final

from arena.match.clock import MILLISECOND
from arena.walls.usage import content, opened, state

_LONG: Final = 5 * MILLISECOND
"""In shorter spans only the first thread is read; in nanoseconds."""


class _Thread:
    """A thread at the last look."""

    __slots__ = ("before", "counted", "from_", "since")

    def __init__(self, before: int, now: int) -> None:
        # The sum of its counters at the start of the span, and at the last look.
        self.before = self.counted = before
        # Since when it has been ready to run with these counters; None: it was not ready at the last look.
        self.since: int | None = None
        # The earliest time that the next growth of its counters can belong to.
        self.from_ = now

    def note(self, counted: int, now: int) -> int:
        """Notes its counters now; returns the part that belongs to this span.

        Counters grow no faster than time passes, except when a thread calls execve: it takes over the first thread's
        id, and keeps its own counters."""
        self.before += max(0, counted - self.counted - (now - self.from_))
        self.counted = counted
        return counted - self.before


class Runnable:
    """The threads of one process, span after span."""

    def __init__(self, pid: int, *, now: Callable[[], int] = monotonic_ns) -> None:
        self._pid = pid
        self._now = now
        self._first = opened(f"/proc/{pid}/schedstat")
        self._tasks = opened(f"/proc/{pid}/task", os.O_DIRECTORY)
        self._threads: dict[int, _Thread] = {}
        # Whether `_threads` has all threads from the start of the span: then any other thread is new.
        self._has_all = False
        self._was_long = True
        self._longest = 0
        self._looked = 0
        self.unsure = False

    def start_span(self, *, at_birth: bool = False) -> None:
        """Starts a span: now, or `at_birth` at the start of the process."""
        now = self._looked = self._now()
        self._longest = 0
        self._has_all = at_birth or self._was_long
        self._threads.clear()
        if at_birth:
            self._threads[self._pid] = _Thread(0, 0)
        else:
            for thread in self._listed() if self._was_long and not self._is_alone() else (self._pid,):
                self._threads[thread] = _Thread(self._counted(thread), now)
        self._was_long = False

    def longest(self, wall: int) -> int:
        """The longest time that one thread ran or was ready in this span, which has taken `wall` so far."""
        if wall > _LONG and not self._is_alone():
            self.look()
        elif (first := self._threads.get(self._pid)) is not None:
            self._longest = max(self._longest, first.note(self._counted(self._pid), self._now()))
        return self._longest

    def look(self) -> None:
        """Reads every thread. Sets `unsure`: whether a thread may be waiting since a time that is not known yet."""
        self._was_long = True
        self.unsure = False
        now = self._now()
        for number in self._listed():
            counted = self._counted(number)
            thread = self._threads.get(number)
            if thread is None or counted < thread.counted:
                is_new = self._has_all or thread is not None
                thread = self._threads[number] = _Thread(0 if is_new else counted, self._looked)
            is_ready = self._is_ready(number)
            has_run = counted != thread.counted
            own = thread.note(counted, now)
            if not is_ready:
                thread.since = None
            elif thread.since is None or has_run:
                thread.since = now
                self.unsure = True
            if not is_ready or has_run:
                thread.from_ = self._looked
            waiting = 0 if thread.since is None else now - thread.since
            self._longest = max(self._longest, own + waiting)
        self._has_all = True
        self._looked = now

    def close(self) -> None:
        """Closes its descriptors; nothing more can be read."""
        for file in (self._first, self._tasks):
            if file is not None:
                os.close(file)
        self._first = self._tasks = None

    def _is_alone(self) -> bool:
        """Whether the process has one thread: /proc/PID/task has one folder for each."""
        try:
            return self._tasks is None or os.fstat(self._tasks).st_nlink <= 3
        except OSError:
            return True

    def _listed(self) -> list[int]:
        try:
            return [int(thread) for thread in os.listdir(self._tasks)] if self._tasks is not None else []
        except OSError:
            return []

    def _counted(self, thread: int) -> int:
        """Nanoseconds that the thread has run or was ready; 0 if it has ended."""
        try:
            if thread == self._pid and self._first is not None:
                data = os.pread(self._first, 100, 0)
            else:
                data = content(f"/proc/{self._pid}/task/{thread}/schedstat")
            ran, waited, _ = data.split()
            return int(ran) + int(waited)
        except (OSError, ValueError):
            return 0

    def _is_ready(self, thread: int) -> bool:
        """Whether the thread runs or is ready to run now."""
        return state(f"/proc/{self._pid}/task/{thread}") == b"R"
