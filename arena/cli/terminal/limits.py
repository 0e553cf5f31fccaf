"""Limits for a read-only command: time and memory of a call into C code, and Ctrl-C at any moment.

Python runs no signal handler during a call into C, and a database query can take hours. So a thread waits for the byte
that Python writes into a pipe for each signal (signal.set_wakeup_fd), and ends the process, which needs no cleanup.
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
"""Time for the main thread to end normally after a signal, in seconds."""
_MEBIBYTE: Final = 1024**2
_DATA: Final = 5
"""Field of /proc/self/statm with the number of data pages."""


class TimeLimit:
    """Inside, a signal ends the process immediately; so does a timeout after `seconds`, with the message `late`.

    Between `begin` and `end` wall time counts, outside only CPU time, so that a slow reader of our output (a pager)
    causes no timeout."""

    def __init__(self, seconds: float, *, late: str) -> None:
        self._late = late
        self._left = seconds
        # Start of the current library call (None outside), and CPU time of the process at the end of the last call.
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
        """Note that a library call starts."""
        self._left -= time.process_time() - self._computed
        self._since = time.monotonic()

    def end(self) -> None:
        """Note that the library call has returned."""
        if self._since is not None:
            self._left -= time.monotonic() - self._since
            self._computed = time.process_time()
            self._since = None

    def each(self, items: Iterator[_Item]) -> Generator[_Item]:
        """The items, whose computation counts as a library call."""
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
    """Whether the other end of the pipe is closed within `seconds`."""
    give_up = time.monotonic() + seconds
    while select.select([pipe], [], [], max(0.0, give_up - time.monotonic()))[0]:
        if not os.read(pipe, 4096):
            return True
    return False


@contextmanager
def memory_limit(mebibytes: int, *, advice: str) -> Iterator[None]:
    """Inside, this process can allocate at most `mebibytes` more (RLIMIT_DATA)."""
    try:
        data = int(Path("/proc/self/statm").read_text().split()[_DATA]) * resource.getpagesize()
    except OSError:  # macOS has no such limit
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = data + mebibytes * _MEBIBYTE
    resource.setrlimit(resource.RLIMIT_DATA, (most if soft == resource.RLIM_INFINITY else min(soft, most), hard))
    try:
        yield
    except MemoryError:
        raise ArenaError(f"out of memory: at most {mebibytes} MiB of memory are allowed; {advice}") from None
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
