"""Measures what an agent uses in a game and in a turn: processor time, and time that it waits for a processor.

The guard of an agent asks a Meter, which reads the kernel's counters. Waiting can be measured in a sandbox, where an
agent is one process whose threads can all be read, and in a container with its own control group. Elsewhere an agent
may wait for its own unseen child processes, so its waiting is charged.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from time import monotonic_ns, thread_time_ns
from typing import Final, NamedTuple

from agents.own_process import own_wait
from arena.match.allowance import WallKind
from arena.match.clock import MILLISECOND, charged, slept, waited
from arena.walls import cgroup
from arena.walls.jail import Confined
from arena.walls.usage import LINUX, content, opened, state

_LONG_TURN: Final = MILLISECOND
"""After a longer turn the meter looks for new processes of the agent, which takes 50 microseconds. In nanoseconds."""


def counts_waits(kind: WallKind | None) -> bool:
    """Whether an agent's waits for a processor can be measured behind such walls; None: a built-in agent."""
    if kind is WallKind.CONTAINER:
        return cgroup.measures_waits()
    return LINUX and kind is not WallKind.LIMITS


class Used(NamedTuple):
    """What an agent used in a span that took `wall`; all in nanoseconds."""

    wall: int
    cpu: int | None
    delay: int
    """How long the agent waited for a processor, and its warden for one to read what it wrote; 0 if not known."""

    @property
    def charged(self) -> int:
        """The part that is charged to its clock."""
        return charged(self.wall, self.cpu, self.delay)


class Meter:
    """The meter of one process, game after game. A span is a turn, or the time until the agent must be ready."""

    def __init__(self, confined: Confined) -> None:
        self._confined = confined
        self._usage = confined.usage
        self._threads = Runnable(confined.pid) if self._usage.single_process and LINUX else None
        self._before_game: int | None = None
        # At the start of this span: processor time used, and the group's time without a processor.
        self._before: int | None = 0
        self._starved_before: int | None = None
        # This process: its waits when it last became idle or found a full pipe, and its processor time at the start
        # of the span.
        self._own_wait = 0
        self._own_cpu = 0
        # In this wake-up it found a full pipe: until its next read, all its waits may keep the agent blocked.
        self._found_full = False
        # In this span: how long its waits have held the agent up, and how long the agent had slept by then.
        self._held = self._slept = 0

    def start_game(self) -> None:
        """Starts to measure a game."""
        self._before_game = self._usage.cpu()

    def of_game(self) -> int | None:
        """Nanoseconds of processor time in this game."""
        return _since(self._before_game, self._usage.cpu() if self._confined.cpu is None else self._confined.cpu)

    def start_span(self, *, at_birth: bool = False) -> None:
        """Starts a span: now, or `at_birth` at the start of the process."""
        self._before = 0 if at_birth else self._usage.cpu()
        self._own_cpu = thread_time_ns()
        self._found_full = False
        self._held = self._slept = 0
        if self._threads is not None:
            self._threads.start_span(at_birth=at_birth)
        else:
            self._starved_before = 0 if at_birth else self._starved()

    def note_idle(self) -> None:
        """This process becomes idle: its waits for a processor from now on delay the reading of the answer."""
        if not self._found_full:
            self._own_wait = own_wait() or 0
        self._found_full = False

    def note_full_pipe(self, wall: int) -> None:
        """After `wall` of the turn a pipe was full: the agent may have been blocked while this process waited."""
        cpu, runnable = self._measured(wall)
        if cpu is not None and runnable is not None:
            self._hold(wall, cpu, runnable)
            self._found_full = True

    def so_far(self, wall: int) -> Used:
        """What was used in this span, which has taken `wall` so far."""
        return self._used(wall)

    def of_answer(self, wall: int) -> Used:
        """What was used in the turn, whose answer was read after `wall`, in the present wake-up of this process."""
        return self._used(wall, is_answered=True)

    def _used(self, wall: int, *, is_answered: bool = False) -> Used:
        cpu, runnable = self._measured(wall)
        if cpu is None or runnable is None:
            return Used(wall, cpu, 0)
        if is_answered:
            self._hold(wall, cpu, runnable)
        # Waiting for this process is the agent's own: it may have kept this process busy.
        kept_waiting = max(0, waited(wall, cpu, runnable) - (thread_time_ns() - self._own_cpu))
        return Used(wall, cpu, wall - charged(wall, cpu, kept_waiting + self._held))

    def _hold(self, wall: int, cpu: int, runnable: int) -> None:
        """Adds this process's waits to those that held the agent up: at most the time that it has slept since the last
        ones, so that an agent whose pipe is full while it computes cannot sleep for free later."""
        own, asleep = own_wait() or 0, slept(wall, cpu, runnable)
        self._held += max(0, min(own - self._own_wait, asleep - self._slept))
        self._own_wait, self._slept = own, max(self._slept, asleep)

    def _measured(self, wall: int) -> tuple[int | None, int | None]:
        """Its processor time in this span, and the longest time that one of its threads ran or was ready; None: not
        known."""
        if wall > _LONG_TURN and self._threads is None:
            self._look_at_family()
        cpu = _since(self._before, self._usage.cpu())
        if cpu is None:
            return None, None
        if self._threads is not None:
            return cpu, self._threads.longest(wall)
        starved = _since(self._starved_before, self._starved())
        return cpu, None if starved is None else cpu + starved

    def _starved(self) -> int | None:
        group = self._usage.group
        return None if group is None else group.starved()

    def look(self) -> bool:
        """Finds new processes and waits of the agent. True if a wait may have just started: then look again."""
        if self._threads is None:
            self._look_at_family()
            self._usage.cpu()
            return False
        self._threads.look()
        return self._threads.unsure

    def _look_at_family(self) -> None:
        self._confined.reap_orphans()
        self._usage.look()

    def close(self) -> None:
        """Closes its descriptors; nothing more can be measured."""
        if self._threads is not None:
            self._threads.close()


def _since(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else max(0, after - before)


# How long the threads of a process ran or were ready to run, from Linux's /proc/PID/task/*/schedstat.


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
