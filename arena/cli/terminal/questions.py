"""Questions to a person at this terminal, before something is changed or where several things could be meant."""

from __future__ import annotations

import sys


def somebody_is_here() -> bool:
    """Whether there is anyone to ask."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def answer(question: str) -> str:
    """What the person types; empty at the end of input."""
    print(f"{question} ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip()
