"""The progress line: one line on stderr, which each update replaces.

In a file or a pipe nothing can be replaced. There, the progress is a whole line with the time, at most one every 30 s,
so that a log file shows where a long command is. A command that takes less writes nothing there.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TextIO

EVERY: Final = 30.0
"""Least number of seconds between two lines in a file or a pipe."""


class ProgressLine:
    """The progress line of one stream."""

    def __init__(self, stream: TextIO, *, now: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._now = now
        # When the last whole line was written, or the first update came.
        self._since: float | None = None
        # Whether the progress has been written as a whole line.
        self._written = False

    def show(self, text: str, *, last: bool = False) -> None:
        """Show `text`, cut to the width of the terminal; the `last` text stays on the screen."""
        if self._stream.isatty():
            line = f"\r{_cut(text)}\x1b[K"
            print(line, end="\n" if last else "", file=self._stream, flush=True)
            return
        now = self._now()
        if self._since is None:
            self._since = now
        if now - self._since >= EVERY or (last and self._written):
            print(f"{time.strftime('%H:%M:%S')}  {text}", file=self._stream, flush=True)
            self._since, self._written = now, True
        if last:
            self._since, self._written = None, False

    def erase(self) -> None:
        """Erase the line from the screen."""
        if self._stream.isatty():
            print("\r\x1b[K", end="", file=self._stream, flush=True)


_lines: dict[TextIO, ProgressLine] = {}


def _line() -> ProgressLine:
    """The line of stderr, which tests replace."""
    if sys.stderr not in _lines:
        _lines.clear()
        _lines[sys.stderr] = ProgressLine(sys.stderr)
    return _lines[sys.stderr]


def show(text: str, *, last: bool = False) -> None:
    """Show `text` on the progress line of stderr; the `last` text stays on the screen."""
    _line().show(text, last=last)


def erase() -> None:
    """Erase the progress line of stderr."""
    _line().erase()


def say(text: str) -> None:
    """Print a line on stderr, in place of the progress line."""
    from arena.history.words import printable

    erase()
    print(printable(text), file=sys.stderr, flush=True)


@contextmanager
def temporary() -> Iterator[Callable[[str], None]]:
    """Inside, the yielded function shows a text on the progress line, which is erased at the end."""
    try:
        yield show
    finally:
        erase()


def counted(done: int, total: int, *, seconds: float, names: Sequence[str]) -> str:
    """The progress of checks: "12 of 60 checked, about 2 minutes left: Anna Berger, Ben Costa".

    `seconds`: time that the `done` ones took; `names`: those in progress."""
    from arena.history.words import time_left

    progress = ", ".join(filter(None, (f"{done} of {total} checked", time_left(done, total, seconds))))
    return f"{progress}: {', '.join(names)}" if names else progress


def _cut(text: str) -> str:
    """`text` in one column less than the terminal has: a full line would continue on the next."""
    from rich.cells import cell_len, set_cell_size

    width = shutil.get_terminal_size().columns - 1
    return text if cell_len(text) <= width else f"{set_cell_size(text, width - 1).rstrip()}…"
