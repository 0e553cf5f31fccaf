"""Attacks by child processes that are too many, or outlive the game."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.attacks.attackers.agent import Situation

LASTS = 3.0
"""Seconds after which a child exits; its warden must have killed it before."""


def fork_bomb(at: Situation) -> None:
    bomb(own_sessions=False)


def fork_bomb_in_sessions(at: Situation) -> None:
    bomb(own_sessions=True)


def bomb(*, own_sessions: bool) -> None:
    """Starts 512 busy processes."""
    first, until = os.getpid(), time.monotonic() + LASTS
    refusals, refused = os.pipe()
    os.set_blocking(refusals, False)
    for _ in range(9):
        try:
            if os.fork() == 0 and own_sessions:
                os.setsid()
        except OSError as error:
            if os.getpid() == first:
                print(f"refused: start a process: {error}")
                return
            os.write(refused, b"x")
            break
    while time.monotonic() < until:
        pass
    if os.getpid() != first:
        os._exit(0)
    try:
        print(f"refused: {len(os.read(refusals, 1000))} processes could start no more")
    except BlockingIOError:
        print("SUCCEEDED: have 512 processes")


def leave_100_children(at: Situation) -> None:
    try:
        for _ in range(100):
            leave_child()
    except OSError as error:
        print(f"refused: start 100 processes: {error}")
        return
    time.sleep(1)


def leave_children(at: Situation) -> None:
    """Leaves 10 children that stay when the game continues."""
    try:
        for _ in range(10):
            leave_child()
    except OSError as error:
        print(f"refused: start a process: {error}")


def leave_daemon(at: Situation) -> None:
    """Starts a grandchild in its own session that ignores signals."""
    try:
        child = os.fork()
    except OSError as error:
        print(f"refused: start a process: {error}")
        return
    if child == 0:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        leave_child()
        os._exit(0)
    os.waitpid(child, 0)


def leave_child() -> None:
    """Starts a child that closes all its files and sleeps."""
    if os.fork() == 0:
        os.closerange(0, 64)
        time.sleep(LASTS)
        os._exit(0)


def ignore_all_signals(at: Situation) -> None:
    """Ignores all signals, and keeps running after the game."""
    for number in signal.valid_signals():
        if number not in (signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD) and number < signal.SIGRTMIN:
            signal.signal(number, signal.SIG_IGN)

    def end(utilities: object, verdict: str) -> None:
        time.sleep(LASTS)

    at.agent.end = end  # type: ignore[method-assign]


def outlive_the_warden(at: Situation) -> None:
    """Clears PR_SET_PDEATHSIG, which kills it when its parent ends."""
    at.attempt("clear PR_SET_PDEATHSIG", lambda: at.checked(at.libc.prctl(1, 0, 0, 0, 0)))
    at.attempt("become a subreaper", lambda: at.checked(at.libc.prctl(36, 1, 0, 0, 0)))


def start_processes_by_raw_calls(at: Situation) -> None:
    """Without the C library: clone, clone as a sibling (CLONE_PARENT), clone3, another program."""

    def clone(flags: int) -> int:
        return ended(at.call("clone", ctypes.c_ulong(flags), 0, 0, 0, 0))

    def clone3() -> int:
        arguments = (ctypes.c_uint64 * 11)(0, 0, 0, 0, int(signal.SIGCHLD))
        return ended(at.call("clone3", ctypes.byref(arguments), ctypes.sizeof(arguments)))

    def ended(child: int) -> int:
        if child == 0:
            os._exit(0)
        return child

    try:
        os.waitpid(os.fork() or ended(0), 0)
    except OSError as error:
        print(f"refused: fork: {error}")
    else:
        print("may start processes")
        return  # then how it does that is all the same
    at.attempt("start a process with clone", lambda: clone(signal.SIGCHLD))
    at.attempt("start a process with clone for the parent", lambda: clone(0x8000 | signal.SIGCHLD))
    at.attempt("start a process with clone3", clone3)
    at.attempt("start a program", lambda: os.posix_spawn("/bin/true", ["true"], {}))
    at.attempt("run a program with a shell", lambda: _expect_success(at.libc.system(b"exit 0")))


def _expect_success(code: int) -> None:
    if code != 0:
        raise OSError(f"it ended with {code}")
