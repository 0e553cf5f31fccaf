"""A connection to the referee: a ZeroMQ DEALER socket with one peer, over a Unix socket, without ZeroMQ's library.

The library has a thread for its sockets, so that each message wakes two threads. A player has one connection and
waits for one message at a time: here a message is one system call. The other end is a ROUTER socket of the library;
both speak ZMTP 3.0 (https://rfc.zeromq.org/spec/23) with the mechanism NULL. Each message has one frame.
Commands after the handshake are not answered: the other end must not ask for heartbeats, as ours does not.
"""

from __future__ import annotations

import socket
from typing import Final

from adsearch.errors import quote
from agents.errors import AgentsError

_SCHEME: Final = "ipc://"
_GREETING: Final = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
_READY: Final = b"\x05READY"
_METADATA: Final = _READY + b"\x0bSocket-Type" + b"\x00\x00\x00\x06DEALER"
_LONG: Final = 2
_COMMAND: Final = 4
"""Flags of a frame: its length has 8 bytes instead of one; it belongs to ZMTP, not to us."""


class Closed(ConnectionError):
    """The connection is closed."""


class ZmtpConnection:
    """One connection. One thread reads from it; another one can write to it."""

    def __init__(self, address: str, timeout: float) -> None:
        """Connect; AgentsError if nobody listens at `address`. `timeout`: in seconds, for every call, until `wait`."""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout)
        self._unread = b""
        try:
            if not address.startswith(_SCHEME):
                raise OSError(f"it must start with {_SCHEME}")
            self._socket.connect(address.removeprefix(_SCHEME))
            self._socket.sendall(_GREETING + bytes((_COMMAND, len(_METADATA))) + _METADATA)
            self._take(len(_GREETING))
            # Read now: later it would wake a poll without a message, and `receive` would wait for one.
            if not self._frame()[1].startswith(_READY):
                raise OSError("it does not speak ZeroMQ")
        except (OSError, ValueError) as error:
            self.close()
            words = getattr(error, "strerror", None) or error
            raise AgentsError(f"expected the referee's address, got {quote(address)} ({words})") from None

    def wait(self) -> None:
        """From now on, wait for messages without a timeout."""
        self._socket.settimeout(None)

    def fileno(self) -> int:
        """Its descriptor, for polling."""
        return self._socket.fileno()

    @property
    def has_more(self) -> bool:
        """Whether a part of the next message has been read: then `receive` must be called without polling."""
        return bool(self._unread)

    def send(self, data: bytes) -> None:
        """Send one message; raises Closed or TimeoutError."""
        size = len(data)
        head = bytes((0, size)) if size < 256 else bytes((_LONG,)) + size.to_bytes(8, "big")
        try:
            self._socket.sendall(head + data)
        except ConnectionError as error:
            raise Closed(str(error)) from None

    def receive(self) -> bytes:
        """The next message; raises Closed or TimeoutError."""
        while True:
            flags, body = self._frame()
            if not flags & _COMMAND:
                return body

    def close(self) -> None:
        """Close the connection; the other end still receives what was sent."""
        self._socket.close()

    def _frame(self) -> tuple[int, bytes]:
        flags, size = self._take(2)
        if flags & _LONG:
            size = int.from_bytes(bytes((size,)) + self._take(7), "big")
        return flags, self._take(size)

    def _take(self, size: int) -> bytes:
        while len(self._unread) < size:
            try:
                more = self._socket.recv(65_536)
            except ConnectionError as error:
                raise Closed(str(error)) from None
            if not more:
                raise Closed("the other end has closed it")
            self._unread += more
        taken = self._unread[:size]
        self._unread = self._unread[size:]
        return taken
