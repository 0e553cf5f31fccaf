"""What the referee sends: messages as bytes. Rules can make texts that fit into no message: this ends their game."""

from __future__ import annotations

from adsearch.errors import BadGame
from agents import protocol


def packed(message: protocol.Message) -> bytes:
    """`message` as bytes; BadGame if it is longer than players read."""
    data = protocol.pack(message)
    # A warden converts the message to JSON, which is at most eight times as long.
    if len(data) * 8 > protocol.MESSAGE_BYTES:
        size = max(len(data), len(protocol.to_line(message)) - 1)
        if size > protocol.MESSAGE_BYTES:
            kind = type(message).__name__.lower()
            raise BadGame(f"expected a {kind!r} of at most {protocol.MESSAGE_BYTES} bytes, got {size}")
    return data


def packed_if_possible(message: protocol.Message) -> bytes | None:
    """`message` as bytes; None if it cannot be sent."""
    try:
        return packed(message)
    except (BadGame, UnicodeEncodeError):
        return None
