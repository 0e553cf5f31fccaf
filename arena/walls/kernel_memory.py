"""Kernel memory that an agent uses beside its own: buffers of its open files, the records of its mappings, and watches.

A jail counts buffers and mappings where they can be many: in a container, with several threads, or with a high limit on
open files. The kernel reports no such number for a process, so this is an upper bound. A watch is one file under one
number in one epoll instance; all users share the kernel's room for them, and a file that a timer makes ready wakes all
its watches, also while the agent is paused. Timers (timerfd) are counted with them.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from math import inf
from time import monotonic
from typing import Final

from arena.walls.usage import state, threads_of

_BUFFER: Final = 212_992
"""Default buffer of an open socket, in bytes; a pipe has less. wmem_default can be set to more."""
_FEW: Final = 64
"""Up to this number, open files are only counted, not examined one by one."""
_WITH_BUFFERS: Final = ("socket:", "pipe:")
_EPOLL: Final = "anon_inode:[eventpoll]"
_TIMER: Final = "anon_inode:[timerfd]"
MOST_WATCHES: Final = 1000
"""Watches that all processes of an agent can have together."""
PER_TIMER: Final = 16
"""A timer counts as this number of watches. It runs out also while the agent is paused: its interrupt takes 4.5 µs of
the opponent's time, and a watch 0.2 µs."""
_PER_MAPPING: Final = 512
"""Bytes that the kernel needs for the record of a mapping, and of a file that only the mapping keeps open."""
_MOST_MAPPINGS: Final = 70_000
"""Mappings of all processes together. One process can have 65,530 by default (vm.max_map_count); most have hundreds."""
_MAPPINGS_EVERY: Final = 1.0
"""Interval between two counts, in seconds. To count a thousand mappings takes 1 ms, to make them 40 ms."""
_HIDDEN_AT: Final = 2
"""Looks in a row at which files cannot be counted, so that no single look can be a mistake."""
_PART: Final = 1 << 16
_POLLS: Final = {
    "x86_64": {7: 2, 271: 2, 23: 1, 270: 1},
    "aarch64": {73: 2, 72: 1},
}.get(platform.machine(), {})
"""System call numbers of poll, ppoll, select and pselect6, each with the position of its number of files in
/proc/PID/task/TID/syscall."""


class KernelMemory:
    """The kernel memory of one agent's processes."""

    def __init__(self, numbers: float = inf) -> None:
        """`numbers`: how many files each process can have open."""
        self._numbers = numbers
        # Open files that have buffers, and epoll instances, at the last count; and what these watch.
        self.files = self.watches = 0
        # At how many looks in a row a process hid them: its program cannot be read, so the kernel shows them to nobody.
        self._hidden = 0
        self._mappings = 0.0
        self._count_mappings_at = 0.0

    def look(self, pids: Iterable[int], *, threads: bool) -> float:
        """Counts again; the upper bound in bytes. `threads`: also count the files that threads wait for."""
        processes = [f"/proc/{pid}" for pid in pids]
        self._look(lambda: self._count(processes, threads=threads))
        if monotonic() >= self._count_mappings_at:
            self._mappings = _mappings(processes)
            self._count_mappings_at = monotonic() + _MAPPINGS_EVERY
        return self.files * buffer_of_a_file() + self._mappings * _PER_MAPPING

    def look_at_watches(self, pids: Iterable[int]) -> None:
        """Counts only the watches again."""
        self._look(lambda: self._count_watches([f"/proc/{pid}" for pid in pids]))

    @property
    def is_hidden(self) -> bool:
        """Whether they cannot be counted."""
        return self._hidden >= _HIDDEN_AT

    def _look(self, count: Callable[[], None]) -> None:
        try:
            count()
        except PermissionError:
            self._hidden += 1
        else:
            self._hidden = 0

    def _count_watches(self, processes: Sequence[str]) -> None:
        self.watches = _watches(_opened(processes), self._numbers)

    def _count(self, processes: Sequence[str], *, threads: bool) -> None:
        open_in = _opened(processes)
        self.watches = _watches(open_in, self._numbers)
        self.files = _files(open_in) + (sum(map(_waited_for, processes)) if threads else 0)


@cache
def buffer_of_a_file() -> int:
    """The most bytes that the kernel uses for one open file: its buffer, exceeded by at most one piece of data."""
    with suppress(OSError, ValueError), open("/proc/sys/net/core/wmem_default", "rb") as default:
        return max(int(default.read()), _BUFFER) * 5 // 4
    return _BUFFER * 5 // 4


def _opened(processes: Iterable[str]) -> dict[str, int]:
    """The folder in /proc of each process's open files, and their number."""
    return dict(map(_open_files, processes))


def _files(open_in: Mapping[str, int]) -> int:
    """How many files the processes have open; of many, only sockets and pipes (each once) and epoll instances."""
    if (total := sum(open_in.values())) <= _FEW:
        return total
    epolls, others = 0, set()
    for folder in open_in:
        for _, link in _links(folder):
            if link.startswith(_WITH_BUFFERS):
                others.add(link)
            elif link == _EPOLL:
                epolls += 1
    return epolls + len(others)


def _watches(open_in: Mapping[str, int], numbers: float) -> int:
    """How many watches the processes have, timers included: counted up to a little more than are allowed."""
    count = 0
    # A watch is of two files, under one of the numbers; of two epoll instances only one can watch the other.
    files = sum(open_in.values())
    if files * (files - 1) // 2 * numbers <= MOST_WATCHES:
        return count
    for folder in open_in:
        for name, link in _links(folder):
            if link == _TIMER:
                count += PER_TIMER
            elif link == _EPOLL:
                with _while_it_lives(folder), open(f"{folder}info/{name}", "rb", buffering=0) as about:
                    while count <= MOST_WATCHES and (part := about.read(_PART)):
                        count += part.count(b"tfd:")
    return count


def _open_files(process: str) -> tuple[str, int]:
    """The folder in /proc of a process's open files, and their number. If its first thread has ended: the folder of
    another thread."""
    for folder in (f"{process}/fd", *(f"{thread}/fd" for thread in threads_of(process))):
        with _while_it_lives(folder):
            # Since Linux 6.2 the folder's size is their number.
            if number := os.stat(folder).st_size or len(os.listdir(folder)):
                return folder, number
    return f"{process}/fd", 0


@contextmanager
def _while_it_lives(folder: str) -> Iterator[None]:
    """Suppresses what is raised because the owner of these files in /proc has ended; then they are root's."""
    try:
        yield
    except (FileNotFoundError, ProcessLookupError):
        pass
    except PermissionError:
        if state(os.path.dirname(folder)) not in (b"Z", b"X"):
            raise


def _links(folder: str) -> Iterator[tuple[str, str]]:
    """The number of each open file, and what it is."""
    with _while_it_lives(folder):
        for name in os.listdir(folder):
            with _while_it_lives(folder):
                yield name, os.readlink(f"{folder}/{name}")


def _waited_for(process: str) -> int:
    """For how many files its threads wait: these stay open while a thread waits, even after they are closed."""
    files = 0
    for thread in threads_of(process):
        with suppress(OSError, ValueError, IndexError), open(f"{thread}/syscall", "rb") as call:
            words = call.read(200).split()
            if (place := _POLLS.get(int(words[0]))) is not None:
                files += int(words[place], 16)
    return files


def _mappings(processes: Iterable[str]) -> float:
    """How many mappings the processes have; infinite above `_MOST_MAPPINGS`."""
    count = 0
    for process in processes:
        before = count
        for each in (process, *threads_of(process)):
            with suppress(OSError), open(f"{each}/maps", "rb", buffering=0) as maps:
                while part := maps.read(_PART):
                    count += part.count(b"\n")
                    if count > _MOST_MAPPINGS:
                        return inf
            if count > before:
                break  # no lines: its first thread has ended
    return count
