"""Attacks by messages: the network, and everything else that two processes could use to communicate."""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.attacks.attackers.agent import Situation

_KEY = 0x0A2E4A00
_CREATE = 0o1000 | 0o600
_REMOVE = 0


def call_out_over_tcp(at: Situation) -> None:
    def call() -> None:
        with socket.create_connection(("127.0.0.1", at.targets["tcp"]), timeout=1) as line:
            line.sendall(b"tcp " + at.agent.name.encode())

    at.attempt("connect over TCP", call)
    at.attempt("listen over TCP", lambda: socket.create_server(("127.0.0.1", 0)).close())


def call_out_over_udp(at: Situation) -> None:
    def call() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
            line.sendto(b"udp " + at.agent.name.encode(), ("127.0.0.1", at.targets["udp"]))

    at.attempt("send over UDP", call)
    for family in ("AF_NETLINK", "AF_PACKET", "AF_VSOCK", "AF_ALG"):
        at.attempt(f"open a socket of {family}", lambda family=family: _open(getattr(socket, family)))  # type: ignore[misc]


def _open(family: int) -> None:
    socket.socket(family, socket.SOCK_RAW if family == getattr(socket, "AF_PACKET", 0) else socket.SOCK_DGRAM).close()


def call_out_over_unix_sockets(at: Situation) -> None:
    """An abstract Unix socket, and one that another process has opened."""

    def abstract() -> None:
        with socket.socket(socket.AF_UNIX) as line:
            line.bind(f"\0{at.agent.name}-{os.getpid()}")
            line.listen()

    def datagram() -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        with ours, theirs:
            ours.sendto(b"x", at.targets["datagrams"])

    def message() -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        with ours, theirs:
            ours.sendmsg([b"x"], [], 0, at.targets["datagrams"])

    at.attempt("listen at an abstract address", abstract)
    at.attempt("send a datagram to a path", datagram)
    at.attempt("send a message to a path", message)


def leave_a_key(at: Situation) -> None:
    """A key in the kernel's keyrings."""
    for name, ring in (("session", -3), ("user", -4)):
        key = at.attempt(
            f"leave a key in the {name}'s ring",
            lambda ring=ring: at.call("add_key", b"user", b"attack", b"message", ctypes.c_ulong(7), ring),  # type: ignore[misc]
        )
        if key is not None:
            with suppress(OSError):
                at.call("keyctl", 9, key, ring)  # unlinked
    at.attempt("join a ring of a name", lambda: at.call("keyctl", 1, b"accomplices"))


def share_memory_of_system_v(at: Situation) -> None:
    libc = at.libc
    memory = at.attempt("share memory", lambda: at.checked(libc.shmget(_KEY, 4096, _CREATE)))
    if memory is not None:
        libc.shmctl(memory, _REMOVE, None)
    queue = at.attempt("open a queue of messages", lambda: at.checked(libc.msgget(_KEY, _CREATE)))
    if queue is not None:
        libc.msgctl(queue, _REMOVE, None)
    semaphore = at.attempt("share a semaphore", lambda: at.checked(libc.semget(_KEY, 1, _CREATE)))
    if semaphore is not None:
        libc.semctl(semaphore, 0, _REMOVE, 0)


def open_a_posix_queue(at: Situation) -> None:
    name = f"/attack-{os.getpid()}".encode()
    try:
        library = at.libc if hasattr(at.libc, "mq_open") else ctypes.CDLL("librt.so.1", use_errno=True)
    except OSError as error:
        print(f"refused: find mq_open: {error}")
        return
    queue = at.attempt("open a queue", lambda: at.checked(library.mq_open(name, os.O_CREAT | os.O_RDWR, 0o600, None)))
    if queue is not None:
        library.mq_unlink(name)


def lock_what_others_read(at: Situation) -> None:
    """A lock on a file that both can read is a message of one bit."""
    for path in (__file__, os.__file__):
        with open(path, "rb") as file:
            at.attempt(f"lock {path}", lambda file=file: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB))  # type: ignore[misc]
            at.attempt(f"lock part of {path}", lambda file=file: fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB))  # type: ignore[misc]
            at.attempt(f"lease {path}", lambda file=file: fcntl.fcntl(file, 1024, fcntl.F_RDLCK))  # type: ignore[misc]


def watch_what_others_do(at: Situation) -> None:
    """inotify reports when a file is opened."""

    def watch() -> int:
        watcher = at.checked(at.libc.inotify_init1(0))
        try:
            return at.checked(at.libc.inotify_add_watch(watcher, os.fsencode(os.__file__), 0x20))
        finally:
            os.close(watcher)

    at.attempt("watch files", watch)
    at.attempt("be told of changes in a folder", lambda: _notify(os.path.dirname(os.__file__)))


def _notify(folder: str) -> None:
    place = os.open(folder, os.O_RDONLY)
    try:
        fcntl.fcntl(place, fcntl.F_NOTIFY, 0)
    finally:
        os.close(place)


def listen_to_the_machine(at: Situation) -> None:
    """What /proc shows about other processes."""
    for path in (
        "/proc/loadavg",
        "/proc/locks",
        "/proc/net/unix",
        "/proc/sysvipc/shm",
        "/proc/schedstat",
        "/proc/uptime",
    ):
        if at.kind != "container":  # which has a /proc of its own
            at.attempt(f"read {path}", lambda path=path: Path(path).read_bytes()[:20])  # type: ignore[misc]
