"""What an agent uses: processor time, memory, threads; from /proc and the kernel's clocks; and which other programs
used this machine's processors. A warden reads this a few times a turn, so each reading takes microseconds. A process
is counted together with all that it started. Where the system has no such number (macOS), the answer is None, never a
guess.
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from math import inf
from pathlib import Path
from time import monotonic
from typing import Final

from arena.match.clock import SECOND
from arena.walls.cgroup import Cgroup

LINUX = sys.platform == "linux"
_OWN = rb"RssAnon|VmPTE|VmSwap|HugetlbPages"
"""Lines of /proc/PID/status for memory of the process only, including its page tables."""
_SHARED = rb"RssShmem"
_LONGEST = 16 * 1024
"""Bytes that are read of a file in /proc; a `status` has some 1,500."""
_KCMP = {"x86_64": 312, "aarch64": 272}.get(platform.machine())
_KCMP_VM = 1
TICK = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
"""Nanoseconds of the kernel's unit of processor time in /proc/PID/stat."""
USER, SYSTEM, _REAPED_USER, _REAPED_SYSTEM, _THREADS, START = 11, 12, 13, 14, 17, 19
"""Positions of utime, stime, cutime, cstime, num_threads and starttime in `after_name`; 0 is the state."""


class Usage:
    """What one process and its descendants use while they run."""

    def __init__(
        self, pid: int, *, single_process: bool = False, first: int | None = None, group: Cgroup | None = None
    ) -> None:
        """`single_process`: it can start no other process; `first`: PID 1 of its container, the ancestor of all that it
        starts; `group`: its control group, to which all that it starts belongs."""
        self.single_process = single_process
        # Shared memory of a container lies in its tmpfs folders, and is counted with their files.
        counted = _OWN if first is not None else _OWN + b"|" + _SHARED
        # One search of the whole file: the kernel escapes line ends in the process's name.
        self._in_status = re.compile(rb"\n(?:(%s)|Threads):\s*([0-9]+)" % counted)
        self._first = first
        self.group = group
        self.pid = pid
        # Processor time of each process that was seen, at the last look, and its start time: PIDs are used again.
        self._cpu: dict[int, int] = {pid: 0}
        self._started_at: dict[int, int] = {pid: start_time(pid)}
        # Processor time of ended processes, at the last look before their end.
        self._gone = 0
        # Highest total so far.
        self._most = 0
        self._memory: int | None = None
        self._peak_memory = 0
        self._stat = opened(f"/proc/{pid}/stat")
        self._status = opened(f"/proc/{pid}/status")
        # The lists of the processes that it has started itself, and in a container the first process.
        lists = [opened(f"/proc/{each}/task/{each}/children") for each in (pid, first) if each is not None]
        self._started = [file for file in lists if file is not None]

    def threads(self) -> list[int]:
        """The ids of its threads; empty if not known."""
        try:
            return [int(thread) for thread in os.listdir(f"/proc/{self.pid}/task")]
        except OSError:
            return []

    @property
    def seen(self) -> list[int]:
        """The processes that were seen, without those known to have ended."""
        return list(self._cpu)

    def look(self) -> None:
        """Finds new descendants, and forgets those that have ended."""
        if self.single_process:
            return
        family = self.family()
        for pid in family - self._cpu.keys():
            self._cpu[pid], self._started_at[pid] = 0, start_time(pid)
        for pid in self._cpu.keys() - family:
            if start_time(pid) != self._started_at[pid]:
                self._gone += self._cpu.pop(pid)

    def state_alone(self) -> bytes:
        """The state of its thread, as one letter, if it is one thread in one process; else empty."""
        if self._stat is None:
            return b""
        try:
            if any(os.pread(file, 100, 0).split() not in ([], [b"%d" % self.pid]) for file in self._started):
                return b""
            found = after_name(os.pread(self._stat, 1000, 0))
            return found[0] if found[_THREADS] == b"1" else b""
        except (OSError, IndexError):
            return b""

    def family(self) -> set[int]:
        """The process and its present descendants."""
        if self._first is not None:
            return {self.pid} | descendants(self._first)
        found = {self.pid} | descendants(self.pid)
        return found | descendants(os.getpid()) if adopting else found

    def memory_and_threads(self, *, once: bool = False) -> tuple[int, int]:
        """Bytes of memory and number of threads of the process and the descendants that were seen; zeros if not known.

        `once`: memory that several processes share counts once, which takes longer. A process that is about to run a
        program may still use its parent's memory (vfork)."""
        memory = threads = 0
        pids = _apart(self.seen) if once else self.seen
        for pid in pids:
            own, running = self._read_status(f"/proc/{pid}", self._status if pid == self.pid else None)
            if not own and running > 1:
                # Its first thread has ended, and reports no memory; the other threads do.
                own = max((self._read_status(thread)[0] for thread in threads_of(f"/proc/{pid}")), default=0)
            memory += own
            threads += running
        self._peak_memory = max(self._peak_memory, memory)
        return memory, threads

    def _read_status(self, process: str, file: int | None = None) -> tuple[int, int]:
        """Bytes of memory, and threads, from the file `status` in a folder of /proc; zeros if it cannot be read.
        `file`: its descriptor, if it is open."""
        memory = threads = 0
        with suppress(OSError):
            path = f"{process}/status"
            status = content(path) if file is None else os.pread(file, _LONGEST, 0)
            for kind, number in self._in_status.findall(status):
                if kind:
                    memory += int(number) * 1024
                else:
                    threads = int(number)
        return memory, threads

    @property
    def peak_memory(self) -> int:
        """The highest total that `memory_and_threads` has returned, in bytes."""
        return self._peak_memory

    def cpu(self) -> int | None:
        """Nanoseconds of processor time of the process and its descendants, as far as they were seen."""
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
        # Ended processes are known from the last look at them, or from the times that the process got when it reaped
        # them. Many are in both numbers, so the larger one counts.
        self._most = max(self._most, living + max(self._gone, self._reaped()))
        return self._most

    def _reaped(self) -> int:
        """Processor time of children that the process has reaped; 0 if not known, or after its own end."""
        if self._stat is None or self.single_process:
            return 0
        try:
            found = after_name(os.pread(self._stat, 1000, 0))
            return (int(found[_REAPED_USER]) + int(found[_REAPED_SYSTEM])) * TICK
        except (OSError, ValueError, IndexError):
            return 0

    def memory(self) -> int | None:
        """Peak memory of the process in bytes (VmHWM); after its end, the last value read."""
        with suppress(OSError), open(f"/proc/{self.pid}/status", "rb") as status:
            for line in status:
                if line.startswith(b"VmHWM:"):
                    self._memory = int(line.split()[1]) * 1024
        return self._memory

    def close(self) -> None:
        """Closes its descriptors in /proc; nothing more can be read."""
        for file in (self._stat, self._status, *self._started):
            if file is not None:
                os.close(file)
        self._stat = self._status = None
        self._started = []


adopting = False
"""Whether this process adopts orphans of its descendants, and has no children but its agent (`jail.adopt_orphans`)."""


def descendants(pid: int) -> set[int]:
    """Every process that `pid` or a descendant of it started and that has not been reaped; empty if not known."""
    found: set[int] = set()
    unread = [pid]
    while unread:
        parent = unread.pop()
        # Each thread has its own file of children; a process that has just ended has none.
        with suppress(OSError):
            for thread in os.listdir(f"/proc/{parent}/task"):
                with open(f"/proc/{parent}/task/{thread}/children", "rb") as file:
                    children = {int(child) for child in file.read().split()}
                unread.extend(children - found)
                found |= children
    return found


def threads_of(process: str) -> list[str]:
    """The folders in /proc of the threads of a process; `process`: its own folder."""
    try:
        return [f"{process}/task/{thread}" for thread in os.listdir(f"{process}/task")]
    except OSError:
        return []


def state(thread: str) -> bytes:
    """The state of a thread, as one letter: R if it runs or is ready to; `thread`: its folder in /proc. X if it is
    gone."""
    try:
        return after_name(content(f"{thread}/stat"))[0]
    except (OSError, IndexError):
        return b"X"


def signal_thread(pid: int, thread: int, number: int) -> None:
    """Sends a signal to one thread; to the whole process where the C library cannot (glibc before 2.30, musl)."""
    if hasattr(_libc(), "tgkill"):
        _libc().tgkill(pid, thread, number)
    else:
        with suppress(OSError):
            os.kill(pid, number)


def prefer_for_oom_kill(pid: int) -> None:
    """Makes this process, and what it starts from now on, the first that the OOM killer ends (oom_score_adj 1000)."""
    with suppress(OSError), open(f"/proc/{pid}/oom_score_adj", "w") as score:
        score.write("1000")


def _apart(pids: Iterable[int]) -> list[int]:
    """One process for each memory: without those that share the memory of another one in the list."""
    found: list[int] = []
    for pid in pids:
        if not any(_share_memory(pid, other) for other in found):
            found.append(pid)
    return found


def _share_memory(one: int, other: int) -> bool:
    """Whether the two processes share their memory (kcmp, KCMP_VM); False if not known."""
    return _KCMP is not None and _libc().syscall(_KCMP, one, other, _KCMP_VM, 0, 0) == 0


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def after_name(stat: bytes) -> list[bytes]:
    """The fields of /proc/PID/stat that follow the program's name, which can contain anything."""
    return stat.rpartition(b")")[2].split()


def start_time(pid: int) -> int:
    """When the process was started, in ticks since boot: with the PID it identifies the process. 0 if not known."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as status:
            return int(after_name(status.read(1000))[START])
    except (OSError, IndexError, ValueError):
        return 0


def children(pid: int) -> list[int]:
    """The children of the first thread of `pid`, the oldest first."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", "rb") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


def content(path: str) -> bytes:
    """A short file in /proc, read at once."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(file, _LONGEST)
    finally:
        os.close(file)


def opened(path: str, flags: int = 0) -> int | None:
    """A descriptor to read from; None if the file cannot be read."""
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC | flags)
    except OSError:
        return None


def _processor_clock(pid: int) -> int:
    """The id of the kernel's clock for a process's processor time: clock_getcpuclockid, which Python lacks."""
    return (~pid << 3) | 2


# Kernel memory that an agent uses beside its own: buffers of its open files, the records of its mappings, and
# watches.


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


# Which programs used this machine's processors: the answer to an instructor who asks why a game was void.


_PROCESSES: Final = "/proc"
_LEAST: Final = 0.02
"""Share of the time that a program must have used of a processor to be named."""
_MOST_NAMED: Final = 5


class Programs:
    """What all programs use, from now on."""

    def __init__(self) -> None:
        self._since = monotonic()
        self._before = _used()

    def tell(self, game: int) -> None:
        """Writes to the log which programs have used most since then, for that game."""
        passed = monotonic() - self._since
        used = {key: ticks - self._before.get(key, 0) for key, ticks in _used().items()}
        busy = sorted(((ticks * TICK / SECOND, key) for key, ticks in used.items()), reverse=True)
        named = [f"{name} (pid {pid}) {of:.1f} s" for of, (pid, _, name) in busy[:_MOST_NAMED] if of > _LEAST * passed]
        if named:
            words = f"{', '.join(named)}, in {passed:.0f} s on {os.cpu_count()} processors"
            print(f"{_mark(game)}{words}", file=sys.stderr, flush=True)


def busy_note(log: Path, game: int) -> str:
    """What the log of a warden says about that game; empty if nothing."""
    try:
        lines = log.read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    mark = _mark(game)
    return next(
        (f"the processors were used by {line.removeprefix(mark)}" for line in lines if line.startswith(mark)), ""
    )


def _mark(game: int) -> str:
    return f"game {game}, used by: "


def _used() -> dict[tuple[int, bytes, str], int]:
    """Clock ticks that each process has used; its PID with its start is its own, its name is for people."""
    found = {}
    for name in os.listdir(_PROCESSES) if os.path.isdir(_PROCESSES) else ():
        with suppress(OSError, ValueError, IndexError):
            pid = int(name)
            stat = Path(_PROCESSES, name, "stat").read_bytes()
            called, fields = stat.partition(b"(")[2].rpartition(b")")[0], after_name(stat)
            plain = re.sub(r"[^ -~]", "?", called.decode("utf-8", "replace"))
            found[pid, fields[START], plain] = int(fields[USER]) + int(fields[SYSTEM])
    return found
