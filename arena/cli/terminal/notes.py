"""Notes of a command on stderr, beside its output: lines that stay, the progress line, and how texts are wrapped to the
terminal's width.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime
from typing import Final, TextIO

from arena.players.own_sources import state_folder


def note(text: str) -> None:
    """Print `text` to stderr, after the name of the program as in an error."""
    print(f"arena: {text}", file=sys.stderr)


# Questions to the user at the terminal: to confirm a change, or to choose among several meanings.


def is_interactive() -> bool:
    """Whether input and output are a terminal, so that a user can answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def answer(question: str) -> str:
    """The line that the user types; empty at the end of input."""
    print(f"{question} ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip()


# The paragraph that says how an agent is confined: printed once a day, and again if the walls or limits change.


_PREFIX: Final = "walls-shown-"


def notes_due(paragraphs: Mapping[str, str], today: date) -> list[str]:
    """Those of the paragraphs, by agent, that were not printed today; notes that they are. The name of the agent makes
    no difference."""
    about = {agent: text.removeprefix(agent) for agent, text in paragraphs.items()}
    new = {text for text in {*about.values()} if _note(text, today)}
    return [paragraphs[agent] for agent, text in about.items() if text in new]


def _note(text: str, today: date) -> bool:
    """Notes that `text` is printed today; False if it was before."""
    folder = state_folder()
    if folder is None:
        return True
    note = folder / f"{_PREFIX}{today}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    try:
        if note.exists():
            return False
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for old in folder.glob(f"{_PREFIX}*"):
            if not old.name.startswith(f"{_PREFIX}{today}-"):
                old.unlink(missing_ok=True)
        note.touch(mode=0o600)
    except OSError:
        pass  # then it is printed again
    return True


# Text wrapped to the width of the terminal, and shortened names.


APART: Final = "   "
"""Separator between texts on the same line."""
_LEAST: Final = 40
_MOST: Final = 100
"""Largest line width: longer lines are hard to read."""


def line_width() -> int:
    """The width of a line: that of the terminal, between 40 and 100."""
    return max(_LEAST, min(shutil.get_terminal_size().columns, _MOST))


def wrapped(text: str, *, begin: str = "", more: str = "  ", width: int | None = None) -> str:
    """`text` in lines of at most `width` columns (default: `line_width`), with `begin` before the first line and `more`
    before the others."""
    return "\n".join(wrap_lines(text, begin=begin, more=more, width=width or line_width()))


def wrap_lines(text: str, *, begin: str = "", more: str = "", width: int) -> list[str]:
    """As `wrapped`, but a list of lines; empty for an empty text."""
    from rich.cells import cell_len

    lines = [begin]
    for word in re.findall(r"\s*\S+", re.sub(r"\s*\n\s*", " ", text)):
        if lines[-1] in (begin, more) or cell_len(lines[-1] + word) <= width:
            lines[-1] += word
        else:
            lines.append(more + word.lstrip())
    return lines if lines != [""] else []


def side_by_side(parts: Sequence[str], *, width: int | None = None) -> list[str]:
    """Short texts side by side, in as few lines of at most `width` columns as possible; no text is broken."""
    from rich.cells import cell_len

    width = width or line_width()
    lines = list(parts[:1])
    for part in parts[1:]:
        if cell_len(lines[-1] + APART + part) <= width:
            lines[-1] += APART + part
        else:
            lines.append(part)
    return lines


def shortened(name: str, width: int) -> str:
    """`name` in at most `width` columns; the middle is cut, because versions and options are at the end."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(name) <= width:
        return name
    begin = set_cell_size(name, (width - 1) // 2).rstrip()
    end = name
    while cell_len(end) > width - 1 - cell_len(begin):
        end = end[1:]
    return f"{begin}…{end}"


def table_width() -> int | None:
    """The width for a table: that of the terminal; None in a file or a pipe, where rows have any length."""
    on_screen = sys.stdout.isatty() or "COLUMNS" in os.environ
    return shutil.get_terminal_size().columns if on_screen else None


# The progress line: one line on stderr, which each update replaces.


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


def show_progress(text: str, *, last: bool = False) -> None:
    """Show `text` on the progress line of stderr; the `last` text stays on the screen."""
    _line().show(text, last=last)


def erase_progress() -> None:
    _line().erase()


def say(text: str) -> None:
    """Print a line on stderr, in place of the progress line."""
    from arena.history.words import printable

    erase_progress()
    print(printable(text), file=sys.stderr, flush=True)


@contextmanager
def temporary_line() -> Iterator[Callable[[str], None]]:
    """Inside, the yielded function shows a text on the progress line, which is erased at the end."""
    try:
        yield show_progress
    finally:
        erase_progress()


def counted_line(done: int, total: int, *, seconds: float, names: Sequence[str]) -> str:
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
