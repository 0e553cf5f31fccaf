"""Attacks by kernel memory of an agent: sockets, pipes and mappings; also disk space and pseudo-terminals."""

from __future__ import annotations

import ctypes
import os
import select
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.attacks.attackers.agent import Situation

_MEBIBYTE = 1024**2
_PROCESSES = 20
_LASTS = 3.0
"""Seconds after which the warden has seen it."""
_PIECE = bytes(64 * 1024)
_MOST_FILES = 64
_IN_ONE_PROCESS = 20 * _MEBIBYTE
"""Bytes: more than the open files of one process may use in the kernel."""
_KEEP_SIZE = 1
_UNSHARE = 2
_FAILED = ctypes.c_void_p(-1).value


def hold_memory_in_sockets(at: Situation) -> None:
    """Data that is sent and not read stays in the kernel's buffers, which can be set to any size."""
    # Behind limits they would use all memory of the machine.
    _hold(at, "sockets", partial(_fill_sockets, 0 if at.kind == "limits" else 64 * _MEBIBYTE))


def hold_memory_in_pipes(at: Situation) -> None:
    _hold(at, "pipes", _fill_pipes)


def _hold(at: Situation, where: str, fill: Callable[[], int]) -> None:
    """Runs it in as many processes as allowed; in itself if it can start none."""
    children = 0
    with suppress(OSError):
        for _ in range(_PROCESSES):
            if os.fork() == 0:
                fill()
                time.sleep(_LASTS)
                os._exit(0)
            children += 1
    held = fill()
    print(f"holds {held // _MEBIBYTE} MiB in {where} in each of {children + 1} processes")
    if children:
        time.sleep(_LASTS)
    if held > _IN_ONE_PROCESS or held * (children + 1) > 256 * _MEBIBYTE:
        print(f"SUCCEEDED: hold {held * (children + 1) // _MEBIBYTE} MiB in {where}")


def _fill_sockets(buffers: int) -> int:
    kept: list[socket.socket] = []
    held = 0
    with suppress(OSError):
        while len(kept) < _MOST_FILES:
            pair = socket.socketpair()
            kept += pair
            for one in pair:
                with suppress(OSError):
                    if buffers:
                        one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, buffers)
                one.setblocking(False)
                with suppress(BlockingIOError):
                    while True:
                        held += one.send(_PIECE)
    _keep.extend(kept)
    return held


def _fill_pipes() -> int:
    held = 0
    with suppress(OSError):
        for _ in range(_MOST_FILES):
            _, writer = os.pipe()
            os.set_blocking(writer, False)
            with suppress(BlockingIOError):
                while True:
                    held += os.write(writer, _PIECE)
    return held


_keep: list[object] = []


def hold_closed_files(at: Situation) -> None:
    """A file that a thread waits for stays open after close, and its descriptor number is free again."""
    held = 0
    with suppress(OSError, RuntimeError):
        for _ in range(40):
            pairs = [socket.socketpair() for _ in range(25)]
            poll = select.poll()
            for one in (one for pair in pairs for one in pair):
                one.setblocking(False)
                with suppress(BlockingIOError):
                    while True:
                        held += one.send(_PIECE)
                poll.register(one, select.POLLPRI)
            thread = threading.Thread(target=poll.poll, daemon=True)
            thread.start()
            time.sleep(0.01)
            for one in (one for pair in pairs for one in pair):
                one.close()
    time.sleep(_LASTS)
    print(f"SUCCEEDED: hold {held // _MEBIBYTE} MiB in files that are closed")


def hide_its_folder(at: Situation) -> None:
    """In a container the files in its folder are counted: this replaces the folder by another one."""
    if at.kind == "container":
        top = Path("/", *Path.cwd().parts[1:2])
        at.attempt(f"move {top}", lambda: top.rename("/away"))
        at.attempt(f"move {top} elsewhere", lambda: top.rename("/tmp/away"))


def enlarge_a_socket(at: Situation) -> None:
    one, other = socket.socketpair()
    _keep.extend((one, other))
    for name in ("SO_SNDBUF", "SO_RCVBUF"):
        at.attempt(
            f"set {name}",
            lambda name=name: one.setsockopt(socket.SOL_SOCKET, getattr(socket, name), _MEBIBYTE),  # type: ignore[misc]
        )


def send_open_files(at: Situation) -> None:
    """Open files inside a message (SCM_RIGHTS) are not counted."""
    one, other = socket.socketpair()
    _keep.extend((one, other))
    at.attempt("send an open file", lambda: socket.send_fds(one, [b"x"], [0]))


def have_a_table_of_files_for_each_thread(at: Situation) -> None:
    """Each thread with its own table of open files could have as many as a process."""

    def unshare() -> None:
        at.checked(at.libc.close_range(ctypes.c_uint(1000), ctypes.c_uint(2000), _UNSHARE))

    thread = threading.Thread(target=lambda: at.attempt("unshare the files in close_range", unshare))
    thread.start()
    thread.join()
    if at.kind != "limits":  # where it is done, this process has two threads on one stack
        vm, fs, handlers, is_thread = 0x100, 0x200, 0x800, 0x10000
        at.attempt("have a thread with files of its own", lambda: at.call("clone", vm | fs | handlers | is_thread, 0))


def take_the_disk_past_the_end(at: Situation) -> None:
    """Disk space reserved past the end of a file (fallocate) does not change its size."""
    try:
        file = os.open("reserved", os.O_CREAT | os.O_RDWR)
    except OSError as error:
        print(f"refused: make a file: {error}")
        return
    length = ctypes.c_long(128 * _MEBIBYTE)
    for mode in (0, _KEEP_SIZE):  # within the file, and past its end
        at.attempt(
            f"reserve room in mode {mode}",
            lambda mode=mode: at.checked(at.libc.fallocate(file, mode, ctypes.c_long(0), length)),  # type: ignore[misc]
        )
    if at.kind != "limits":
        os.close(file)
        return
    time.sleep(_LASTS)


def take_all_terminals(at: Situation) -> None:
    """The whole machine has only a few thousand pseudo-terminals."""
    if at.kind == "limits":
        at.attempt("have a terminal", lambda: os.close(os.open("/dev/ptmx", os.O_RDWR)))
    else:
        at.attempt("have terminals", lambda: [os.open("/dev/ptmx", os.O_RDWR) for _ in range(20)])


def become_the_first_process(at: Situation) -> None:
    """The first process of a container starts before the agent, and ends after it."""
    if at.kind != "container":
        return
    at.attempt("write into its memory", lambda: os.open("/proc/1/mem", os.O_RDWR))
    at.attempt("read its memory", lambda: os.open("/proc/1/mem", os.O_RDONLY))
    at.attempt("read its environment", Path("/proc/1/environ").read_text)
    at.attempt("trace it", lambda: at.call("ptrace", 16, 1, 0, 0))
    at.attempt("see its files", lambda: os.open("/proc/1/fd/0", os.O_RDONLY))
    at.attempt("enter its namespaces", lambda: at.call("setns", os.open("/proc/1/ns/mnt", os.O_RDONLY), 0))
    walls = dict(line.split(":", 1) for line in Path("/proc/1/status").read_text().splitlines())
    if (walls["Seccomp"].strip(), walls["NoNewPrivs"].strip()) != ("2", "1"):
        print("SUCCEEDED: find it without a filter of system calls")
    os.kill(1, 9)  # from within this is ignored


def map_without_end(at: Situation) -> None:
    """Each mapping uses kernel memory; a mapped file stays open after close."""
    at.libc.mmap.restype = ctypes.c_void_p
    file, made = os.open(__file__, os.O_RDONLY), 0
    while made < 200_000 and at.libc.mmap(None, 1, 1, 2, file, ctypes.c_long(0)) != _FAILED:
        made += 1
    print(f"has {made} mappings")
    if made >= 200_000:
        print("SUCCEEDED: have mappings without end")
