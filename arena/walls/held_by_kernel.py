"""What the kernel holds for an agent beside its memory: what its open files buffer, and what is known of its mappings.

A jail asks where that may be much: in a container, and of several threads. No process tells it in one number, so it is
counted as what it may be at most.
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
"""Bytes that the kernel keeps for an open socket, and less for a pipe, unless this machine is set up otherwise."""
_FEW: Final = 64
"""Up to this number open files are not looked at one by one."""
_WITH_BUFFERS: Final = ("socket:", "pipe:")
_WATCHER: Final = "anon_inode:[eventpoll]"
_PER_MAPPING: Final = 512
"""Bytes that the kernel needs to know of a mapping, and of a file that is open through it alone."""
_MOST_MAPPINGS: Final = 70_000
"""Of all processes together. One may have 65,530, as the kernel is usually set up; most have some hundred."""
_MAPPINGS_EVERY: Final = 1.0
"""Seconds. Counting a thousand takes a millisecond, and making a thousand forty."""
_PART: Final = 1 << 16
_POLLS: Final = {
    "x86_64": {7: 2, 271: 2, 23: 1, 270: 1},
    "aarch64": {73: 2, 72: 1},
}.get(platform.machine(), {})
"""The numbers of poll, ppoll, select and pselect6, and the word that says for how many files it waits."""


class HeldByKernel:
    """Of the processes of one agent."""

    def __init__(self) -> None:
        # Files that may buffer, or watch others, when they were last counted.
        self.files = 0
        self._mappings = 0.0
        self._count_mappings_at = 0.0

    def look(self, pids: Iterable[int], *, threads: bool) -> float:
        """Counts, also what `threads` wait for if that is wanted; bytes that may be held at most."""
        processes = [f"/proc/{pid}" for pid in pids]
        self.files = _files(processes) + (sum(map(_waited_for, processes)) if threads else 0)
        if monotonic() >= self._count_mappings_at:
            self._mappings = _mappings(processes)
            self._count_mappings_at = monotonic() + _MAPPINGS_EVERY
        return self.files * buffer_of_a_file() + self._mappings * _PER_MAPPING


@cache
def buffer_of_a_file() -> int:
    """Bytes that the kernel holds for one open file, at most: it takes one piece more than a buffer's size."""
    with suppress(OSError, ValueError), open("/proc/sys/net/core/wmem_default", "rb") as default:
        return max(int(default.read()), _BUFFER) * 5 // 4
    return _BUFFER * 5 // 4


def _files(processes: Iterable[str]) -> int:
    """How many files the processes have open; of many those that count, each once however many have it."""
    open_in = {folder: number for process in processes for folder, number in [_open_files(process)]}
    if (total := sum(open_in.values())) <= _FEW:
        return total
    watchers, others = 0, set()
    for folder in open_in:
        for link in _links(folder):
            if link.startswith(_WITH_BUFFERS):
                others.add(link)
            elif link == _WATCHER:
                watchers += 1
    return watchers + len(others)


def _open_files(process: str) -> tuple[str, int]:
    """The folder of the open files of a process, and how many they are; of one whose first thread has ended, as
    another thread tells."""
    for folder in (f"{process}/fd", *(f"{thread}/fd" for thread in threads_of(process))):
        with suppress(OSError):
            # Linux tells it as the folder's size since 6.2.
            if number := os.stat(folder).st_size or len(os.listdir(folder)):
                return folder, number
    return f"{process}/fd", 0


def _links(folder: str) -> Iterator[str]:
    with suppress(OSError):
        for name in os.listdir(folder):
            with suppress(OSError):
                yield os.readlink(f"{folder}/{name}")


def _waited_for(process: str) -> int:
    """For how many files its threads wait. As long as they do these stay open, also when they have been closed."""
    files = 0
    for thread in threads_of(process):
        with suppress(OSError, ValueError, IndexError), open(f"{thread}/syscall", "rb") as call:
            words = call.read(200).split()
            if (place := _POLLS.get(int(words[0]))) is not None:
                files += int(words[place], 16)
    return files


def _mappings(processes: Iterable[str]) -> float:
    """How many mappings the processes have; infinite where that is more than they may."""
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
                break  # else its first thread has ended
    return count
