"""The walls: how the process of an agent that is not ours is started, confined, measured and ended.

A warden starts agents through here and does not know what the walls are made of: that is said in `walls/`. An agent
that is told to stand still gets no processor until it may go on, and is not lost by it. When `kill_all` has returned,
no process that was started here is left.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from enum import Enum
from math import inf
from pathlib import Path
from select import select
from time import monotonic
from typing import Final

from arena.walls import cgroup, confine, file_access, usage
from arena.walls.held_by_kernel import HeldByKernel, buffer_of_a_file
from arena.walls.kinds import MEBIBYTE, WallKind, Walls
from arena.walls.run_folder import clear

_PR_SET_CHILD_SUBREAPER: Final = 36
_CONFINE: Final = confine.__file__
_ONE_THREAD: Final = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"),
    *("NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "RAYON_NUM_THREADS"),
)


_SYSTEMS_FAULT: Final = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE})
"""Why a program may not be executed that is not to blame for it."""
_PER_FILE: Final = 4096
"""What the smallest file costs."""
_MOST_SIGNALS: Final = 256
"""That wait, timers included; where they are not counted apart, all agents of a user share some ten thousand."""
_MOST_LOCKED: Final = 8 * MEBIBYTE
"""Bytes that a process may keep from being swapped out, files that it reads among them."""
_UNCOUNTED: Final = 20 * MEBIBYTE
"""Bytes that the kernel may hold for an agent without counting as its memory: what 64 open files can."""
_MOST_LOOKED_AT: Final = 1000
_MOST_PASSES: Final = 10
_KILLED: Final = 128
_RUNS: Final = b"."
_LONGEST_STATUS: Final = 1000
_STARTS_WITHIN: Final = 30.0
"""Seconds that walls take to be put up, on the slowest machine."""


class Excess(Enum):
    """What an agent has too much of."""

    MEMORY = "memory"
    THREADS = "threads or processes"
    OPEN_FILES = "open files"
    DISK = "files"


class NoProgram(OSError):
    """A command that is no program which can be executed, through its own fault."""


class Confined:
    """One process behind walls, and whatever it starts."""

    def __init__(
        self, process: subprocess.Popen[bytes], walls: Walls, folder: Path, group: cgroup.Cgroup | None
    ) -> None:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise RuntimeError("a confined process has three pipes")
        # The process that was started, whose end is the agent's.
        self.pid = process.pid
        self.walls = walls
        # Its working directory, also its HOME; in a container that is a folder of memory, `file_access.OWN`.
        self.folder = folder
        self.stdin = process.stdin
        self.stdout = process.stdout
        self.stderr = process.stderr
        # A descriptor that is readable when the process has ended; None: only SIGCHLD tells.
        self.ended = os.pidfd_open(self.pid) if hasattr(os, "pidfd_open") else None
        # The first process in a container, which holds it and is not the agent's.
        self._first = next(iter(usage.children(self.pid)), None) if walls.kind is WallKind.CONTAINER else None
        agent = self.pid if self._first is None else next(iter(usage.children(self._first)), self.pid)
        self.usage = usage.Usage(agent, alone=walls.kind is WallKind.SANDBOX, first=self._first, group=group)
        self._in_kernel = HeldByKernel()
        # Nanoseconds in all, once everything is killed.
        self.cpu: int | None = None
        # Bytes, at most at one time, once everything is killed.
        self.memory: int | None = None
        self._process = process
        self._exit: int | None = None
        self._reaped_cpu = 0.0

    def exit(self) -> int | None:
        """How the process itself ended: an exit code, or the signal that killed it, negative. None: it lives."""
        if self._exit is None:
            if hasattr(os, "waitid"):
                # Not reaped before its group is killed: until then its number cannot be another group's.
                ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if ended is not None:
                    self._exit = ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
            else:
                self._reap(os.WNOHANG)
            if self._exit is not None and self._exit > _KILLED and self.walls.kind is WallKind.CONTAINER:
                self._exit = _KILLED - self._exit  # as shells, bubblewrap and `confine.py` tell it
        return self._exit

    def stop(self) -> bool:
        """Lets the process and all that it started stand still; False where they are started faster than stopped."""
        self._signal_group(signal.SIGSTOP)
        stopped: set[int] = set()
        if self._stays_together:
            return True
        for _ in range(_MOST_PASSES):
            family = self.usage.family()
            if family <= stopped:
                return True
            for pid in family - stopped:
                _signal(pid, signal.SIGSTOP)
            stopped |= family
        return False

    def go_on(self) -> None:
        """Lets go on what stands still."""
        self._signal_group(signal.SIGCONT)
        if not self._stays_together:
            for pid in self.usage.family():
                _signal(pid, signal.SIGCONT)

    def send_signal(self, number: signal.Signals) -> None:
        """To the agent itself."""
        _signal(self.usage.pid, number)

    def move(self, core: int) -> None:
        """From now on it runs on that processor alone. What it has started already stays where it is."""
        for thread in self.usage.threads():
            with suppress(OSError):
                os.sched_setaffinity(thread, {core})

    def reap_orphans(self) -> None:
        """What its helpers have left behind dead is taken off the list of processes."""
        for pid in usage.children(os.getpid()) if usage.adopting else ():
            if pid != self.pid:
                with suppress(ChildProcessError):
                    self._reaped_cpu += sum(os.wait4(pid, os.WNOHANG)[2][:2])

    @property
    def _stays_together(self) -> bool:
        """Whether nothing that it starts can leave its group: the filters of all kinds see to that."""
        return bool(self.walls.filter)

    def _signal_group(self, number: signal.Signals) -> None:
        """To all that are in its group, at once."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def excess(self, *, at_rest: bool = False) -> Excess | None:
        """What it has more of than it may, at this moment, as far as has been seen (`Usage.look`).

        `at_rest`: it stands still, and waits for nothing."""
        allowance = self.walls.allowance
        inside = self.walls.kind is WallKind.CONTAINER
        held, threads = self.usage.held()
        written = self._written()
        beside = sum(written) if inside else 0.0
        many_files = allowance.open_files is None or allowance.open_files * buffer_of_a_file() > _UNCOUNTED
        several_threads = threads > 1 and not at_rest and self.walls.kind is WallKind.SANDBOX
        if inside or many_files or several_threads:
            in_kernel = self._in_kernel.look(self.usage.seen, threads=not at_rest)
            beside += max(0, in_kernel - _UNCOUNTED)
        if allowance.memory is not None and held + beside > allowance.memory:
            held, _ = self.usage.held(once=True)
            if held + beside > allowance.memory:
                return Excess.MEMORY
        if allowance.threads is not None and threads > allowance.threads:
            return Excess.THREADS
        if self._in_kernel.files > allowance.open_in_all:
            return Excess.OPEN_FILES
        return Excess.DISK if max(written) > allowance.files else None

    def _written(self) -> list[float]:
        """Bytes in files that it has written, in each place where walls let it."""
        if self._first is not None:
            # Where no name leads anywhere but into the container; it goes with its first process.
            if self._first not in usage.children(self.pid):
                return [0]
            places = ("/tmp", "/dev/shm", file_access.OWN)
            return [_used(f"/proc/{self._first}/root{place}") for place in places]
        return [_size(self.folder) if self.walls.kind is WallKind.LIMITS or self.walls.allowance.disk else 0]

    def kill_all(self) -> None:
        """Kills the process and all that it started, at once, and takes stock of what they used.

        What has left the process's session is found where this process adopts orphans (`adopt_orphans`)."""
        self.usage.look()
        used = self.usage.cpu()
        memory = self.usage.memory()
        self._signal_group(signal.SIGKILL)
        self._reap(0)
        if usage.adopting:
            self._kill_orphans()
        self.cpu = max(used or 0, int(self._reaped_cpu * 1e9))
        self.memory = max((known for known in (memory, self.memory) if known is not None), default=None)

    def remove(self) -> None:
        """Closes the pipes and removes the working directory, whatever is in it. All must be dead."""
        self.usage.close()
        if self.usage.group is not None:
            self.usage.group.remove()
        if self.ended is not None:
            os.close(self.ended)
            self.ended = None
        _group_of(self.folder.parent, os.getpid()).unlink(missing_ok=True)
        for pipe in (self.stdin, self.stdout, self.stderr):
            with suppress(OSError):
                pipe.close()
        clear(self.folder)

    def _reap(self, options: int) -> None:
        if self._process.returncode is not None:
            return
        pid, status, used = os.wait4(self.pid, options)
        if pid == 0:
            return
        self._exit = self._process.returncode = os.waitstatus_to_exitcode(status)
        self._reaped_cpu += used.ru_utime + used.ru_stime
        # The peak that the kernel keeps includes that of the process from which it was started.
        peak = _peak(used.ru_maxrss)
        if peak > _peak(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss):
            self.memory = peak

    def _kill_orphans(self) -> None:
        """Ends every other descendant of this process: they are the agent's, as it has no children but that."""
        while True:
            for pid in usage.descendants(os.getpid()):
                _signal(pid, signal.SIGKILL)
            # Whoever is dead is taken off the list of processes at once: a bomb may have filled that, for everybody.
            waiting = 0
            while True:
                try:
                    pid, _, used = os.wait4(-1, waiting)
                except ChildProcessError:
                    return
                if pid == 0:
                    break
                self._reaped_cpu += used.ru_utime + used.ru_stime
                waiting = os.WNOHANG


def start(command: Sequence[str], walls: Walls, scratch: Path, *, core: int | None = None) -> Confined:
    """Starts `command` behind `walls`, in a fresh empty directory inside `scratch`; its program runs on return.

    `core` is the processor on which alone it runs. NoProgram where the command cannot be executed, any other OSError
    where the system fails; nothing is left then."""
    folder = Path(tempfile.mkdtemp(prefix="agent-", dir=scratch))
    # In a sandbox an agent is one process, which is measured by itself; behind limits it could leave the group.
    group = cgroup.make(walls.allowance.memory) if walls.kind is WallKind.CONTAINER else None
    outcome, status = os.pipe()
    handed = [status]
    try:
        words = [sys.executable, "-I", "-S", _CONFINE, str(status), *_steps(walls, folder, core, group, handed), "--"]
        if walls.kind is WallKind.CONTAINER:
            words[0] = os.path.realpath(sys.executable)
            readable = (
                *file_access.SYSTEM,
                *file_access.PROGRAMS,
                *file_access.interpreter(),
                _CONFINE,
                *walls.readable,
            )
            words = file_access.container(readable, walls.hidden, walls.allowance.files) + words
        process = subprocess.Popen(
            [*words, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=folder,
            env=_environment(walls, folder),
            pass_fds=handed,
            start_new_session=True,
        )
        usage.goes_first(process.pid)
    except OSError:
        os.close(outcome)
        clear(folder)
        if group is not None:
            group.remove()
        raise
    finally:
        for file in handed:
            os.close(file)
    how, ended = hear_out(outcome, _STARTS_WITHIN)
    os.close(outcome)
    if group is not None and not group.holds_any():
        group.remove()
        group = None
    confined = Confined(process, walls, folder, group)
    if how != _RUNS or not ended:
        confined.kill_all()
        last = confined.stderr.read(_LONGEST_STATUS) or b""
        confined.remove()
        raise _problem(how, command[0], last.decode("utf-8", "replace").strip())
    for pipe in (confined.stdin, confined.stdout, confined.stderr):
        os.set_blocking(pipe.fileno(), False)
    _group_of(scratch, os.getpid()).write_text(f"{confined.pid} {usage.began(confined.pid)}")
    return confined


def end_left(scratch: Path, warden: int) -> None:
    """Ends the agent of a warden that is gone, if it is still there: not everything that ends a warden ends both."""
    note = _group_of(scratch, warden)
    with suppress(OSError, ValueError):
        pid, began = note.read_text().split()
        if usage.began(int(pid)) == int(began):
            os.killpg(int(pid), signal.SIGKILL)
        note.unlink(missing_ok=True)
    cgroup.end_left(warden)


def _group_of(scratch: Path, warden: int) -> Path:
    """Where a warden notes which group of processes its agent is."""
    return scratch / f"group-{warden}"


def hear_out(pipe: int, within: float) -> tuple[bytes, bool]:
    """What is said on a pipe in so many seconds, and whether that was all."""
    said = b""
    give_up = monotonic() + within
    while select([pipe], [], [], max(0.0, give_up - monotonic()))[0]:
        if not (data := os.read(pipe, _LONGEST_STATUS)):
            return said, True
        said += data
    return said, False


def _steps(walls: Walls, folder: Path, core: int | None, group: cgroup.Cgroup | None, handed: list[int]) -> list[str]:
    """What `confine.py` is to do, in this order; the descriptors that it needs for it are added to `handed`, in which
    the first is where it says how it went."""
    inside = walls.kind is WallKind.CONTAINER
    steps = [] if core is None else [f"core={core}"]
    if group is not None:
        handed.append(group.door())
        steps.append(f"group={handed[-1]}")
    threads = walls.allowance.threads
    if not inside:
        steps.append(f"apart={threads or 0}")
    elif threads is not None:
        steps.append(f"RLIMIT_NPROC={threads + 1}")  # with the first process; bubblewrap has made a namespace
    steps += _limits(walls)
    if usage.LINUX:
        steps.append("rights=0")
        if not inside:  # there bubblewrap sees to it
            steps.append(f"parent={os.getpid()}")
    if walls.kind is WallKind.SANDBOX:
        readable = (*file_access.SYSTEM, *walls.readable)
        handed.append(file_access.landlock_rules(readable, walls.hidden, folder, writes=walls.allowance.disk > 0))
        steps.append(f"files={handed[-1]}")
    if inside:
        steps.append("unseen=0")
    if walls.filter:
        handed.append(os.memfd_create("calls"))
        os.write(handed[-1], walls.filter)
        steps.append(f"calls={handed[-1]}")
    if inside:
        steps.append(f"first={handed[0]}")
    return steps


def adopt_orphans() -> None:
    """From now on what descendants of this process leave behind becomes its child, and is killed with what it holds.

    For a process that starts nothing else."""
    usage.adopting = _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _problem(outcome: bytes, program: str, last: str) -> OSError:
    """What `confine.py` said on its status descriptor, or whatever ended before it could, as an error."""
    doing, _, number = outcome.removeprefix(_RUNS).decode().partition(" ")
    if not number:
        return OSError(errno.EPERM, last or "its walls could not be put up", program)
    kind = NoProgram if doing == "program" and int(number) not in _SYSTEMS_FAULT else OSError
    return kind(int(number), os.strerror(int(number)), program)


def _limits(walls: Walls) -> list[str]:
    # RLIMIT_DATA counts what may be written; RLIMIT_AS would count address space, of which node reserves more than
    # 1 GiB before its first line runs. Elsewhere than on Linux RLIMIT_DATA is only the classic heap.
    allowance = walls.allowance
    wanted = {
        "RLIMIT_CORE": 1,  # not 0, with which Linux still hands the core to the program that core_pattern names
        "RLIMIT_DATA" if usage.LINUX else "RLIMIT_AS": allowance.memory,
        "RLIMIT_NOFILE": allowance.open_files,
        "RLIMIT_FSIZE": allowance.files,
        "RLIMIT_SIGPENDING": _MOST_SIGNALS if usage.LINUX else None,
        "RLIMIT_MEMLOCK": _MOST_LOCKED if usage.LINUX else None,
        "RLIMIT_CPU": walls.cpu,
    }
    return [f"{name}={number}" for name, number in wanted.items() if number is not None]


def _environment(walls: Walls, folder: Path) -> dict[str, str]:
    own = file_access.OWN if walls.kind is WallKind.CONTAINER else str(folder)
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": own,
        "TMPDIR": own,
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        **dict.fromkeys(_ONE_THREAD, "1"),
        **walls.environment,
    }


def _prctl(option: int, value: int) -> bool:
    return usage.LINUX and ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) == 0


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _used(place: str) -> int:
    """Bytes that are in use of the file system at that place, with what its files cost by themselves."""
    try:
        there = os.statvfs(place)
    except OSError:
        return 0
    return (there.f_blocks - there.f_bfree) * there.f_frsize + (there.f_files - there.f_ffree) * _PER_FILE


def _size(folder: Path) -> float:
    """Bytes on the disk in a folder; infinite where it holds more folders than can be looked at."""
    total = 0
    waiting = [folder]
    for _ in range(_MOST_LOOKED_AT):
        if not waiting:
            return total
        try:
            with _opened(waiting.pop()) as entries:
                for entry in entries:
                    total += entry.stat(follow_symlinks=False).st_blocks * 512 + _PER_FILE
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
        except FileNotFoundError:
            continue  # deleted meanwhile
        except OSError:
            return inf
    return inf


def _opened(folder: Path) -> AbstractContextManager[Iterator[os.DirEntry[str]]]:
    """What is in a folder, whatever its permissions: it is ours as much as the agent's."""
    try:
        return os.scandir(folder)
    except PermissionError:
        folder.chmod(0o700)
        return os.scandir(folder)


def _peak(maxrss: int) -> int:
    """Linux tells kibibytes, macOS bytes."""
    return maxrss if sys.platform == "darwin" else maxrss * 1024
