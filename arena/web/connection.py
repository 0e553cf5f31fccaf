"""A connection of the page server: uvicorn's, with limits on what one client can make it keep.

Without them, connections that never finish a request or never read an answer would stay for ever, and some large heads
or requests in advance would fill the memory. A body may take hours, but it must not be slower than 2 KiB/s.

Measured: of 200 connections with half a head, uvicorn's own class has 200 open after 50 s, this class none; of one head
uvicorn's reads 200 MB into 301 MB of memory, this class 32 KiB.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections import Counter
from typing import Any, ClassVar, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_SECONDS: Final = 20.0
"""From the first byte of a request, or the start of a connection, to the end of the head."""
_A_LAST_LOOK: Final = 1.0
"""Seconds more: on a busy machine this process may not have run for long, and the request waits to be read."""
_MOST_BYTES: Final = 32768
"""Of a head."""
_MOST_HEADERS: Final = 100
MOST_SENT: Final = 64 * 2**20
"""Bytes of a body. A file is refused in words if it is only somewhat too large; beyond this the connection ends."""
_DIGITS: Final = 10
_LEAST: Final = 40 * 2**10
"""Bytes of a body that must come in `_SECONDS`."""
_TOO_SLOW: Final = f"This came slower than {_LEAST / _SECONDS / 1024:.0f} KiB/s for {_SECONDS:.0f} s. Try again."
_UNREAD: Final = 30.0
"""Seconds after which a connection ends if its client has read nothing of what it was sent."""
MOST: Final = 6000
"""Connections; more get an error at once."""
_CROWDED: Final = MOST * 9 // 10
"""Above this number, each new connection ends the oldest one that has not sent a whole head."""
_MOST_OF_ONE: Final = MOST // 2
"""Connections of one address. This machine's own has no such limit: a reverse proxy has it."""


class _Refused(Exception):
    """A request that is not answered; the text says why."""


class Connection(HttpToolsProtocol):
    """One connection."""

    _of: ClassVar[Counter[str]] = Counter()
    """The number of connections by address."""
    _without_head: ClassVar[dict[Connection, None]] = {}
    """Those that have not sent a whole head, the oldest first: they make room for others."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._bytes = self._heads = self._body_bytes = 0
        self._has_waited = False
        """Whether the client had to wait for this server since the last look at the body."""
        self._head: asyncio.TimerHandle | None = None
        self._body: asyncio.TimerHandle | None = None
        self._reading: asyncio.TimerHandle | None = None
        self._address = ""
        self._refusal = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._address = network(self.client[0]) if self.client else ""
        self._of[self._address] += 1
        if self._of.total() > _CROWDED and self._without_head:
            oldest = next(iter(self._without_head))
            oldest._has_head()
            oldest.transport.abort()
        if self._address and self._of[self._address] > _MOST_OF_ONE:
            transport.abort()
        else:
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._has_head()
        self._has_body()
        self._has_read()
        self._of[self._address] -= 1
        if not self._of[self._address]:
            del self._of[self._address]
        super().connection_lost(exc)

    # The head of a request.

    def data_received(self, data: bytes) -> None:
        if self._head is None:
            super().data_received(data)
            return
        self._bytes += len(data)
        super().data_received(data)  # with the head can come the beginning of a body
        if self._head is not None and self._bytes > _MOST_BYTES and not self.transport.is_closing():
            self.send_400_response("The head of the request is too large.")

    def on_message_begin(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            raise _Refused  # no browser sends a request before the last one is answered
        super().on_message_begin()
        self._expect_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        if len(self.headers) >= _MOST_HEADERS:
            raise self._refused("The request has too many headers.")
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._has_head()
        self._heads += 1
        sent = dict(self.headers)
        length = sent.get(b"content-length", b"0")
        is_form = self.parser.get_method() == b"POST" and length.isdigit() and len(length) < _DIGITS
        if b"transfer-encoding" in sent or (length != b"0" and not (is_form and int(length) <= MOST_SENT)):
            raise self._refused("This address cannot take what was sent: it is too long, or it is not a form.")
        if length != b"0":
            self._expect_body()
        super().on_headers_complete()

    # The body of a request.

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        super().on_body(body)
        self._has_waited |= self.flow.read_paused

    def on_message_complete(self) -> None:
        self._has_body()
        super().on_message_complete()

    def _expect_body(self) -> None:
        self._has_waited = self.flow.read_paused
        self._body = self.loop.call_later(_SECONDS, self._look_at_body, self._body_bytes, _A_LAST_LOOK)

    def _look_at_body(self, before: int, wait: float) -> None:
        """Ends the connection if too little has come since `before` bytes were there."""
        if self._body_bytes - before >= _LEAST or self._has_waited:
            self._expect_body()
        elif wait:
            self._body = self.loop.call_later(wait, self._look_at_body, before, 0.0)
        elif self.cycle.response_started:
            self.transport.abort()
        else:
            super().send_400_response(_TOO_SLOW)
            self._expect_reading()

    def _has_body(self) -> None:
        if self._body is not None:
            self._body.cancel()
            self._body = None

    def _refused(self, why: str) -> _Refused:
        self._refusal = why
        return _Refused()

    def send_400_response(self, msg: str) -> None:
        """Refuses what the client sent, and ends the connection; an answer that was begun is cut off."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.transport.close()
        else:
            super().send_400_response(self._refusal or msg)
        self._expect_reading()

    def _expect_head(self) -> None:
        if self._head is None:
            self._bytes = 0
            self._head = self.loop.call_later(_SECONDS, self.timeout_keep_alive_handler)
            self._without_head[self] = None

    def _has_head(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None
            del self._without_head[self]

    # What the client reads.

    def pause_writing(self) -> None:
        """Much of what was sent has not been read."""
        super().pause_writing()
        self._expect_reading()

    def resume_writing(self) -> None:
        """Most of it has been read."""
        super().resume_writing()
        self._has_read()

    def timeout_keep_alive_handler(self) -> None:
        """No request came, or not the whole head of one."""
        self.loop.call_later(_A_LAST_LOOK, self._end_without_progress, self._heads, self._head)

    def _end_without_progress(self, *known: object) -> None:
        """Ends the connection if nothing has begun since then; what has not been read is still sent."""
        if known == (self._heads, self._head) and not self.transport.is_closing():
            super().timeout_keep_alive_handler()
            self._expect_reading()

    def _expect_reading(self) -> None:
        self._has_read()
        self._reading = self.loop.call_later(_UNREAD, self._look, self.transport.get_write_buffer_size())

    def _look(self, unread: int) -> None:
        if self.transport.get_write_buffer_size() >= unread:
            self.transport.abort()
        else:
            self._expect_reading()

    def _has_read(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None


def network(address: str) -> str:
    """What is counted as one address: of IPv6 the first 64 bits; empty for this machine."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        found = found.ipv4_mapped or found
    if found.is_loopback:
        return ""
    return str(found) if found.version == 4 else str(ipaddress.ip_network((found, 64), strict=False))
