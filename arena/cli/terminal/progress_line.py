"""The line on a terminal that says how far a command has come: on stderr, each time over the one before.

Into a file or a program nothing is written.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def show(text: str, *, last: bool = False) -> None:
    """Shows `text` on the line; the `last` one stays."""
    if sys.stderr.isatty():
        print(f"\r{text}", end="\n" if last else "", file=sys.stderr, flush=True)


def erase() -> None:
    """Removes the line."""
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@contextmanager
def temporary() -> Iterator[Callable[[str], None]]:
    """Inside, what is yielded shows a text on the line; afterwards the line is gone."""
    try:
        yield show
    finally:
        erase()
