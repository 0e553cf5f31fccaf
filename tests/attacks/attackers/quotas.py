"""Uses everything that the kernel limits for each user: all that it gets, or a little.

    python quotas.py everything|a-little

Prints as JSON how much it got, and keeps it until its stdin ends.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

A_LITTLE = {"timers": 20, "threads": 8, "pipes": 10, "bytes in a pipe": 65536, "watches": 200, "locked": 8}
_EVERYTHING = {"timers": 20_000, "threads": 200, "watches": 100_000, "locked": 20_000, "pipes": 15}
"""Number of pipes: some open files must stay free for the rest, because their limit is for each process."""
_PAGE = 4096
libc = ctypes.CDLL(None, use_errno=True)
kept: list[Any] = []


def as_many(most: int, one: Callable[[], Any]) -> int:
    """How often the call succeeds before it is refused."""
    for done in range(most):
        try:
            kept.append(one())
        except (OSError, RuntimeError, MemoryError):
            return done
    return most


def checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def timer() -> None:
    checked(libc.timer_create(0, None, ctypes.byref(ctypes.c_void_p())))


def thread() -> None:
    threading.Thread(target=ends.wait, daemon=True).start()


def watches(most: int) -> int:
    """Of as many files as there are, by as many watchers as there are, under each number that a file can have."""
    files = [os.eventfd(0) for _ in range(2 if most == A_LITTLE["watches"] else 20)]
    made = 0
    with suppress(OSError):
        while made < most:
            watcher = select.epoll()
            kept.append(watcher)
            for file in files:
                for number in range(3, 64):
                    if made < most and (number == file or not os.path.exists(f"/proc/self/fd/{number}")):
                        with suppress(OSError):
                            watcher.register(os.dup2(file, number) if number != file else file, select.EPOLLIN)
                            made += 1
                        if number != file:
                            os.close(number)
    return made


def locked() -> None:
    place = libc.mmap(None, _PAGE, 3, 0x22, -1, 0)
    checked(libc.mlock(ctypes.c_void_p(place), _PAGE))


def take(most: dict[str, int]) -> dict[str, int]:
    """How much it gets of each resource."""
    got = {
        "threads": as_many(most["threads"], thread),
        "timers": as_many(most["timers"], timer),
        "locked": as_many(most["locked"], locked),
        "pipes": as_many(most["pipes"], pipes),
        "watches": watches(most["watches"]),
    }
    return {**got, "bytes in a pipe": min(map(room, written), default=0)}


def pipes() -> None:
    _, writer = os.pipe()
    written.append(writer)


def room(writer: int) -> int:
    """How many bytes fit into a pipe."""
    os.set_blocking(writer, False)
    held = 0
    with suppress(BlockingIOError):
        while True:
            held += os.write(writer, bytes(_PAGE))
    return held


written: list[int] = []
ends = threading.Event()
if __name__ == "__main__":
    libc.mmap.restype = ctypes.c_void_p
    threading.stack_size(1 << 16)
    greedy = sys.argv[1] == "everything"
    print(json.dumps(take(_EVERYTHING if greedy else A_LITTLE)), flush=True)
    sys.stdin.read()
    os._exit(0)
