"""The progress line: one line on stderr, overwritten by each update. Nothing is written to a file or a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def show(text: str, *, last: bool = False) -> None:
    """Show `text` on the progress line; the `last` text stays on the screen."""
    if sys.stderr.isatty():
        print(f"\r{text}", end="\n" if last else "", file=sys.stderr, flush=True)


def erase() -> None:
    """Erase the progress line."""
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@contextmanager
def temporary() -> Iterator[Callable[[str], None]]:
    """Inside, the yielded function shows a text on the progress line, which is erased at the end."""
    try:
        yield show
    finally:
        erase()
