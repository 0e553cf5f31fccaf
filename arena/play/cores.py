"""One processor core for each game in progress, if there are enough.

A director reserves the cores before its first game. The players of a game run only on its core, so that no game slows
another; with `ponder` each player needs its own. The first core is left for the referees and everything else. Directors
of one user share a machine by locks that end with the process. If there are too few cores, none is reserved, and the
system decides where players run.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final

_TOPOLOGY: Final = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"


class Cores:
    """The cores that one director has reserved."""

    def __init__(self, wanted: int) -> None:
        """Reserves `wanted` cores, or none."""
        self._locks: list[socket.socket] = []
        self._free: list[int] = []
        # The processors of this process before it gave these cores to games.
        self._before: set[int] = set()
        there = physical()
        if len(there) > wanted:
            self._take(there, wanted)

    def _take(self, there: list[int], wanted: int) -> None:
        for core in reversed(there[1:]):
            if len(self._free) == wanted:
                return
            lock = _lock(core)
            if lock is not None:
                self._locks.append(lock)
                self._free.append(core)
        if len(self._free) < wanted:
            self.close()
            return
        # No other child of this process can run there: children inherit the affinity.
        self._before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, self._before - set(self._free))

    def take(self) -> int | None:
        """A free core; None if there is none: then the player can run anywhere."""
        return self._free.pop() if self._free else None

    def give_back(self, cores: Iterable[int | None]) -> None:
        """Makes these cores free again."""
        self._free += [core for core in dict.fromkeys(cores) if core is not None]

    @property
    def any_free(self) -> bool:
        """Whether a core is free."""
        return bool(self._free)

    def close(self) -> None:
        """Releases all cores, for other directors."""
        for lock in self._locks:
            lock.close()
        self._locks.clear()
        self._free.clear()
        if self._before:
            os.sched_setaffinity(0, self._before)
            self._before = set()


def spread(taken: Sequence[int | None], seats: int) -> tuple[int | None, ...]:
    """The core of each seat, if the game has taken these."""
    return tuple([taken[seat % len(taken)] for seat in range(seats)])


def physical() -> list[int]:
    """The processors that this process is allowed to use, one of each core: two threads of a core slow each other down.

    Empty if the system cannot bind a process to a processor."""
    if sys.platform != "linux":
        return []
    usable = sorted(os.sched_getaffinity(0))
    seen = set[int]()
    chosen = list[int]()
    for number in usable:
        if number not in seen:
            chosen.append(number)
            seen |= _siblings(number)
    return chosen


def count() -> int:
    """The number of cores that this process can use."""
    return len(physical()) or os.cpu_count() or 1


def _siblings(number: int) -> set[int]:
    """The processors of the same core, this one included."""
    found = {number}
    with suppress(OSError, ValueError), open(_TOPOLOGY.format(number)) as file:
        for part in file.read().strip().split(","):
            first, _, last = part.partition("-")
            found |= set(range(int(first), int(last or first) + 1))
    return found


def _lock(core: int) -> socket.socket | None:
    """A lock on the core: an abstract socket address, which ends with the process. None if another process has it."""
    lock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        lock.bind(f"\0arena-core-{os.getuid()}-{core}")
    except OSError:
        lock.close()
        return None
    return lock
