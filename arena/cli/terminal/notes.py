"""Notes of a command on stderr, beside its output."""

from __future__ import annotations

import sys


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
