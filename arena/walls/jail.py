"""The jail: starts, confines, measures, pauses and kills the process of an agent that is not ours.

A warden uses this module and does not know how the walls are built; the other modules of `walls/` build them. A paused
agent gets no processor time until it is resumed. When `kill_all` has returned, no process started here is left.
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

from msgspec import Struct

from arena.match.allowance import MEBIBYTE, Allowance, WallKind
from arena.walls import cgroup, confine, file_access, usage
from arena.walls.run_folder import clear
from arena.walls.usage import MOST_WATCHES, KernelMemory, buffer_of_a_file

_PR_SET_CHILD_SUBREAPER: Final = 36
_CONFINE: Final = confine.__file__
_ONE_THREAD: Final = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"),
    *("NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "RAYON_NUM_THREADS"),
)


_SYSTEMS_FAULT: Final = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE})
"""Errors of `execve` for which the program is not to blame."""
_MOST_SIGNALS: Final = 256
"""Pending signals of an agent (RLIMIT_SIGPENDING), timers included. Without a separate count for each agent, all agents
of a user share some ten thousand."""
_MOST_LOCKED: Final = 8 * MEBIBYTE
"""Bytes that a process can lock in memory with mlock (RLIMIT_MEMLOCK)."""
_PER_FILE: Final = 4096
"""Bytes that each file counts in addition to its content."""
_MOST_LINKS: Final = 500
"""Links in an agent's working directory; bubblewrap takes 9,000 words."""
_SHORT_LINK: Final = 127
"""Bytes of a link's target that tmpfs keeps without a page."""
_MOST_FOLDERS: Final = 1000
"""Folders in an agent's working directory that are searched for files; more count as too much."""
_UNCOUNTED: Final = 20 * MEBIBYTE
"""Bytes of kernel memory that are not counted as the agent's: what 64 open files can use."""
_MOST_PASSES: Final = 10
_STILL: Final = b"TtZ"
"""States of a thread that has stopped or ended. One in state D can go on in its system call; where one is gone that was
there a moment ago, something ran."""
_KILLED: Final = 128
"""Exit codes above this are signals, as shells and bubblewrap report them: 128 + the signal's number."""
_RUNS: Final = b"."
"""What `confine.py` writes to its status descriptor before it executes the program."""
_LONGEST_STATUS: Final = 1000
_STARTS_WITHIN: Final = 30.0
"""Time limit for building the walls, in seconds; long enough for a very slow machine."""


class Walls(Struct, frozen=True):
    """The walls of one agent: all that its jail needs to build them. The director sends it to the agent's warden."""

    kind: WallKind = WallKind.LIMITS
    allowance: Allowance = Allowance()
    cpu: int | None = 24 * 3600
    """Seconds of processor time in the life of one process (RLIMIT_CPU); None: no limit."""
    environment: dict[str, str] = {}
    """Variables that are added to the clean environment."""
    readable: tuple[str, ...] = ()
    """Files and folders that it can read and execute, besides those of the system."""
    beside: str = ""
    """The folder of its program: its working directory has a link to each file and folder in it. Empty: none."""
    hidden: tuple[str, ...] = ()
    """Paths inside readable folders that it must not read."""
    filter: bytes = b""
    """The system call filter for this kind, from `seccomp.compiled`."""


class Excess(Enum):
    """What an agent uses too much of."""

    MEMORY = "memory"
    THREADS = "threads or processes"
    OPEN_FILES = "open files"
    WATCHES = "watches"
    HIDDEN = "hidden"
    DISK = "files"


class NoProgram(OSError):
    """The command cannot be executed, and the system is not to blame."""


class Confined:
    """One process behind walls, and everything that it starts."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        walls: Walls,
        folder: Path,
        group: cgroup.Cgroup | None,
        at_start: float = 0,
    ) -> None:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise RuntimeError("a confined process has three pipes")
        # The started process; the agent has ended when it ends.
        self.pid = process.pid
        self.walls = walls
        # Its working directory and HOME; a container has a tmpfs at `file_access.OWN` instead.
        self.folder = folder
        # Bytes of what was in it at the start.
        self._at_start = at_start
        self.stdin = process.stdin
        self.stdout = process.stdout
        self.stderr = process.stderr
        # A pidfd, readable when the process has ended; None if the system has none: then only SIGCHLD reports it.
        self.ended = os.pidfd_open(self.pid) if hasattr(os, "pidfd_open") else None
        # The first process in a container (PID 1): ours, not the agent's.
        self._first = next(iter(usage.children(self.pid)), None) if walls.kind is WallKind.CONTAINER else None
        agent = self.pid if self._first is None else next(iter(usage.children(self._first)), self.pid)
        self.usage = usage.Usage(agent, single_process=walls.kind is WallKind.SANDBOX, first=self._first, group=group)
        self._kernel_memory = KernelMemory(inf if walls.allowance.open_files is None else walls.allowance.open_files)
        # Processor time in nanoseconds, once everything is killed.
        self.cpu: int | None = None
        # Peak memory in bytes, once everything is killed.
        self.memory: int | None = None
        self._process = process
        self._exit: int | None = None
        self._reaped_cpu = 0.0

    def exit(self) -> int | None:
        """The exit code of the process, or the signal that killed it as a negative number; None while it runs."""
        if self._exit is None:
            if hasattr(os, "waitid"):
                # WNOWAIT: it is reaped only after its group is killed, so that no other group can get its number.
                ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if ended is not None:
                    self._exit = ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
            else:
                self._reap(os.WNOHANG)
            if self._exit is not None and self._exit > _KILLED and self.walls.kind is WallKind.CONTAINER:
                self._exit = _KILLED - self._exit  # as shells, bubblewrap and `confine.py` report it
        return self._exit

    def stop(self) -> bool:
        """Tells the process and all that it started to stop; False if new ones start faster than that."""
        if self.usage.group is not None and self.usage.group.freeze(True):
            return True
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

    def stop_firmly(self) -> None:
        """Stops again what is not still. One signal goes to all processes at once, so that none can start another
        meanwhile which it does not reach. Then one goes to each thread: a signal to a process waits until its first
        thread gets a processor."""
        if self.usage.group is not None and self.usage.group.freeze(True):
            return
        self._signal_group(signal.SIGSTOP)
        for pid in [self.pid] if self.usage.single_process else self.usage.family():
            for thread in usage.threads_of(f"/proc/{pid}"):
                usage.signal_thread(pid, int(os.path.basename(thread)), signal.SIGSTOP)

    def is_still(self) -> bool:
        """Whether all its threads have stopped because of `stop`, or have ended. Where the system does not say: yes."""
        if self.usage.group is not None and (frozen := self.usage.group.is_frozen()) is not None:
            return frozen
        if not usage.LINUX:
            return True
        if self.walls.kind is WallKind.SANDBOX:
            # WNOWAIT: it is not an event that is asked for, but how things stand.
            options = os.WSTOPPED | os.WEXITED | os.WNOHANG | os.WNOWAIT
            return os.waitid(os.P_PID, self.pid, options) is not None
        if state := self.usage.state_alone():
            return state in _STILL
        threads = [thread for pid in self.usage.family() for thread in usage.threads_of(f"/proc/{pid}")]
        return all(usage.state(thread) in _STILL for thread in threads)

    @property
    def quick_looks(self) -> int:
        """How often to look at once whether it is still: fewer times where a look takes longer."""
        return 20 if self.walls.kind is WallKind.SANDBOX else 3

    def resume(self) -> None:
        """Resumes what `stop` has stopped."""
        if self.usage.group is not None and self.usage.group.freeze(False):
            return
        self._signal_group(signal.SIGCONT)
        if not self._stays_together:
            for pid in self.usage.family():
                _signal(pid, signal.SIGCONT)

    def send_signal(self, number: signal.Signals) -> None:
        """Sends the signal to the agent's own process only."""
        _signal(self.usage.pid, number)

    def move(self, core: int) -> None:
        """Binds its threads to that processor. Processes that it has already started stay where they are."""
        for thread in self.usage.threads():
            with suppress(OSError):
                os.sched_setaffinity(thread, {core})

    def reap_orphans(self) -> None:
        """Reaps dead processes that the agent's processes have left behind."""
        for pid in usage.children(os.getpid()) if usage.adopting else ():
            if pid != self.pid:
                with suppress(ChildProcessError):
                    self._reaped_cpu += sum(os.wait4(pid, os.WNOHANG)[2][:2])

    @property
    def _stays_together(self) -> bool:
        """Whether nothing that it starts can leave its process group: every filter refuses setsid and setpgid."""
        return bool(self.walls.filter)

    def _signal_group(self, number: signal.Signals) -> None:
        """Sends the signal to its whole process group, in one call."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def excess(self, *, at_rest: bool = False) -> Excess | None:
        """The limit that it is above now, as far as its processes have been seen (`Usage.look`); None if none.

        `at_rest`: it is paused, and its threads wait for no file."""
        allowance = self.walls.allowance
        inside = self.walls.kind is WallKind.CONTAINER
        memory, threads = self.usage.memory_and_threads()
        written = self._written()
        beside = sum(written) if inside else 0.0
        many_files = allowance.open_files is None or allowance.open_files * buffer_of_a_file() > _UNCOUNTED
        several_threads = threads > 1 and not at_rest and self.walls.kind is WallKind.SANDBOX
        if inside or many_files or several_threads:
            in_kernel = self._kernel_memory.look(self.usage.seen, threads=not at_rest)
            beside += max(0, in_kernel - _UNCOUNTED)
        else:
            self._kernel_memory.look_at_watches(self.usage.seen)
        if allowance.memory is not None and memory + beside > allowance.memory:
            memory, _ = self.usage.memory_and_threads(once=True)
            if memory + beside > allowance.memory:
                return Excess.MEMORY
        if allowance.threads is not None and threads > allowance.threads:
            return Excess.THREADS
        if self._kernel_memory.is_hidden:
            return Excess.HIDDEN
        if self._kernel_memory.files > allowance.open_in_all:
            return Excess.OPEN_FILES
        if self._kernel_memory.watches > MOST_WATCHES:
            return Excess.WATCHES
        return Excess.DISK if max(written) > allowance.files else None

    def _written(self) -> list[float]:
        """Bytes of files in each place where the walls let it write."""
        if self._first is not None:
            # /proc/PID/root leads only into the container, which ends with its first process.
            if self._first not in usage.children(self.pid):
                return [0]
            root = f"/proc/{self._first}/root"
            own = _used(f"{root}{file_access.OWN}") - self._at_start
            return [own, *(_used(f"{root}{place}") for place in ("/tmp", "/dev/shm"))]
        if self.walls.kind is WallKind.LIMITS or self.walls.allowance.disk:
            return [_size(self.folder) - self._at_start]
        return [0]

    def kill_all(self) -> None:
        """Kills the process and all that it started, and records what they used.

        Processes that have left its session are found only if this process adopts orphans (`adopt_orphans`)."""
        self.usage.look()
        used = self.usage.cpu()
        memory = self.usage.memory()
        self._signal_group(signal.SIGKILL)
        self._reap(0)
        if usage.adopting:
            self._reaped_cpu += kill_descendants()
        self.cpu = max(used or 0, int(self._reaped_cpu * 1e9))
        self.memory = max((known for known in (memory, self.memory) if known is not None), default=None)

    def remove(self) -> None:
        """Closes the pipes and removes the working directory with all its content. Call `kill_all` first."""
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
        # The kernel's peak (ru_maxrss) includes that of the process that started this one.
        peak = _peak(used.ru_maxrss)
        if peak > _peak(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss):
            self.memory = peak


def start(command: Sequence[str], walls: Walls, scratch: Path, *, core: int | None = None) -> Confined:
    """Starts `command` behind `walls`, in a new directory inside `scratch`; its program runs on return.

    `core`: the only processor on which it runs. NoProgram if the command cannot be executed, another OSError if the
    system fails; then no process or file is left."""
    folder = Path(tempfile.mkdtemp(prefix="agent-", dir=scratch))
    # A sandboxed agent is one process, which is measured directly; behind limits an agent could leave the group.
    in_container = walls.kind is WallKind.CONTAINER
    group = cgroup.make(walls.allowance.memory) if in_container else None
    outcome, status = os.pipe()
    handed = [status]
    try:
        links = _links(walls.beside)
        words = [sys.executable, "-I", "-S", _CONFINE, str(status), *_steps(walls, folder, core, group, handed), "--"]
        if in_container:
            words[0] = os.path.realpath(sys.executable)
            readable = (
                *file_access.SYSTEM,
                *file_access.PROGRAMS,
                *file_access.interpreter(),
                _CONFINE,
                *walls.readable,
            )
            words = file_access.container(readable, walls.hidden, walls.allowance.files, links) + words
        else:
            for path, name in links:
                os.symlink(path, folder / name)
        at_start = (
            sum(_PER_FILE * (1 + (len(path) > _SHORT_LINK)) for path, _ in links) if in_container else _size(folder)
        )
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
        usage.prefer_for_oom_kill(process.pid)
    except OSError:
        os.close(outcome)
        clear(folder)
        if group is not None:
            group.remove()
        raise
    finally:
        for file in handed:
            os.close(file)
    how, ended = read_all(outcome, _STARTS_WITHIN)
    os.close(outcome)
    if group is not None and not group.has_processes():
        group.remove()
        group = None
    confined = Confined(process, walls, folder, group, at_start)
    if how != _RUNS or not ended:
        confined.kill_all()
        last = confined.stderr.read(_LONGEST_STATUS) or b""
        confined.remove()
        raise _problem(how, command[0], last.decode("utf-8", "replace").strip())
    for pipe in (confined.stdin, confined.stdout, confined.stderr):
        os.set_blocking(pipe.fileno(), False)
    _group_of(scratch, os.getpid()).write_text(f"{confined.pid} {usage.start_time(confined.pid)}")
    return confined


def end_left(scratch: Path, warden: int) -> None:
    """Kills the agent of a warden that has ended, if it still runs: a killed warden may leave its agent."""
    note = _group_of(scratch, warden)
    with suppress(OSError, ValueError):
        pid, started = note.read_text().split()
        if usage.start_time(int(pid)) == int(started):
            os.killpg(int(pid), signal.SIGKILL)
        note.unlink(missing_ok=True)
    cgroup.end_left(warden)


def _group_of(scratch: Path, warden: int) -> Path:
    """The file in which a warden records the process group of its agent."""
    return scratch / f"group-{warden}"


def read_all(pipe: int, within: float) -> tuple[bytes, bool]:
    """What a pipe yields in `within` seconds, and whether it was closed by then."""
    data = b""
    give_up = monotonic() + within
    while select([pipe], [], [], max(0.0, give_up - monotonic()))[0]:
        if not (part := os.read(pipe, _LONGEST_STATUS)):
            return data, True
        data += part
    return data, False


def _links(beside: str) -> list[tuple[str, str]]:
    """The links of a working directory: (path, name) of each file and folder in `beside`."""
    if not beside:
        return []
    return [(os.path.join(beside, name), name) for name in sorted(os.listdir(beside))[:_MOST_LINKS]]


def _steps(walls: Walls, folder: Path, core: int | None, group: cgroup.Cgroup | None, handed: list[int]) -> list[str]:
    """The steps of `confine.py`, in this order. The descriptors that it needs are added to `handed`; the first is its
    status descriptor."""
    inside = walls.kind is WallKind.CONTAINER
    steps = [] if core is None else [f"core={core}"]
    if group is not None:
        handed.append(group.open_procs())
        steps.append(f"cgroup={handed[-1]}")
    threads = walls.allowance.threads
    if not inside:
        steps.append(f"user_namespace={threads or 0}")
    elif threads is not None:
        steps.append(f"RLIMIT_NPROC={threads + 1}")  # with the first process; bubblewrap has made a namespace
    steps += _limits(walls)
    if usage.LINUX:
        steps.append("capabilities=0")
        if not inside:  # bubblewrap has --die-with-parent
            steps.append(f"parent={os.getpid()}")
    if walls.kind is WallKind.SANDBOX:
        readable = (*file_access.SYSTEM, *walls.readable)
        handed.append(file_access.landlock_rules(readable, walls.hidden, folder, writes=walls.allowance.disk > 0))
        steps.append(f"landlock={handed[-1]}")
    if inside:
        steps.append("undumpable=0")
    if walls.filter:
        handed.append(os.memfd_create("calls"))
        os.write(handed[-1], walls.filter)
        steps.append(f"seccomp={handed[-1]}")
    if inside:
        steps.append(f"init={handed[0]}")
    return steps


def adopt_orphans() -> None:
    """Makes this process the parent of its descendants' orphans (PR_SET_CHILD_SUBREAPER), so that it can kill them.

    Only for a process that starts nothing but its agent."""
    usage.adopting = _prctl(_PR_SET_CHILD_SUBREAPER, 1)


hears_children = False
"""Whether this process wants SIGCHLD while its agent is paused. It has a descriptor that is readable after a signal."""


def watch_children(wanted: bool) -> None:
    """Switches SIGCHLD on or off: the kernel then tells when the agent has stopped, or somebody has resumed it. Off, it
    does not wake this process in the agent's turn."""
    if hears_children:
        signal.signal(signal.SIGCHLD, note_child if wanted else signal.SIG_DFL)


def note_child(*_: object) -> None:
    """The handler of a signal that a descriptor reports."""


def kill_descendants() -> float:
    """Kills and reaps every descendant of this process; returns the seconds of processor time that they used.

    Those whose parent has ended are found only if this process adopts orphans."""
    used_cpu = 0.0
    while True:
        for pid in usage.descendants(os.getpid()):
            _signal(pid, signal.SIGKILL)
        # Dead processes are reaped immediately: a fork bomb may have filled the process table of the machine.
        waiting = 0
        while True:
            try:
                pid, _, used = os.wait4(-1, waiting)
            except ChildProcessError:
                return used_cpu
            if pid == 0:
                break
            used_cpu += used.ru_utime + used.ru_stime
            waiting = os.WNOHANG


def _problem(outcome: bytes, program: str, last: str) -> OSError:
    """The error that `confine.py` wrote to its status descriptor, or `last` if it ended before that."""
    doing, _, number = outcome.removeprefix(_RUNS).decode().partition(" ")
    if not number:
        return OSError(errno.EPERM, last or "its walls could not be set up", program)
    kind = NoProgram if doing == "program" and int(number) not in _SYSTEMS_FAULT else OSError
    return kind(int(number), os.strerror(int(number)), program)


def _limits(walls: Walls) -> list[str]:
    # RLIMIT_DATA counts writable memory; RLIMIT_AS would count address space, of which node reserves more than 1 GiB
    # before its first line runs. On other systems RLIMIT_DATA is only the classic heap.
    allowance = walls.allowance
    wanted = {
        "RLIMIT_CORE": 1,  # not 0: Linux would still pass the core to the program in core_pattern
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
    """Bytes used in the file system at that place, with `_PER_FILE` for each file."""
    try:
        there = os.statvfs(place)
    except OSError:
        return 0
    return (there.f_blocks - there.f_bfree) * there.f_frsize + (there.f_files - there.f_ffree) * _PER_FILE


def _size(folder: Path) -> float:
    """Bytes on the disk in a folder; infinite if it has more than `_MOST_FOLDERS` folders or cannot be read."""
    total = 0
    waiting = [folder]
    for _ in range(_MOST_FOLDERS):
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
    """The entries of a folder. An agent may have removed its permissions; we own it and restore them."""
    try:
        return os.scandir(folder)
    except PermissionError:
        folder.chmod(0o700)
        return os.scandir(folder)


def _peak(maxrss: int) -> int:
    """`maxrss` in bytes: Linux reports KiB, macOS bytes."""
    return maxrss if sys.platform == "darwin" else maxrss * 1024
