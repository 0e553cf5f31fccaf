"""Server-sent events: the streams of open pages, and what each has still to be sent.

It lives on the event loop of the page server; `arena/web/server.py`, a thread, gives it the changes. A stream keeps
one pending state for each kind of event, the newest: a slow reader gets fewer states, and never a queue of them. Who
has had the state before gets only what has changed since. A state is compressed once for all streams: a stream is one
gzip member whose raw-deflate chunks were made independently.
"""

from __future__ import annotations

import asyncio
import re
import zlib
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Hashable, Iterable, MutableMapping
from itertools import accumulate
from time import monotonic_ns
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_GZIP: Final = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
"""The header of a gzip member. Its end never comes: a stream ends by its connection."""
_ALIVE_EVERY: Final = 10.0
"""Seconds between two events at least; pages take a stream that is silent for longer as lost."""
MOST: Final = 4000
"""Streams at the same time."""
MOST_TOPICS: Final = 200
"""Topics at the same time: each costs the same for one page and for many, and a page can follow any game."""


class Chunk(Struct, frozen=True):
    """A part of a stream."""

    plain: bytes
    deflated: bytes


def chunk(text: bytes) -> Chunk:
    """A part that can follow any other part."""
    deflating = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return Chunk(text, deflating.compress(text) + deflating.flush(zlib.Z_FULL_FLUSH))


def event(kind: str, data: object, *, now: int) -> Chunk:
    """An event with `data` as JSON and the instant `now` of the server's monotonic clock, in ns."""
    content = msgspec.json.encode({"now": now / 1e6, "data": data})
    return chunk(b"event: %b\ndata: %b\n\n" % (kind.encode(), content))


class Change(Struct, frozen=True):
    """A new state of a topic, for all its streams."""

    topic: str
    kind: str
    """A newer state of the same kind replaces this one."""
    data: Any
    sent: Chunk
    since: Chunk | None = None
    """The same for those who have had the state before; None: they are sent the whole."""


class Owner(NamedTuple):
    """By whose rights a stream is sent."""

    key: str
    """Of a session or a token."""
    account: Hashable
    """As it was when the stream began."""


class Stream:
    """What one open page follows and has still to be sent."""

    def __init__(self, topic: str, owner: Owner | None = None) -> None:
        """`owner`: by whose rights it is sent; None: by anybody's."""
        self.topic = topic
        self.owner = owner
        self.is_closed = False
        self._pending: dict[str, Chunk] = {}
        # The kinds of which it has had the last state.
        self._had = set[str]()
        self._woken = asyncio.Event()

    def put(self, change: Change) -> None:
        """Replaces the pending state of this kind."""
        has_last = change.kind in self._had
        self._had.discard(change.kind)
        self._pending.pop(change.kind, None)
        self._pending[change.kind] = change.since if has_last and change.since is not None else change.sent
        self._woken.set()

    def close(self) -> None:
        """Ends the stream; what is pending is not sent."""
        self.is_closed = True
        self._woken.set()

    async def next(self) -> list[Chunk]:
        """The pending states, as soon as there are any; none after `_ALIVE_EVERY` seconds, and if it is closed."""
        try:
            async with asyncio.timeout(_ALIVE_EVERY):
                await self._woken.wait()
        except TimeoutError:
            return []
        self._woken.clear()
        found, self._pending = self._pending, {}
        self._had |= found.keys()
        return [*found.values()]


class Streams:
    """All open streams, and the last state of each topic."""

    def __init__(self) -> None:
        self.wanted: frozenset[str] = frozenset()
        """The topics that someone follows. Another thread can read it."""
        self._streams: dict[str, set[Stream]] = {}
        self._last: dict[str, dict[str, Change]] = {}
        self._is_closed = False

    def __len__(self) -> int:
        return sum(map(len, self._streams.values()))

    def is_full(self, topic: str) -> bool:
        """Whether no more streams of this topic are taken."""
        has_too_many = topic not in self._streams and len(self._streams) >= MOST_TOPICS
        return self._is_closed or has_too_many or len(self) >= MOST

    def open(self, topic: str, owner: Owner | None = None) -> Stream:
        """A new stream, with the last states of the topic pending."""
        stream = Stream(topic, owner)
        for change in self._last.get(topic, {}).values():
            stream.put(change)
        self._streams.setdefault(topic, set()).add(stream)
        self._note_wanted()
        return stream

    def leave(self, stream: Stream) -> None:
        """Forgets a stream."""
        streams = self._streams.get(stream.topic, set())
        streams.discard(stream)
        if not streams:
            self._streams.pop(stream.topic, None)
        self._note_wanted()

    def _note_wanted(self) -> None:
        self.wanted = frozenset(self._streams)

    def publish(self, changes: Iterable[Change]) -> None:
        """Takes new states."""
        for change in changes:
            self._last.setdefault(change.topic, {})[change.kind] = change
            for stream in self._streams.get(change.topic, ()):
                stream.put(change)

    def forget(self, topic: str) -> None:
        """Forgets the last states of a topic that is not followed any more."""
        self._last.pop(topic, None)

    async def state(self, topic: str, kind: str, *, patience: float) -> Any:
        """The data of the topic's last state of this kind; waits at most `patience` seconds for the first one, then
        None."""
        stream = self.open(topic)
        try:
            async with asyncio.timeout(patience):
                while kind not in self._last.get(topic, {}) and not stream.is_closed:
                    await stream.next()
        except TimeoutError:
            pass
        finally:
            self.leave(stream)
        found = self._last.get(topic, {}).get(kind)
        return None if found is None else found.data

    def _all(self) -> list[Stream]:
        return [stream for streams in self._streams.values() for stream in streams]

    @property
    def owners(self) -> set[Owner]:
        """By whose rights streams are sent."""
        return {stream.owner for stream in self._all() if stream.owner is not None}

    def close_those_of(self, owners: Collection[Owner]) -> None:
        """Ends the streams of these owners."""
        for stream in self._all():
            if stream.owner in owners:
                stream.close()

    def close(self) -> None:
        """Ends all streams, so that the server can end; new ones are refused."""
        self._is_closed = True
        for stream in self._all():
            stream.close()

    async def serve(
        self,
        topic: str,
        receive: Receive,
        send: Send,
        *,
        gzip: bool,
        owner: Owner | None = None,
        opened: Callable[[], None] | None = None,
    ) -> None:
        """Answers one request, as ASGI: sends the topic's states until the page is closed. `opened` is called when it
        is one of the streams."""
        headers = [
            (b"content-type", b"text/event-stream; charset=utf-8"),
            (b"cache-control", b"no-store, no-transform"),
            (b"x-accel-buffering", b"no"),
            (b"vary", b"accept-encoding"),
            *([(b"content-encoding", b"gzip")] if gzip else []),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        stream = self.open(topic, owner)
        if opened is not None:
            opened()
        leaving = asyncio.create_task(_closed_by_page(receive, stream))
        try:
            await _send(send, [chunk(b"retry: 1000\n\n"), _alive()], gzip=gzip, first=True)
            while not stream.is_closed:
                states = await stream.next()
                if not stream.is_closed:
                    await _send(send, states or [_alive()], gzip=gzip)
            await send({"type": "http.response.body", "body": b""})
        finally:
            leaving.cancel()
            self.leave(stream)


async def _closed_by_page(receive: Receive, stream: Stream) -> None:
    """Closes the stream when its page has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
    stream.close()


async def _send(send: Send, chunks: Iterable[Chunk], *, gzip: bool, first: bool = False) -> None:
    """Sends these parts; it waits while the reader is slow."""
    body = b"".join(each.deflated if gzip else each.plain for each in chunks)
    await send({"type": "http.response.body", "body": _GZIP * (gzip and first) + body, "more_body": True})


def _alive() -> Chunk:
    return event("alive", None, now=monotonic_ns())


# What a text became, said by the text before it: a stream sends a move and not a board.


Piece = str | tuple[int, int]
_TOKEN: Final = re.compile(r"<[^>]*>|[^<\s]*\s+|[^<\s]+|<")
_LEAST: Final = 8
"""Characters of a range at least: a shorter one is written out."""
_MOST_PLACES: Final = 16
"""Places of a token in the text before that are tried."""


def delta(before: str, after: str) -> list[Piece]:
    """The pieces of `after`. Ranges count as scripts do, in units of UTF-16."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    begins = [0, *accumulate(map(_units, old))]
    places = defaultdict[str, list[int]](list)
    for place, token in enumerate(old):
        places[token].append(place)
    pieces: list[Piece] = []
    at = follows = 0
    while at < len(new):
        length, place = _longest(old, new, at, [follows, *places[new[at]][:_MOST_PLACES]])
        begin, end = begins[place], begins[place + length]
        last = pieces[-1] if pieces else ""
        if isinstance(last, tuple) and last[1] == begin < end:
            pieces[-1] = (last[0], end)
        elif end - begin >= _LEAST:
            pieces.append((begin, end))
        else:
            length, place = 1, follows
            if isinstance(last, str) and pieces:
                pieces[-1] = last + new[at]
            else:
                pieces.append(new[at])
        at, follows = at + length, place + length
    return pieces


def _longest(old: list[str], new: list[str], at: int, places: list[int]) -> tuple[int, int]:
    """The number of tokens that are the same from `at` on, and their place in the old ones."""
    best = (0, 0)
    for place in places:
        length = 0
        while at + length < len(new) and place + length < len(old) and new[at + length] == old[place + length]:
            length += 1
        best = max(best, (length, place), key=lambda found: found[0])
    return best


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2
