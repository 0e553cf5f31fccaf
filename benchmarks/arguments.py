"""The arguments of every benchmark: words for its parts, options for its sizes, and --help, which is its docstring.

A benchmark without words measures all its parts. A wrong argument is refused with one line and exit code 2.
"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Iterable
from typing import NoReturn


class Reader(ArgumentParser):
    """Reads the arguments of one benchmark."""

    def __init__(self, description: str | None, *, parts: Iterable[str] = ()) -> None:
        """`description` is the docstring of the benchmark. The words that were given are in `parts`, maybe none."""
        super().__init__(description=description, formatter_class=RawDescriptionHelpFormatter, allow_abbrev=False)
        if choices := [*parts]:
            listed = f"parts to measure (default all): {', '.join(choices)}"

            def part(text: str) -> str:
                if text not in choices:
                    raise ArgumentTypeError(f"expected one of {', '.join(choices)}, got {text!r}")
                return text

            # Without `choices`: Python 3.11 refuses an empty list then.
            self.add_argument("parts", nargs="*", type=part, metavar="PART", help=listed)

    def error(self, message: str) -> NoReturn:
        """Ends the benchmark with one line on stderr and exit code 2."""
        self.exit(2, f"{self.prog}: {message} (--help explains the arguments)\n")


def positive(text: str) -> int:
    """A number of games, rounds or runs: at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"expected a number, at least 1, got {text!r}")
    return int(text)
