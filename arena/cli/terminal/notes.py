"""Notes of a command on stderr, beside its output."""

import sys


def note(text: str) -> None:
    """Print `text` to stderr, after the name of the program as in an error."""
    print(f"arena: {text}", file=sys.stderr)
