"""Keeps what was drawn, so that many visitors cost as much as one.

Runs in the event loop; drawing runs in threads. What is asked for by many at once is drawn once. What was drawn is
given at once for a while, and drawn anew behind if it is not fresh: visitors wait only for a page that nobody opened
lately. A page that takes long to draw stays fresh longer, so all pages together take a bounded share of a processor.
What people write through this page server is seen at once: then nothing of before is given any more.
"""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable
from concurrent.futures import Executor
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from hashlib import sha256
from time import monotonic
from typing import Any, Final

from arena.web.drawn import Drawn
from arena.web.turns import Busy

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
class Kept:
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
        self._kept: OrderedDict[Hashable, Kept] = OrderedDict()
        self._bytes = 0
        self.was_asked = False
        """Whether anything was asked for since this was set to False; another thread can read and set it."""
        # Being drawn.
        self._tasks: dict[Hashable, asyncio.Task[Kept]] = {}

    async def get(
        self, key: Hashable, draw: Callable[[], Drawn], *, newest: bool = False, turn: Turn | None = None
    ) -> Kept:
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

    def _start(self, key: Hashable, draw: Callable[[], Drawn], turn: Turn | None) -> asyncio.Task[Kept]:
        task = self._tasks[key] = asyncio.create_task(self._draw(key, draw, turn or nullcontext()))
        return task

    async def _draw(self, key: Hashable, draw: Callable[[], Drawn], turn: Turn) -> Kept:
        try:
            async with turn:
                kept = await asyncio.get_running_loop().run_in_executor(self._threads, self._drawn, draw)
        except Busy:
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

    def _keep(self, key: Hashable, kept: Kept) -> None:
        self._drop(key)
        self._kept[key] = kept
        self._bytes += kept.size
        while self._bytes > self._most_bytes and len(self._kept) > 1:
            self._drop(next(iter(self._kept)))

    def _drawn(self, draw: Callable[[], Drawn]) -> Kept:
        """Runs in any thread."""
        began = self._clock()
        drawn = draw()
        zipped = gzip.compress(drawn.body, _LEVEL, mtime=0)
        tag = f'W/"{sha256(zipped).hexdigest()[:32]}"'
        now = self._clock()
        fresh_until = now + max(_FRESH, _SHARE * (now - began))
        return Kept(zipped, drawn.kind, drawn.policy, tag, fresh_until, fresh_until + _GIVEN)

    def _drop(self, key: Hashable) -> None:
        if (kept := self._kept.pop(key, None)) is not None:
            self._bytes -= kept.size

    def _note_failure(self, task: asyncio.Task[Kept]) -> None:
        if not task.cancelled() and isinstance(error := task.exception(), Exception) and not isinstance(error, Busy):
            self._failed(error)
