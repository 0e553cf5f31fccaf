"""What the referee sends: messages as bytes, and the errors of user-supplied rules on one line.

Rules can raise anything, and can make texts that fit into no message: both end their own game only.
"""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Final

from adsearch.errors import BadGame
from agents import protocol
from agents.errors import one_line
from arena.errors import ArenaError

_LONGEST_ERROR: Final = 500
"""In characters."""


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


def rules_error(error: BaseException) -> str:
    """The error, and where in the rules it was raised."""
    if isinstance(error, BadGame):
        return error_line(error)  # its message is complete
    frames = traceback.extract_tb(error.__traceback__)
    at = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno}, in {frames[-1].name})" if frames else ""
    return f"{error_line(error)}{at}"


def error_line(error: BaseException) -> str:
    """The error on one line; `str` of a user-supplied error can fail."""
    try:
        words = str(error)
    except Exception:
        words = "(its message cannot be shown)"
    kind = type(error).__name__
    return one_line(
        words if isinstance(error, ArenaError | BadGame) else f"{kind}: {words}" if words else kind, most=_LONGEST_ERROR
    )
