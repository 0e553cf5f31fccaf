"""For how long the threads of a process ran or were ready to run, as Linux tells it.

`/proc/PID/task/*/schedstat` says of each thread how long it has run and how long it was ready and had no processor. The
second grows only when a wait is over. So a thread that is ready at two looks, with the same counters at both, was
waiting all that time. A process with one thread is read in one call; the others are looked at in long spans alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from time import monotonic_ns
from typing import Final

from arena.match.clock import MILLISECOND
from arena.walls.usage import opened

_LONG: Final = 5 * MILLISECOND
"""In shorter spans the first thread alone is looked at."""


class _Thread:
    """What was last seen of a thread."""

    __slots__ = ("before", "counted", "from_", "since")

    def __init__(self, before: int, now: int) -> None:
        # What it had on its counters when the span began, and when it was last looked at.
        self.before = self.counted = before
        # Since when it has been ready to run with these counters; None: it was not ready when last seen.
        self.since: int | None = None
        # Since when, at the earliest, what comes to its counters next.
        self.from_ = now

    def note(self, counted: int, now: int) -> int:
        """What its counters show now; how much of that belongs to this span.

        They grow no faster than time passes, but for a thread that replaces its program: it takes over the first
        thread's number, and keeps its own counters."""
        self.before += max(0, counted - self.counted - (now - self.from_))
        self.counted = counted
        return counted - self.before


class Runnable:
    """The threads of one process, from one span of time to the next."""

    def __init__(self, pid: int, *, now: Callable[[], int] = monotonic_ns) -> None:
        self._pid = pid
        self._now = now
        self._first = opened(f"/proc/{pid}/schedstat")
        self._tasks = opened(f"/proc/{pid}/task", os.O_DIRECTORY)
        self._threads: dict[int, _Thread] = {}
        # Whether `_threads` has all that were there when the span began: any other has come since.
        self._has_all = False
        self._was_long = True
        self._longest = 0
        self._looked = 0
        self.unsure = False

    def begin(self, *, at_birth: bool = False) -> None:
        """A span begins now; `at_birth`: with the process, which has used nothing before."""
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
        """The longest that one thread ran or was ready to, in this span, which has lasted for `wall` by now."""
        if wall > _LONG and not self._is_alone():
            self.look()
        elif (first := self._threads.get(self._pid)) is not None:
            self._longest = max(self._longest, first.note(self._counted(self._pid), self._now()))
        return self._longest

    def look(self) -> None:
        """Looks at every thread. `unsure` is then whether one may be waiting since a moment that is not known yet."""
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
        """Nothing more will be asked."""
        for file in (self._first, self._tasks):
            if file is not None:
                os.close(file)
        self._first = self._tasks = None

    def _is_alone(self) -> bool:
        """Whether the process has one thread: each is a folder in that of all."""
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
        """Nanoseconds for which the thread has run or was ready; 0 of one that has ended."""
        try:
            if thread == self._pid and self._first is not None:
                data = os.pread(self._first, 100, 0)
            else:
                data = _content(f"/proc/{self._pid}/task/{thread}/schedstat")
            ran, waited, _ = data.split()
            return int(ran) + int(waited)
        except (OSError, ValueError):
            return 0

    def _is_ready(self, thread: int) -> bool:
        """Whether it runs or is ready to run now."""
        with suppress(OSError):
            return _content(f"/proc/{self._pid}/task/{thread}/stat").rpartition(b") ")[2].startswith(b"R")
        return False


def _content(path: str) -> bytes:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(file, 1000)
    finally:
        os.close(file)
