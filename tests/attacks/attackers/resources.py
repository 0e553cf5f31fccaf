"""Attacks on shared resources: memory, processors, disk, descriptors."""

from __future__ import annotations

import ctypes
import hashlib
import mmap
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.attacks.attackers.agent import Situation

MEBIBYTE = 1024**2
SEEN_WITHIN = 3.0
"""Seconds that an attack lasts if the warden does not end it."""


def plays_well(at: Situation) -> None:
    """No attack: the others are compared with this one."""


def allocate_4_gb(at: Situation) -> None:
    """Allocates more than the limit in one piece."""
    print(len(bytearray(4 << 30)))


def touch_memory_bit_by_bit(at: Situation) -> None:
    kept: list[bytearray] = []
    while len(kept) < 1024:
        kept.append(bytearray(os.urandom(4096) * 1024))


def share_memory(at: Situation) -> None:
    """Memory that no resource limit of a process counts."""
    kept = shared(4 << 30)
    if kept is not None:
        for page in range(0, 1 << 30, mmap.PAGESIZE):
            kept[page] = 1
        wait()


def shared(size: int) -> mmap.mmap | None:
    """Memory that can be shared with other processes; None if it is refused."""
    try:
        return mmap.mmap(-1, size, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
    except OSError as error:
        print(f"refused: have memory that can be shared: {error}")
        return None


def take_memory_in_small_bites(at: Situation) -> Iterator[None]:
    """Takes a little more memory in each of its short turns."""
    kept = shared(1 << 30)
    if kept is None:
        return
    piece, taken = b"x" * (4 * MEBIBYTE), 0
    at.at_the_end(lambda: f"hold {taken // MEBIBYTE} MiB of memory" if taken > 320 * MEBIBYTE else "")
    while True:
        until = time.monotonic() + 0.09
        while time.monotonic() < until and taken < 512 * MEBIBYTE:
            kept[taken : taken + 4 * MEBIBYTE] = piece
            taken += 4 * MEBIBYTE
        yield


def hide_memory_in_files_of_memory(at: Situation) -> None:
    def fill() -> int:
        piece, total = bytes(MEBIBYTE), 0
        for number in range(16):
            file = os.memfd_create(f"hidden-{number}")
            for _ in range(32):
                total += os.write(file, piece)
        return total

    at.attempt("hold 512 MiB in files that are memory", fill)


def take_memory_in_children(at: Situation) -> None:
    """Each child takes less than the limit."""

    def begin() -> None:
        if os.fork() == 0:
            kept = bytearray(b"x") * (96 * MEBIBYTE)
            wait()
            os._exit(len(kept) == 0)

    try:
        for _ in range(12):
            begin()
    except OSError as error:
        print(f"refused: start a process: {error}")
        return
    wait()


def start_1000_threads(at: Situation) -> None:
    def begin() -> int:
        for _ in range(1000):
            threading.Thread(target=wait, daemon=True).start()
        return threading.active_count()

    try:
        begin()
    except RuntimeError as error:
        print(f"refused: start 1,000 threads: {error} at {threading.active_count()}")
        os._exit(3)  # the threads that it has are its own trouble
    wait()


def start_threads_in_small_bites(at: Situation) -> Iterator[None]:
    """Starts a few more threads in each of its short turns."""
    ends = threading.Event()

    def too_many() -> str:
        have = threading.active_count()
        ends.set()
        return f"have {have} threads" if have > 70 else ""

    at.at_the_end(too_many)
    while True:
        try:
            for _ in range(50):
                threading.Thread(target=ends.wait, daemon=True).start()
        except RuntimeError as error:
            print(f"refused: start a thread: {error}")
        yield


def overflow_the_stack(at: Situation) -> None:
    sys.setrecursionlimit(10**9)

    def deeper(_: object) -> object:
        return sorted([1], key=deeper)  # type: ignore[arg-type]

    deeper(None)


def fill_own_folder(at: Situation) -> None:
    try:
        print(f"SUCCEEDED: write {fill(Path('.'), 512)} bytes into its folder")
    except OSError as error:
        print(f"refused: fill its folder: {error}")
    except MemoryError:
        print("refused: fill its folder")


def fill_tmp(at: Situation) -> None:
    fill_and_clear(at, Path("/tmp"))


def fill_shm(at: Situation) -> None:
    fill_and_clear(at, Path("/dev/shm"))


def fill_everything_else(at: Situation) -> None:
    """Every folder that it can write to."""
    for folder in ("/", "/run", "/var/tmp", os.path.dirname(os.getcwd()), os.path.dirname(__file__)):
        if at.kind != "limits" or folder == "/var/tmp":
            fill_and_clear(at, Path(folder))


def fill_and_clear(at: Situation, folder: Path) -> None:
    """Far more than fits into a container; elsewhere a little, which shows that it is not counted."""
    at.attempt(f"fill {folder}", lambda: fill(folder, 1 if at.kind == "limits" else 256))
    with suppress(OSError):
        for path in folder.glob(f"fill-{os.getpid()}-*"):
            path.unlink()


def fill(folder: Path, mebibytes: int) -> int:
    """Writes files of at most 16 MiB; returns the number of bytes."""
    piece, total = bytes(MEBIBYTE), 0
    for number in range((mebibytes + 15) // 16):
        with open(folder / f"fill-{os.getpid()}-{number}", "wb", buffering=0) as file:
            for _ in range(min(16, mebibytes)):
                total += file.write(piece)
    return total


def open_10000_files(at: Situation) -> None:
    opened: list[int] = []

    def many() -> int:
        for _ in range(10_000):
            opened.append(os.open("/dev/null", os.O_RDONLY))
        return len(opened)

    try:
        at.attempt("open 10,000 files", many)
        at.attempt("raise the limit of open files", lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (20000, 20000)))
    finally:
        for file in opened:
            os.close(file)


# Time.


def spin_off_turn(at: Situation) -> Iterator[None]:
    """A thread computes during the opponent's turn."""
    ends = threading.Event()

    def think() -> None:
        while not ends.is_set():
            pass

    for _ in range(2):
        threading.Thread(target=think, daemon=True).start()
    return thinking_off_turn(at, time.process_time, ends.set)


def spin_off_turn_in_a_child(at: Situation) -> Iterator[None]:
    """A child in its own session computes during the opponent's turn."""
    try:
        child = os.fork()
    except OSError as error:
        print(f"refused: start a process: {error}")
        return iter(())
    if child == 0:
        os.setsid()
        until = time.process_time() + 5
        while time.process_time() < until:
            pass
        os._exit(0)
    return thinking_off_turn(at, lambda: time.clock_gettime((~child << 3) | 2), lambda: None)


def wake_by_a_timer(at: Situation) -> Iterator[None]:
    """It is paused when it is not its turn; a timer, or a child that ends, sends the SIGCONT that wakes it."""
    sigevent = (ctypes.c_int * 16)(0, 0, signal.SIGCONT)
    timer, each = ctypes.c_void_p(), (ctypes.c_long * 4)(0, 1_000_000, 0, 1_000_000)
    made = at.attempt(
        "have a timer that wakes it", lambda: at.checked(at.libc.timer_create(1, sigevent, ctypes.byref(timer)))
    )
    if made is not None:
        at.libc.timer_settime(timer, 0, each, None)

    def start() -> None:
        if at.call("clone", int(signal.SIGCONT), 0, 0, 0, 0) == 0:
            os._exit(0)

    at.attempt("start a child that wakes it", start)
    return spin_off_turn(at)


def thinking_off_turn(at: Situation, used: Callable[[], float], end: Callable[[], Any]) -> Iterator[None]:
    """Checks whether it used more processor time between its turns than the moment before it is paused."""
    apart = thought = 0.0
    at.at_the_end(lambda: "think on the opponent's time" if thought > 0.4 * apart else "")
    for _ in range(4):
        begun, before = time.monotonic(), used()
        yield
        apart += time.monotonic() - begun
        thought += used() - before
        print(f"thought {thought:.3f} s in {apart:.3f} s off turn")
    end()


def buy_a_void_with_threads(at: Situation) -> None:
    """Its own threads keep all processors busy: it is late all the same."""
    for _ in range(8):
        threading.Thread(target=work, daemon=True).start()
    work()


def buy_a_void_at_the_back_of_the_queue(at: Situation) -> None:
    """It waits long for a processor, because it lowered its own priority (SCHED_IDLE, nice 19)."""
    for what, does in (
        ("the last of all", lambda: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))),
        ("nice", lambda: os.nice(19)),
    ):
        with suppress(OSError):
            does()
            print(f"is {what}")
    work()


def work() -> None:
    """Computes without the interpreter's lock, for a fixed processor time."""
    until = time.thread_time() + SEEN_WITHIN
    while hashlib.pbkdf2_hmac("sha256", b"x", b"x", 50_000) and time.thread_time() < until:
        pass  # a traceback always names the line above


def wait() -> None:
    """Waits until the warden must have seen it."""
    time.sleep(SEEN_WITHIN)
