"""Processes of the crew that are forked from one that has imported everything, instead of started anew.

A referee, a warden or a built-in agent needs 150 ms of processor time to start, nearly all of it for imports, and the
tests start thousands. A `Nursery`, one for each process that runs tests, forks them in a few milliseconds. What it
forks is a child of the process that asked for it (CLONE_PARENT), with the descriptors, environment and folder that
`subprocess.Popen` would give it. The nursery's are its command line and environment in /proc, its modules and its seed
of hashes; tests of commands in processes of their own start real crews. Where a fork would differ in more, `Popen` is
used: with other Python variables, limits, processors or groups. `POSSIBLE`: whether this system has it.

This module is also the nursery's program: `python -P -m tests.kit.prestarted DESCRIPTOR`.
"""

import ctypes
import fcntl
import gc
import importlib
import json
import os
import platform
import resource
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from types import ModuleType, SimpleNamespace
from typing import Any, Final

from tests.kit.places import ROOT

_CLONE: Final = {"x86_64": 56, "aarch64": 220}.get(platform.machine()) if sys.platform == "linux" else None
"""The number of the system call clone(2)."""
POSSIBLE: Final = _CLONE is not None
_CLONE_PARENT: Final = 0x8000
_IMPORTED_FIRST: Final = ("agents", "arena.play.referee", "arena.walls.warden")
_FORKED: Final = (*_IMPORTED_FIRST, "arena.play.helper")
"""Programs whose module has a `main` and starts nothing when it is imported; others are started by `Popen`."""
_MOST: Final = 1 << 20


class Prestarted:
    """What the crew uses of a `Popen`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        """As `Popen.wait`."""
        if self.returncode is None:
            ends = os.pidfd_open(self.pid)
            try:
                if not select.select([ends], [], [], timeout)[0]:
                    raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
            finally:
                os.close(ends)
            self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.returncode

    def poll(self) -> int | None:
        """As `Popen.poll`."""
        try:
            return self.wait(0.0)
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        """As `Popen.kill`."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


class Nursery:
    """Starts the processes of crews in this process. Use `subprocess` in place of the module in `arena.play.helper`."""

    def __init__(self) -> None:
        self.subprocess = SimpleNamespace(
            Popen=self._popen, DEVNULL=subprocess.DEVNULL, TimeoutExpired=subprocess.TimeoutExpired
        )
        self._owner = os.getpid()
        self._one_at_a_time = Lock()
        self._circumstances = _circumstances(os.environ)
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "tests.kit.prestarted", str(theirs.fileno())], pass_fds=[theirs.fileno()]
            )

    def close(self) -> None:
        """End the nursery. What it has forked goes on."""
        self._socket.close()
        self._process.wait()

    def _popen(self, command: Sequence[str], *, env: Mapping[str, str], **given: Any) -> Any:
        first, words = [*command[:2]], [*command[2:]]
        options: dict[str, str] = {}
        while words[:1] == ["-X"]:
            name, _, options[name] = words[1].partition("=")
            del words[:2]
        m, module, *arguments = words
        if (
            [*first, m] == [sys.executable, "-P", "-m"]
            and given.keys() == {"stdin", "stdout", "stderr", "pass_fds"}
            and given["stdout"] == subprocess.DEVNULL
            and module in _FORKED
            and os.getpid() == self._owner
            and _circumstances(env) == self._circumstances
        ):
            request: dict[str, Any] = {"module": module, "arguments": arguments, "env": {**env}, "folder": os.getcwd()}
            request |= {"files": [0, 1, 2, *given["pass_fds"]], "options": options}
            with self._one_at_a_time, open(os.devnull, "wb") as null:
                files = [given["stdin"], null.fileno(), given["stderr"].fileno(), *given["pass_fds"]]
                socket.send_fds(self._socket, [json.dumps(request).encode()], files)
                if (pid := int(self._socket.recv(_MOST))) > 0:
                    return Prestarted(pid)
        return subprocess.Popen(command, env=env, **given)


def _circumstances(env: Mapping[str, str]) -> tuple[object, ...]:
    """What a process inherits or reads when it starts, and cannot be given to a fork."""
    variables = {name: value for name, value in env.items() if name.startswith(("PYTHON", "LD_", "MALLOC_"))}
    variables.pop("PYTHONIOENCODING", None)
    path = [place for place in variables.pop("PYTHONPATH", "").split(os.pathsep) if place not in ("", str(ROOT))]
    limits = [resource.getrlimit(getattr(resource, name)) for name in ("RLIMIT_NOFILE", "RLIMIT_AS", "RLIMIT_NPROC")]
    group = Path("/proc/self/cgroup").read_text()
    return variables, path, limits, group, os.sched_getaffinity(0), os.getpriority(os.PRIO_PROCESS, 0)


def _fork_beside() -> int:
    """Fork a child of the parent of this process; returns as `os.fork` does."""
    python = ctypes.pythonapi
    python.PyOS_BeforeFork()
    pid: int = ctypes.CDLL(None).syscall(_CLONE, _CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0)
    (python.PyOS_AfterFork_Parent if pid else python.PyOS_AfterFork_Child)()
    return pid


def _module(name: str) -> ModuleType:
    return importlib.import_module("agents.__main__" if name == "agents" else name)


def _serve(requests: socket.socket) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for those who run the tests
    for name in _IMPORTED_FIRST:
        _module(name)
    while True:
        gc.collect()
        gc.freeze()
        text, files, _, _ = socket.recv_fds(requests, _MOST, 64)
        if not text:
            return
        request = json.loads(text)
        pid = -1
        with suppress(Exception):
            module = _module(request["module"])
            if module.__name__ == "arena.play.helper" and request["arguments"][0].startswith("arena."):
                _module(request["arguments"][0].partition(":")[0])
            pid = _fork_beside()
        if pid == 0:
            requests.close()
            _become(request, files)
            leave = module._leave if request["module"] == "agents" else sys.exit
            leave(module.main())
        for file in files:
            os.close(file)
        requests.send(str(pid).encode())


def _become(request: dict[str, Any], files: Sequence[int]) -> None:
    free = max(*files, *request["files"]) + 1
    aside = [fcntl.fcntl(file, fcntl.F_DUPFD, free) for file in files]
    os.closerange(3, free)
    for file, number in zip(aside, request["files"], strict=True):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["folder"])
    sys._xoptions.clear()
    sys._xoptions.update(request["options"])
    sys.argv = [request["module"], *request["arguments"]]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if request["module"] == "agents":
        gc.disable()
    else:
        gc.enable()


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
