"""The progress line: one line on stderr, which each update replaces.

In a file or a pipe nothing can be replaced. There, the progress is a whole line with the time, one every 10 s until the
line is erased, so that a log file shows where a long command is, also while nothing new happens. A command that takes
less writes nothing there.
"""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Final, TextIO

EVERY: Final = 10.0
"""Seconds between two lines in a file or a pipe."""


class ProgressLine:
    """The progress line of one stream."""

    def __init__(self, stream: TextIO, *, now: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._now = now
        # When the last whole line was written, or the first update came.
        self._since: float | None = None
        # Whether the progress has been written as a whole line.
        self._written = False
        # What is repeated in a file or a pipe; None: nothing, until the next update.
        self._text: str | None = None
        self._lock = threading.Lock()
        self._repeats = False

    def show(self, text: str, *, last: bool = False) -> None:
        """Show `text`, cut to the width of the terminal; the `last` text stays on the screen."""
        if self._stream.isatty():
            line = f"\r{_cut(text)}\x1b[K"
            print(line, end="\n" if last else "", file=self._stream, flush=True)
            return
        with self._lock:
            self._text = text
            self._write(last=last)
            if last:
                self._since, self._written, self._text = None, False, None
            elif not self._repeats:
                self._repeats = True
                threading.Thread(target=self._repeat, daemon=True).start()

    def erase(self) -> None:
        """Erase the line from the screen; in a file or a pipe, repeat it no more."""
        if self._stream.isatty():
            print("\r\x1b[K", end="", file=self._stream, flush=True)
        with self._lock:
            self._text = None

    def tick(self) -> bool:
        """Write the line again if it is time. False if there is nothing to repeat."""
        with self._lock:
            self._repeats = self._text is not None
            self._write()
            return self._repeats

    def _write(self, *, last: bool = False) -> None:
        """Write the text as a whole line if the last one was long ago."""
        now = self._now()
        if self._since is None:
            self._since = now
        if self._text is not None and (now - self._since >= EVERY or (last and self._written)):
            print(f"{datetime.now(UTC).astimezone():%H:%M:%S %Z}  {self._text}", file=self._stream, flush=True)
            self._since, self._written = now, True

    def _repeat(self) -> None:
        with suppress(OSError, ValueError):  # the stream is closed
            while True:
                time.sleep(EVERY)
                if not self.tick():
                    return


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
