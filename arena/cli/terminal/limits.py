"""Limits for a command that only reads: on the time and the memory that a call into C takes, and an end at any moment.

Python runs no signal handler while a library computes, and a database may compute for hours. So a thread waits for the
byte that the system writes into a pipe when a signal comes (signal.set_wakeup_fd) and ends the process, which has
nothing to clear up.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar

from arena.errors import ArenaError

_Item = TypeVar("_Item")
_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_GRACE: Final = 0.2
"""Seconds in which the main thread may end in the usual way after a signal."""
_MEBIBYTE: Final = 1024**2
_DATA: Final = 5
"""The place of the pages of data in /proc/self/statm."""


class Patience:
    """Inside, a signal ends the process at once, and so does waiting longer than `seconds`, with the message `late`.

    All time between `begin` and `end` counts, and otherwise that in which this process computes: not that in which a
    reader of our output keeps us waiting."""

    def __init__(self, seconds: float, *, late: str) -> None:
        self._late = late
        self._left = seconds
        # Since when the library computes; and what this process had computed when the library had answered.
        self._since: float | None = None
        self._computed = time.process_time()

    def __enter__(self) -> Self:
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        self._before = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        signal.set_wakeup_fd(self._before)
        os.close(self._write)
        self._thread.join()
        os.close(self._read)

    def begin(self) -> None:
        """The library computes."""
        self._left -= time.process_time() - self._computed
        self._since = time.monotonic()

    def end(self) -> None:
        """It has answered."""
        if self._since is not None:
            self._left -= time.monotonic() - self._since
            self._computed = time.process_time()
            self._since = None

    def each(self, items: Iterator[_Item]) -> Generator[_Item]:
        """The items, each of which the library computes when it is asked for."""
        while True:
            self.begin()
            try:
                item = next(items)
            except StopIteration:
                return
            finally:
                self.end()
            yield item

    def _watch(self) -> None:
        while True:
            since = self._since
            used = time.process_time() - self._computed if since is None else time.monotonic() - since
            left = self._left - used
            if left <= 0:
                print(self._late, file=sys.stderr, flush=True)
                if since is not None:
                    sys.stdout.flush()  # the main thread is not writing
                os._exit(2)
            if not select.select([self._read], [], [], max(left, _GRACE))[0]:
                continue
            signals = os.read(self._read, 4096)
            ending = [number for number in signals if number in _ENDING]
            if ending and not _is_closed_within(self._read, _GRACE):
                os._exit(128 + ending[0])
            if not signals or ending:
                return


def _is_closed_within(pipe: int, seconds: float) -> bool:
    """Whether the other end of the pipe closes by then."""
    give_up = time.monotonic() + seconds
    while select.select([pipe], [], [], max(0.0, give_up - time.monotonic()))[0]:
        if not os.read(pipe, 4096):
            return True
    return False


@contextmanager
def at_most_memory(mebibytes: int, *, advice: str) -> Iterator[None]:
    """Inside, this process gets so much memory more, and is refused any beyond it."""
    try:
        data = int(Path("/proc/self/statm").read_text().split()[_DATA]) * resource.getpagesize()
    except OSError:  # macOS, which knows no such limit
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = data + mebibytes * _MEBIBYTE
    resource.setrlimit(resource.RLIMIT_DATA, (most if soft == resource.RLIM_INFINITY else min(soft, most), hard))
    try:
        yield
    except MemoryError:
        raise ArenaError(f"expected to need at most {mebibytes} MiB of memory, needed more: {advice}") from None
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
