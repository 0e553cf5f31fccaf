"""Attacks on other processes: the opponent, the warden, the referee, the director, and a decoy."""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import signal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.attacks.attackers.agent import Situation


def signal_others(at: Situation) -> None:
    """Signal 0 does no harm, and shows that any other signal could be sent."""
    for name, pid in at.others().items():
        at.attempt(f"signal the {name}", partial(os.kill, pid, 0))
        at.attempt(f"signal a thread of the {name}", partial(_tgkill, at, pid))


def _tgkill(at: Situation, pid: int) -> None:
    at.checked(at.libc.tgkill(pid, pid, 0))


def stop_others(at: Situation) -> None:
    pid = at.targets["decoy"]
    at.attempt("stop the decoy", lambda: os.kill(pid, signal.SIGSTOP))
    at.attempt("let the decoy go on", lambda: os.kill(pid, signal.SIGCONT))
    at.attempt("stop a group of processes", lambda: os.killpg(at.targets["decoy"], signal.SIGSTOP))
    at.attempt("let the group go on", lambda: os.killpg(at.targets["decoy"], signal.SIGCONT))


def signal_others_by_other_means(at: Situation) -> None:
    """By rt_sigqueueinfo, by a pidfd, and by F_SETOWN with F_SETSIG."""
    pid = at.targets["decoy"]
    information = (ctypes.c_int * 32)(int(signal.SIGURG), 0, -1)
    at.attempt("queue a signal", lambda: at.call("rt_sigqueueinfo", pid, int(signal.SIGURG), ctypes.byref(information)))

    def by_descriptor() -> None:
        signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGURG)

    def by_input() -> None:
        reader, writer = os.pipe()
        fcntl.fcntl(reader, fcntl.F_SETOWN, pid)
        fcntl.fcntl(reader, 10, int(signal.SIGURG))  # F_SETSIG
        fcntl.fcntl(reader, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
        os.write(writer, b"x")

    at.attempt("signal by a descriptor of the process", by_descriptor)
    at.attempt("signal by F_SETOWN", by_input)


def trace_others(at: Situation) -> None:
    """Stops them with ptrace."""
    seize, detach = 0x4206, 17
    at.libc.ptrace.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    at.libc.ptrace.restype = ctypes.c_long
    for name, pid in at.others().items():
        if at.kind != "limits" or name == "decoy":
            at.attempt(f"trace the {name}", lambda pid=pid: at.checked(at.libc.ptrace(seize, pid, 0, 0)))  # type: ignore[misc]
            at.libc.ptrace(detach, pid, 0, 0)


def limit_others(at: Situation) -> None:
    for name, pid in at.others().items():
        limits = at.attempt(
            f"read a limit of the {name}",
            lambda pid=pid: resource.prlimit(pid, resource.RLIMIT_NOFILE),  # type: ignore[misc]
        )
        if name == "decoy" and limits:
            at.attempt("lower a limit of the decoy", partial(resource.prlimit, pid, resource.RLIMIT_CORE, (0, 0)))


def slow_others(at: Situation) -> None:
    """Changes the scheduling of other processes."""
    pid = at.targets["decoy"]
    at.attempt("make the decoy nice", lambda: os.setpriority(os.PRIO_PROCESS, pid, 5))
    at.attempt("bind the decoy to processors", lambda: os.sched_setaffinity(pid, {0}))
    at.attempt("make the decoy idle", lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)))


def read_environment_of_others(at: Situation) -> None:
    for name, pid in at.others().items():
        for file in ("environ", "maps", "fd"):
            path = Path(f"/proc/{pid}/{file}")
            at.attempt(f"read {file} of the {name}", lambda path=path: _look(path))  # type: ignore[misc]


def _look(path: Path) -> str:
    return ", ".join(os.listdir(path)) if path.name == "fd" else path.read_bytes()[:2000].decode("ascii", "replace")


def read_memory_of_others(at: Situation) -> None:
    address = id(at)
    for name, pid in at.others().items():
        at.attempt(f"open the memory of the {name}", lambda pid=pid: open(f"/proc/{pid}/mem", "rb").close())  # type: ignore[misc]
        at.attempt(f"read the memory of the {name}", lambda pid=pid: _peek(at, pid, address))  # type: ignore[misc]


def _peek(at: Situation, pid: int, address: int) -> None:
    """Any address will do: permission is checked before the address."""
    buffer = ctypes.create_string_buffer(8)
    ours = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 8)
    theirs = (ctypes.c_void_p * 2)(address, 8)
    try:
        at.call("process_vm_readv", pid, ours, ctypes.c_ulong(1), theirs, ctypes.c_ulong(1), ctypes.c_ulong(0))
    except OSError as error:
        if error.errno != 14:  # EFAULT: there is nothing
            raise


def change_affinity(at: Situation) -> None:
    at.attempt("choose its processors", lambda: os.sched_setaffinity(0, set(range(os.cpu_count() or 1))))


def change_priority(at: Situation) -> None:
    at.attempt("be nicer", lambda: os.nice(1))
    at.attempt("be less nice", lambda: os.nice(-5))
    at.attempt("be nicer by setpriority", lambda: os.setpriority(os.PRIO_PROCESS, 0, 2))
    at.attempt("change the priority of its user", lambda: os.setpriority(os.PRIO_PGRP, os.getpgrp(), 3))
    at.attempt("change its priority of input and output", lambda: at.call("ioprio_set", 1, 0, 2 << 13 | 7))


def change_scheduler(at: Situation) -> None:
    at.attempt("be in a batch", lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)))
    at.attempt("be in real time", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
