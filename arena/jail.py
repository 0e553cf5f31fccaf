"""The walls: how the process of an agent that is not ours is started, confined, measured and ended.

A warden starts agents through here and does not know what the walls are made of. Today they are a session of its own,
limits on resources, a clean environment and an empty working directory; stronger ones belong into `confine.py`, or in
front of the command in `start`. When `kill_all` has returned, no process that was started here is left.
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
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

import arena.confine
from arena import usage
from arena.run_folder import clear

_PR_SET_CHILD_SUBREAPER: Final = 36
_CONFINE: Final = arena.confine.__file__
_OUR_PACKAGES: Final = str(Path(__file__).resolve().parents[1])
_ONE_THREAD: Final = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"),
    *("NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "RAYON_NUM_THREADS"),
)


class NoProgram(OSError):
    """A command that is no program which can be executed, through its own fault."""


_OWN_FAULT: Final = frozenset(
    {errno.ENOENT, errno.EACCES, errno.EPERM, errno.ENOEXEC, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.E2BIG}
    | {errno.ENAMETOOLONG, errno.EINVAL}
)


class Walls(Struct, frozen=True):
    """What an agent may use. None: no limit."""

    memory: int | None = 2 * 1024**3
    """Bytes that one process may write to, its program's own data included."""
    open_files: int | None = 64
    file_size: int | None = 64 * 1024**2
    cpu: int | None = None
    """Seconds of processor time in the life of one process."""
    environment: dict[str, str] = {}
    """Variables to set on top of the clean environment."""


class Confined:
    """One process behind walls, and whatever it starts."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise RuntimeError("a confined process has three pipes")
        self.pid = process.pid
        self.folder = folder
        """Its working directory, also its HOME."""
        self.stdin, self.stdout, self.stderr = process.stdin, process.stdout, process.stderr
        self.usage = usage.Usage(self.pid)
        self.cpu: int | None = None
        """Nanoseconds in all, once everything is killed."""
        self.memory: int | None = None
        """Bytes, at most at one time, once everything is killed."""
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
        return self._exit

    def kill_all(self) -> None:
        """Kills the process and all that it started, at once, and takes stock of what they used.

        What has left the process's session is found where this process adopts orphans (`adopt_orphans`)."""
        self.usage.look()
        used, memory = self.usage.cpu(), self.usage.memory()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self._reap(0)
        if usage.adopting:
            self._kill_orphans()
        self.cpu = max(used or 0, int(self._reaped_cpu * 1e9))
        self.memory = max((known for known in (memory, self.memory) if known is not None), default=None)

    def remove(self) -> None:
        """Closes the pipes and removes the working directory, whatever is in it. All must be dead."""
        self.usage.close()
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
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            try:
                _, _, used = os.wait4(-1, 0)
            except ChildProcessError:
                return
            self._reaped_cpu += used.ru_utime + used.ru_stime


def start(command: Sequence[str], walls: Walls, scratch: Path) -> Confined:
    """Starts `command` behind `walls`, in a fresh empty directory inside `scratch`; its program runs on return.

    NoProgram where it cannot be executed, any other OSError where the system fails; nothing is left then."""
    folder = Path(tempfile.mkdtemp(prefix="agent-", dir=scratch))
    told, status = os.pipe()
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", _CONFINE, str(os.getpid()), str(status), *_limits(walls), "--", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=folder,
            env=_environment(walls, folder),
            pass_fds=(status,),
            start_new_session=True,
        )
    except OSError:
        os.close(told)
        os.close(status)
        clear(folder)
        raise
    os.close(status)
    with open(told, "rb") as reader:
        problem = reader.read(20)
    confined = Confined(process, folder)
    if problem:
        confined.kill_all()
        confined.remove()
        raise _problem(problem, command[0])
    for pipe in (confined.stdin, confined.stdout, confined.stderr):
        os.set_blocking(pipe.fileno(), False)
    return confined


def adopt_orphans() -> None:
    """From now on what descendants of this process leave behind becomes its child, and is killed with what it holds.

    For a process that starts nothing else."""
    usage.adopting = _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _problem(told: bytes, program: str) -> OSError:
    """What `confine.py` said on its status descriptor, as an error."""
    doing, _, number = told.decode().partition(" ")
    kind = NoProgram if doing == "program" and int(number) in _OWN_FAULT else OSError
    return kind(int(number), os.strerror(int(number)), program)


def _limits(walls: Walls) -> list[str]:
    # RLIMIT_DATA counts what may be written; RLIMIT_AS would count address space, of which node reserves more than
    # 1 GiB before its first line runs. Elsewhere than on Linux RLIMIT_DATA is only the classic heap.
    memory = "RLIMIT_DATA" if usage.LINUX else "RLIMIT_AS"
    wanted = {
        "RLIMIT_CORE": 0,
        memory: walls.memory,
        "RLIMIT_NOFILE": walls.open_files,
        "RLIMIT_FSIZE": walls.file_size,
        "RLIMIT_CPU": walls.cpu,
    }
    return [f"{name}={number}" for name, number in wanted.items() if number is not None]


def _environment(walls: Walls, folder: Path) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LANG": "C.UTF-8",
        "PYTHONPATH": _OUR_PACKAGES,
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        **dict.fromkeys(_ONE_THREAD, "1"),
        **walls.environment,
    }


def _prctl(option: int, value: int) -> bool:
    return usage.LINUX and ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) == 0


def _peak(maxrss: int) -> int:
    """Linux tells kibibytes, macOS bytes."""
    return maxrss if sys.platform == "darwin" else maxrss * 1024
