"""A connection of the page server: uvicorn's, with limits on how long and how large the head of a request can be.

Without them, connections that never finish a request would stay for ever, and one endless header would fill the memory.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_SECONDS: Final = 20.0
"""From the first byte of a request, or the start of a connection, to the end of the head."""
_MOST_BYTES: Final = 65536


class Connection(HttpToolsProtocol):
    """One connection."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._bytes = 0
        self._limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begins."""
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends."""
        self._has_head()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Takes what the client sent."""
        if self._limit is not None:
            self._bytes += len(data)
            if self._bytes > _MOST_BYTES:
                self.send_400_response("The head of the request is too large.")
                return
        super().data_received(data)

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._expect_head()

    def on_headers_complete(self) -> None:
        """The head of the request is there."""
        self._has_head()
        super().on_headers_complete()

    def _expect_head(self) -> None:
        if self._limit is None:
            self._bytes = 0
            self._limit = self.loop.call_later(_SECONDS, self.transport.close)

    def _has_head(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
