"""The threads that read the database and draw: how much work waits for them, of whom, and when they keep still.

Work that many ask for is done once (`cache.py`), but one client can ask for any number of different pages. So only some
work of one client waits, and more is refused: other visitors soon have their turn.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import cache, partial
from pathlib import Path
from threading import Lock
from time import monotonic, sleep
from typing import Any, Final, TypeVar

from msgspec import Struct, json
from starlette.exceptions import HTTPException

from arena.web.asking import asker, client

T = TypeVar("T")

_MOST: Final = 300
"""Pieces of work that wait or are done at the same time."""
_MOST_OF_ONE: Final = 100
"""Of them those of one client."""
_LOOK_EVERY: Final = 5.0
"""Seconds between two looks at the write-ahead log."""
_LARGE_LOG: Final = 16 * 2**20
"""Bytes."""
_STILL: Final = 0.3
"""Seconds without reading, in which the director can empty the log."""


@cache
def learn_records() -> None:
    """Has msgspec read the fields of all records, before there are threads. If two threads make it read those of one
    record at the same time, the second sees half of them, and the process ends by SIGSEGV (msgspec 0.22)."""
    kinds = [Struct]
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        with suppress(NameError):  # the types of its fields are known to type checkers alone: it is never decoded
            json.Decoder(kind)


class Busy(HTTPException):
    """Too much work waits."""

    def __init__(self) -> None:
        super().__init__(503, "The server is busy. Try again in a few seconds.", {"retry-after": "5"})


class Turns(Executor):
    """Threads, with limits on the work that waits for them."""

    def __init__(self, threads: int, log: Path | None = None, *, most: int | None = None) -> None:
        """`most`: of all that waits or is done. `log`: the write-ahead log of the database. SQLite empties it only when
        nobody reads. If readers follow each other without a gap, it grows; then the threads make one."""
        learn_records()
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="page")
        self._lock = Lock()
        # By client, what waits; the client whose turn is next comes first.
        self._waiting: dict[str, deque[tuple[Future[Any], Callable[[], Any]]]] = {}
        self._work: Counter[str] = Counter()
        self._most = most
        self._log, self._bytes = log, _LARGE_LOG
        self._look = self._still_until = 0.0

    def submit(self, work: Callable[..., T], /, *args: Any, **more: Any) -> Future[T]:
        """Does the work in a thread, for each client in turn. Busy if too much waits, of this client or of all."""
        whose = asker.get() or client.get()
        future: Future[T] = Future()
        job = partial(copy_context().run, self._do, work, *args, **more)
        with self._lock:
            if self._work.total() >= (self._most or _MOST) or (whose and self._work[whose] >= _MOST_OF_ONE):
                raise Busy
            self._work[whose] += 1
            self._waiting.setdefault(whose, deque()).append((future, job))

        def done(_: Future[T]) -> None:
            with self._lock:
                self._work[whose] -= 1
                if not self._work[whose]:
                    del self._work[whose]

        future.add_done_callback(done)
        self._pool.submit(self._next)
        return future

    def _next(self) -> None:
        """Runs in a thread: does the next piece of work."""
        with self._lock:
            whose = next(iter(self._waiting))
            jobs = self._waiting.pop(whose)
            future, job = jobs.popleft()
            if jobs:
                self._waiting[whose] = jobs
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(job())
        except BaseException as error:  # who waits for the work is told
            future.set_exception(error)

    def _do(self, work: Callable[..., T], *args: Any, **more: Any) -> T:
        """Runs in a thread."""
        self._make_a_gap()
        sleep(max(0.0, self._still_until - monotonic()))
        return work(*args, **more)

    def _make_a_gap(self) -> None:
        """Keeps all threads still for a moment if the log grows."""
        with self._lock, suppress(OSError):
            if self._log is not None and (now := monotonic()) >= self._look:
                self._look = now + _LOOK_EVERY
                if (size := self._log.stat().st_size) > self._bytes:
                    self._bytes, self._still_until = size, now + _STILL

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Takes no more work."""
        if cancel_futures:
            with self._lock:
                waiting = [future for jobs in self._waiting.values() for future, _ in jobs]
            for future in waiting:
                future.cancel()
        self._pool.shutdown(wait)
