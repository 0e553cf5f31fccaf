"""The standard streams of a player's process: private to the protocol, with a log and no keyboard for everybody else.

They are claimed before any code of an agent's is loaded. From then on whatever is printed, or written to descriptor 1,
goes to stderr, and nothing that an agent does to its streams reaches the referee.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Final, NamedTuple, NoReturn

_NO_KEYBOARD: Final = (
    "an agent has no keyboard, its input belongs to the referee; to debug it, use agents.practice or a player 'wait'"
)


class NoKeyboard(io.TextIOBase):
    """Stands for sys.stdin: reading fails at once, so that no agent takes the referee's messages."""

    def readline(self, _: int | None = -1, /) -> NoReturn:
        raise EOFError(_NO_KEYBOARD)

    def read(self, _: int | None = -1, /) -> NoReturn:
        raise EOFError(_NO_KEYBOARD)


def _no_keyboard(*_: object, **__: object) -> NoReturn:
    raise EOFError(_NO_KEYBOARD)


class Log(io.FileIO):
    """Stderr, counted; its end is kept for the report after the game."""

    KEPT: Final = 4096
    """Bytes."""

    def __init__(self, descriptor: int = 2) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        # Bytes, since the game began.
        self.written = 0
        self._end = b""

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        """Writes all of `data` at once."""
        data, whole = bytes(data), len(data)
        self.written += whole
        self._end = (self._end + data[-self.KEPT :])[-self.KEPT :]
        while data:
            data = data[super().write(data) :]
        return whole

    def clear(self) -> None:
        """A new game begins."""
        self.written = 0
        self._end = b""

    def tail(self) -> str:
        """The end of what was written in this game."""
        return self._end.decode("utf-8", "replace")


class Streams(NamedTuple):
    """What the process had for its streams: two descriptors that nobody else knows, and the log."""

    lines: int
    answers: int
    log: Log


def claim() -> Streams:
    """Takes stdin and stdout for the protocol; everybody else gets the log, and no keyboard."""
    sys.stdout.flush()
    lines, answers, log = os.dup(0), os.dup(1), Log()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    # Line by line: what an agent said last before it was lost is what its author wants to read.
    text = io.TextIOWrapper(log, encoding="utf-8", errors="backslashreplace", line_buffering=True)
    sys.stdout = sys.stderr = text
    sys.stdin = NoKeyboard()
    sys.breakpointhook = _no_keyboard
    return Streams(lines, answers, log)
