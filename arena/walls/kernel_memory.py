"""Kernel memory that an agent uses beside its own: buffers of its open files, and the records of its mappings.

A jail counts it where it can be large: in a container, with several threads, or with a high limit on open files. The
kernel reports no such number for a process, so this is an upper bound.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from math import inf
from time import monotonic
from typing import Final

from arena.walls.usage import threads_of

_BUFFER: Final = 212_992
"""Default buffer of an open socket, in bytes; a pipe has less. wmem_default can be set to more."""
_FEW: Final = 64
"""Up to this number, open files are only counted, not examined one by one."""
_WITH_BUFFERS: Final = ("socket:", "pipe:")
_EPOLL: Final = "anon_inode:[eventpoll]"
_PER_MAPPING: Final = 512
"""Bytes that the kernel needs for the record of a mapping, and of a file that only the mapping keeps open."""
_MOST_MAPPINGS: Final = 70_000
"""Mappings of all processes together. One process can have 65,530 by default (vm.max_map_count); most have hundreds."""
_MAPPINGS_EVERY: Final = 1.0
"""Interval between two counts, in seconds. To count a thousand mappings takes 1 ms, to make them 40 ms."""
_PART: Final = 1 << 16
_POLLS: Final = {
    "x86_64": {7: 2, 271: 2, 23: 1, 270: 1},
    "aarch64": {73: 2, 72: 1},
}.get(platform.machine(), {})
"""System call numbers of poll, ppoll, select and pselect6, each with the position of its number of files in
/proc/PID/task/TID/syscall."""


class KernelMemory:
    """The kernel memory of one agent's processes."""

    def __init__(self) -> None:
        # Open files that have buffers, and epoll instances, at the last count.
        self.files = 0
        self._mappings = 0.0
        self._count_mappings_at = 0.0

    def look(self, pids: Iterable[int], *, threads: bool) -> float:
        """Counts again; the upper bound in bytes. `threads`: also count the files that threads wait for."""
        processes = [f"/proc/{pid}" for pid in pids]
        self.files = _files(processes) + (sum(map(_waited_for, processes)) if threads else 0)
        if monotonic() >= self._count_mappings_at:
            self._mappings = _mappings(processes)
            self._count_mappings_at = monotonic() + _MAPPINGS_EVERY
        return self.files * buffer_of_a_file() + self._mappings * _PER_MAPPING


@cache
def buffer_of_a_file() -> int:
    """The most bytes that the kernel uses for one open file: its buffer, exceeded by at most one piece of data."""
    with suppress(OSError, ValueError), open("/proc/sys/net/core/wmem_default", "rb") as default:
        return max(int(default.read()), _BUFFER) * 5 // 4
    return _BUFFER * 5 // 4


def _files(processes: Iterable[str]) -> int:
    """How many files the processes have open; of many, only sockets and pipes (each once) and epoll instances."""
    open_in = {folder: number for process in processes for folder, number in [_open_files(process)]}
    if (total := sum(open_in.values())) <= _FEW:
        return total
    epolls, others = 0, set()
    for folder in open_in:
        for link in _links(folder):
            if link.startswith(_WITH_BUFFERS):
                others.add(link)
            elif link == _EPOLL:
                epolls += 1
    return epolls + len(others)


def _open_files(process: str) -> tuple[str, int]:
    """The folder in /proc of a process's open files, and their number. If its first thread has ended: the folder of
    another thread."""
    for folder in (f"{process}/fd", *(f"{thread}/fd" for thread in threads_of(process))):
        with suppress(OSError):
            # Since Linux 6.2 the folder's size is their number.
            if number := os.stat(folder).st_size or len(os.listdir(folder)):
                return folder, number
    return f"{process}/fd", 0


def _links(folder: str) -> Iterator[str]:
    with suppress(OSError):
        for name in os.listdir(folder):
            with suppress(OSError):
                yield os.readlink(f"{folder}/{name}")


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
