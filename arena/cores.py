"""Processor cores, one for each game in progress, where there are enough.

A director takes them before its first game: the players of a game run on its core alone, so that no game slows
another. The first is left for the referees and everything else. Directors of one user share a machine by locks on
files, which go with the process; where a core for each game cannot be had, nobody gets one, and the system decides.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

_TOPOLOGY: Final = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"


class Cores:
    """The cores of one director."""

    def __init__(self, games: int) -> None:
        """For so many games at once."""
        self._locks: list[int] = []
        self._free: list[int] = []
        there = physical()
        if len(there) > games:
            self._take(there, games)

    def _take(self, there: list[int], games: int) -> None:
        for core in reversed(there[1:]):
            if len(self._free) == games:
                return
            lock = _lock(core)
            if lock is not None:
                self._locks.append(lock)
                self._free.append(core)
        if len(self._free) < games:
            self.close()

    def take(self) -> int | None:
        """A core for a game; None: any."""
        return self._free.pop() if self._free else None

    def give_back(self, core: int | None) -> None:
        """The game is over."""
        if core is not None:
            self._free.append(core)

    def close(self) -> None:
        """Others may have them."""
        for lock in self._locks:
            os.close(lock)
        self._locks.clear()
        self._free.clear()


def physical() -> list[int]:
    """The processors that this process may use, one of each core: threads of a core slow each other down.

    Empty where the system cannot bind a process to one."""
    if sys.platform != "linux":
        return []
    usable, seen, chosen = sorted(os.sched_getaffinity(0)), set[int](), list[int]()
    for number in usable:
        if number not in seen:
            chosen.append(number)
            seen |= _siblings(number)
    return chosen


def _siblings(number: int) -> set[int]:
    """The processors of the core that this one belongs to."""
    found = {number}
    with suppress(OSError, ValueError), open(_TOPOLOGY.format(number)) as file:
        for part in file.read().strip().split(","):
            first, _, last = part.partition("-")
            found |= set(range(int(first), int(last or first) + 1))
    return found


def _lock(core: int) -> int | None:
    """A descriptor that holds the core for this process; None where another has it, or nobody can know."""
    import fcntl

    try:
        folder = Path(tempfile.gettempdir()) / f"arena-cores-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.stat().st_uid != os.getuid():
            return None
        lock = os.open(folder / str(core), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return None
    return lock
