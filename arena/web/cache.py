"""Keeps what was drawn, so that many visitors cost as much as one; and the threads that read and draw, with how much
work waits for them.

Runs in the event loop; drawing runs in threads. What is asked for by many at once is drawn once. What was drawn is
given at once for a while, and drawn anew behind if it is not fresh: visitors wait only for a page that nobody opened
lately. A page that takes long to draw stays fresh longer, so all pages together take a bounded share of a processor.
What people write through this page server is seen at once: then nothing of before is given any more.
"""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Hashable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from contextvars import copy_context
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from threading import Lock
from time import monotonic, sleep
from typing import Any, Final, TypeVar

from msgspec import Struct, json
from starlette.exceptions import HTTPException

from arena.web.page_values import Drawn, asker, client

Turn = AbstractAsyncContextManager[Any]
"""Such as a semaphore."""
_FRESH: Final = 1.0
"""Seconds that a page is fresh at least."""
_SHARE: Final = 20
"""A page is fresh for this many times the time that drawing it took."""
_GIVEN: Final = 10.0
"""Seconds that it is given after that, while it is drawn anew."""
_MOST_BYTES: Final = 64 * 2**20
"""Of all that is kept; what was asked for longest ago is dropped first."""
_BESIDE: Final = 2048
"""Bytes that a page takes beside its body: its key, headers and places in tables."""
_PART: Final = 65536
"""Bytes."""
_LEVEL: Final = 6
"""Of compression."""


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A page as it is kept."""

    zipped: bytes
    kind: str
    policy: str
    tag: str
    """Its ETag, which changes with its content."""
    fresh_until: float
    given_until: float

    @property
    def size(self) -> int:
        """Bytes of memory that it takes, roughly."""
        return len(self.zipped) + _BESIDE

    @property
    def length(self) -> int:
        """Bytes of the body for clients that cannot unzip."""
        return int.from_bytes(self.zipped[-4:], "little")

    async def plain(self) -> AsyncIterator[bytes]:
        """The body for them, in parts: a client that does not read it keeps one part in memory, and not all."""
        unzipping = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
        rest = self.zipped
        while part := unzipping.decompress(rest, _PART):
            yield part
            rest = unzipping.unconsumed_tail


class Cache:
    """What was drawn, by key."""

    def __init__(
        self,
        threads: Executor,
        *,
        failed: Callable[[Exception], None],
        most_bytes: int = _MOST_BYTES,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """`threads` draw. `failed` is called when a page could not be drawn anew while nobody waited for it."""
        self._threads, self._failed, self._most_bytes, self._clock = threads, failed, most_bytes, clock
        self._kept: OrderedDict[Hashable, KeptPage] = OrderedDict()
        self._bytes = 0
        self.was_asked = False
        """Whether anything was asked for since this was set to False; another thread can read and set it."""
        # Being drawn.
        self._tasks: dict[Hashable, asyncio.Task[KeptPage]] = {}

    async def get(
        self, key: Hashable, draw: Callable[[], Drawn], *, newest: bool = False, turn: Turn | None = None
    ) -> KeptPage:
        """What `draw` gives, or what it gave a moment ago; its errors are raised here and are not kept.

        `newest`: nothing that was kept before; waits until the page may be drawn anew. `turn`: drawing waits for it
        without a thread."""
        self.was_asked = True
        kept = self._kept.get(key)
        now = self._clock()
        if kept is not None and newest:
            await asyncio.sleep(max(0.0, kept.fresh_until - now))
            newer = self._kept.get(key)
            if newer is not None and newer is not kept:
                return newer
            return await asyncio.shield(self._tasks.get(key) or self._start(key, draw, turn))
        if kept is not None and now < kept.given_until:
            self._kept.move_to_end(key)
            if now >= kept.fresh_until and key not in self._tasks:
                self._start(key, draw, turn).add_done_callback(self._note_failure)
            return kept
        return await asyncio.shield(self._tasks.get(key) or self._start(key, draw, turn))

    def draw_now(self, key: Hashable, draw: Callable[[], Drawn]) -> None:
        """Draws that in this thread, and keeps it."""
        self._keep(key, self._drawn(draw))

    def forget(self) -> None:
        """The record was changed for a person who looks now: what was read before is given to nobody from now on."""
        self._kept.clear()
        self._bytes = 0
        self._tasks.clear()  # they answer those who wait for them

    def _start(self, key: Hashable, draw: Callable[[], Drawn], turn: Turn | None) -> asyncio.Task[KeptPage]:
        task = self._tasks[key] = asyncio.create_task(self._draw(key, draw, turn or nullcontext()))
        return task

    async def _draw(self, key: Hashable, draw: Callable[[], Drawn], turn: Turn) -> KeptPage:
        try:
            async with turn:
                kept = await asyncio.get_running_loop().run_in_executor(self._threads, self._drawn, draw)
        except TooBusy:
            raise  # what is kept can still be given
        except BaseException:
            self._drop(key)
            raise
        finally:
            is_wanted = self._tasks.get(key) is asyncio.current_task()
            if is_wanted:
                del self._tasks[key]
        if is_wanted:
            self._keep(key, kept)
        return kept

    def _keep(self, key: Hashable, kept: KeptPage) -> None:
        self._drop(key)
        self._kept[key] = kept
        self._bytes += kept.size
        while self._bytes > self._most_bytes and len(self._kept) > 1:
            self._drop(next(iter(self._kept)))

    def _drawn(self, draw: Callable[[], Drawn]) -> KeptPage:
        """Runs in any thread."""
        began = self._clock()
        drawn = draw()
        zipped = gzip.compress(drawn.body, _LEVEL, mtime=0)
        tag = f'W/"{sha256(zipped).hexdigest()[:32]}"'
        now = self._clock()
        fresh_until = now + max(_FRESH, _SHARE * (now - began))
        return KeptPage(zipped, drawn.kind, drawn.policy, tag, fresh_until, fresh_until + _GIVEN)

    def _drop(self, key: Hashable) -> None:
        if (kept := self._kept.pop(key, None)) is not None:
            self._bytes -= kept.size

    def _note_failure(self, task: asyncio.Task[KeptPage]) -> None:
        if not task.cancelled() and isinstance(error := task.exception(), Exception) and not isinstance(error, TooBusy):
            self._failed(error)


# The threads that read the database and draw: how much work waits for them, of whom, and when they keep still.


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


class TooBusy(HTTPException):
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
                raise TooBusy
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
        if cancel_futures:
            with self._lock:
                waiting = [future for jobs in self._waiting.values() for future, _ in jobs]
            for future in waiting:
                future.cancel()
        self._pool.shutdown(wait)
