"""Processor cores, one for each game in progress, where there are enough.

A director takes them before its first game: the players of a game run on its core alone, so that no game slows
another; where they think in each other's time, each player needs one. The first is left for the referees and
everything else. Directors of one user share a machine by locks that
go with the process; where a core for each game cannot be had, nobody gets one, and the system decides.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

_TOPOLOGY: Final = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"


class Cores:
    """The cores of one director."""

    def __init__(self, wanted: int) -> None:
        """Takes `wanted` cores, or none."""
        self._locks: list[socket.socket] = []
        self._free: list[int] = []
        # Where this process could run until it gave these cores to games.
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
        # Nobody else who belongs to this process may run there: children inherit it.
        self._before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, self._before - set(self._free))

    def take(self) -> int | None:
        """A core; None: any."""
        return self._free.pop() if self._free else None

    def give_back(self, cores: Iterable[int | None]) -> None:
        """They are free again."""
        self._free += [core for core in dict.fromkeys(cores) if core is not None]

    @property
    def are_there(self) -> bool:
        """Whether there are cores to take."""
        return bool(self._free)

    def close(self) -> None:
        """Others may have them."""
        for lock in self._locks:
            lock.close()
        self._locks.clear()
        self._free.clear()
        if self._before:
            os.sched_setaffinity(0, self._before)
            self._before = set()


def physical() -> list[int]:
    """The processors that this process may use, one of each core: threads of a core slow each other down.

    Empty where the system cannot bind a process to one."""
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
    """How many cores there are for games and everything else."""
    return len(physical()) or os.cpu_count() or 1


def _siblings(number: int) -> set[int]:
    """The processors of the core that this one belongs to."""
    found = {number}
    with suppress(OSError, ValueError), open(_TOPOLOGY.format(number)) as file:
        for part in file.read().strip().split(","):
            first, _, last = part.partition("-")
            found |= set(range(int(first), int(last or first) + 1))
    return found


def _lock(core: int) -> socket.socket | None:
    """What holds the core for this process, a name that goes with it; None where another has it."""
    lock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        lock.bind(f"\0arena-core-{os.getuid()}-{core}")
    except OSError:
        lock.close()
        return None
    return lock
