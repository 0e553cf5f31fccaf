"""What an agent uses: processor time, memory, threads; from /proc and clocks of the kernel.

A warden asks this about the process that it holds, a few times a turn, so each answer costs microseconds. It counts a
process together with all that it started. Where the system does not tell (macOS), the answer is None, never a guess.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import cache

from arena.walls.cgroup import Cgroup

LINUX = sys.platform == "linux"
_OWN = (b"RssAnon:", b"VmPTE:", b"VmSwap:", b"HugetlbPages:")
"""What memory a process has that is nobody else's: also what it takes to keep account of it."""
_SHARED = (b"RssShmem:",)
_KCMP = {"x86_64": 312, "aarch64": 272}.get(platform.machine())
_KCMP_VM = 1
_TICK = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


class Usage:
    """What one process and its descendants use, while they live."""

    def __init__(self, pid: int, *, alone: bool = False, first: int | None = None, group: Cgroup | None = None) -> None:
        """`alone`: it can start no other process; `first`: the first process of its container, where all that it starts
        is; `group`: all that it starts belongs to that."""
        self.alone = alone
        # What processes in a container share lies in its own folders of memory, and is counted there.
        self._counted = _OWN + _SHARED if first is None else _OWN
        self._first = first
        self.group = group
        self.pid = pid
        # What each process that was seen had used when it was last asked, and when it began: numbers are used again.
        self._cpu: dict[int, int] = {pid: 0}
        self._began: dict[int, int] = {pid: began(pid)}
        # What those had used that have ended, when they were last asked.
        self._gone = 0
        # What all have used together, when last asked.
        self._most = 0
        self._memory: int | None = None
        self._most_held = 0
        self._status = opened(f"/proc/{pid}/stat")

    def threads(self) -> list[int]:
        """The numbers of its threads; empty where the system does not tell."""
        try:
            return [int(thread) for thread in os.listdir(f"/proc/{self.pid}/task")]
        except OSError:
            return []

    @property
    def seen(self) -> list[int]:
        """The processes that were seen and have not ended since, as far as is known."""
        return list(self._cpu)

    def look(self) -> None:
        """Finds descendants that have come since, and forgets those that have gone."""
        if self.alone:
            return
        family = self.family()
        for pid in family - self._cpu.keys():
            self._cpu[pid], self._began[pid] = 0, began(pid)
        for pid in self._cpu.keys() - family:
            if began(pid) != self._began[pid]:
                self._gone += self._cpu.pop(pid)

    def family(self) -> set[int]:
        """The process and its descendants, as they are now."""
        if self._first is not None:
            return {self.pid} | descendants(self._first)
        found = {self.pid} | descendants(self.pid)
        return found | descendants(os.getpid()) if adopting else found

    def held(self, *, once: bool = False) -> tuple[int, int]:
        """Bytes of memory that the process and the descendants that were seen hold now, and how many threads they are.

        `once`: what several processes have together counts once, which takes longer: one that is about to run a program
        may still be in its parent's memory (vfork). Zeros where the system does not tell."""
        memory = threads = 0
        pids = _apart(self.seen) if once else self.seen
        for pid in pids:
            held, running = self._held(f"/proc/{pid}")
            if not held and running > 1:
                # Its first thread has ended, and has no memory any more; the others have.
                held = max((self._held(thread)[0] for thread in threads_of(f"/proc/{pid}")), default=0)
            memory += held
            threads += running
        self._most_held = max(self._most_held, memory)
        return memory, threads

    def _held(self, process: str) -> tuple[int, int]:
        """Bytes of memory, and threads, as a folder of /proc says; zeros where it says nothing."""
        memory = threads = 0
        with suppress(OSError, ValueError), open(f"{process}/status", "rb") as status:
            for line in status:
                if line.startswith(self._counted):
                    memory += int(line.split()[1]) * 1024
                elif line.startswith(b"Threads:"):
                    threads = int(line.split()[1])
        return memory, threads

    @property
    def most_held(self) -> int:
        """Bytes that they held together at most, whenever that was asked."""
        return self._most_held

    def cpu(self) -> int | None:
        """Nanoseconds of processor time that the process and its descendants have used, as far as they were seen."""
        if self.group is not None:
            return self.group.cpu()
        if not LINUX:
            return None
        living = 0
        for pid in list(self._cpu):
            try:
                self._cpu[pid] = time.clock_gettime_ns(_processor_clock(pid))
                living += self._cpu[pid]
            except OSError:
                self._gone += self._cpu.pop(pid)
        # Those that are gone are known by when they were last seen, or by what the process was told when it reaped
        # them. Who is in both is counted once.
        self._most = max(self._most, living + max(self._gone, self._reaped()))
        return self._most

    def _reaped(self) -> int:
        """What children used that the process has reaped; 0 where nobody knows, and once it is gone itself."""
        if self._status is None or self.alone:
            return 0
        try:
            fields = os.pread(self._status, 1000, 0).rpartition(b")")[2].split()
            return sum(map(int, fields[13:15])) * _TICK  # cutime and cstime, counted from the process's state
        except (OSError, ValueError):
            return 0

    def memory(self) -> int | None:
        """Bytes of memory that it has had at most at one time; of a process that has ended, as last asked."""
        with suppress(OSError), open(f"/proc/{self.pid}/status", "rb") as status:
            for line in status:
                if line.startswith(b"VmHWM:"):
                    self._memory = int(line.split()[1]) * 1024
        return self._memory

    def close(self) -> None:
        """Nothing more will be asked."""
        if self._status is not None:
            os.close(self._status)
        self._status = None


adopting = False
"""Whether this process is given the orphans of its descendants, and has no other children than the one it holds."""


def descendants(pid: int) -> set[int]:
    """Every process that `pid` or a descendant of it started and that has not been reaped; empty where nobody tells."""
    found: set[int] = set()
    unread = [pid]
    while unread:
        parent = unread.pop()
        # Which file a child stands in depends on the thread that started it; a process that just ended has none.
        with suppress(OSError):
            for thread in os.listdir(f"/proc/{parent}/task"):
                with open(f"/proc/{parent}/task/{thread}/children", "rb") as file:
                    children = {int(child) for child in file.read().split()}
                unread.extend(children - found)
                found |= children
    return found


def threads_of(process: str) -> list[str]:
    """The folders of the threads of the process that has this folder in /proc."""
    try:
        return [f"{process}/task/{thread}" for thread in os.listdir(f"{process}/task")]
    except OSError:
        return []


def goes_first(pid: int) -> None:
    """When the system has no memory left, it ends this process, and what it starts from now on, before any other."""
    with suppress(OSError), open(f"/proc/{pid}/oom_score_adj", "w") as order:
        order.write("1000")


def _apart(pids: Iterable[int]) -> list[int]:
    """Of processes that have their memory together one each."""
    found: list[int] = []
    for pid in pids:
        if not any(_share_memory(pid, other) for other in found):
            found.append(pid)
    return found


def _share_memory(one: int, other: int) -> bool:
    """Whether the two processes have their memory together; False where nobody can tell."""
    return _KCMP is not None and _libc().syscall(_KCMP, one, other, _KCMP_VM, 0, 0) == 0


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def began(pid: int) -> int:
    """When the process was started, by the clock of the system: with its number it is no other's; 0: nobody knows."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as status:
            return int(status.read(1000).rpartition(b")")[2].split()[19])
    except (OSError, IndexError, ValueError):
        return 0


def children(pid: int) -> list[int]:
    """The processes that the first thread of `pid` has started and that live, the oldest first."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", "rb") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


def opened(path: str, flags: int = 0) -> int | None:
    """A descriptor to read from; None where there is nothing that may be read."""
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC | flags)
    except OSError:
        return None


def _processor_clock(pid: int) -> int:
    """The kernel's clock of all processor time of a process (clock_getcpuclockid, which Python lacks for others)."""
    return (~pid << 3) | 2
