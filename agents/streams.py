"""Reserves stdin and stdout of a player's process for the protocol; an agent's prints go to stderr, the log.

`claim` is called before any code of an agent is loaded. From then on everything that is printed, or written to file
descriptor 1, goes to stderr; reading from stdin fails. Nothing that an agent prints can reach the referee.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Final, NamedTuple, NoReturn

_NO_KEYBOARD: Final = (
    "an agent has no keyboard, because its stdin belongs to the referee; to debug it, use agents.practice or a player "
    "'wait'"
)


class NoKeyboard(io.TextIOBase):
    """Replaces sys.stdin: reading raises EOFError, so that an agent cannot read the referee's messages."""

    def readline(self, _: int | None = -1, /) -> NoReturn:
        raise EOFError(_NO_KEYBOARD)

    def read(self, _: int | None = -1, /) -> NoReturn:
        raise EOFError(_NO_KEYBOARD)


def _no_keyboard(*_: object, **__: object) -> NoReturn:
    raise EOFError(_NO_KEYBOARD)


class Log(io.FileIO):
    """Stderr, with a count of the bytes; the end of it is kept for the report after the game."""

    KEPT: Final = 4096
    """How much of the end is kept, in bytes."""

    def __init__(self, descriptor: int = 2) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        # Bytes written since the game started.
        self.written = 0
        self._end = b""

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        """Write all of `data`."""
        data, whole = bytes(data), len(data)
        self.written += whole
        self._end = (self._end + data[-self.KEPT :])[-self.KEPT :]
        while data:
            data = data[super().write(data) :]
        return whole

    def clear(self) -> None:
        """Forget what was written; called when a new game starts."""
        self.written = 0
        self._end = b""

    def tail(self) -> str:
        """The end of what was written in this game."""
        return self._end.decode("utf-8", "replace")


class Streams(NamedTuple):
    """The process's original stdin and stdout as private file descriptors, and the log."""

    lines: int
    answers: int
    log: Log


def claim() -> Streams:
    """Reserve stdin and stdout for the protocol; all other code gets the log as stdout and no stdin."""
    sys.stdout.flush()
    lines, answers, log = os.dup(0), os.dup(1), Log()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    # Line-buffered, so that the last line before a crash reaches the log.
    text = io.TextIOWrapper(log, encoding="utf-8", errors="backslashreplace", line_buffering=True)
    sys.stdout = sys.stderr = text
    sys.stdin = NoKeyboard()
    sys.breakpointhook = _no_keyboard
    return Streams(lines, answers, log)
