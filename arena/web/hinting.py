"""Hints for people who play in a browser, each searched by a process of its own, so that no page waits for it.

    python -m arena.web.hinting

It reads the position as the person sees it as one JSON line, and writes the hint as another. It has the lowest
priority and ends with the page server.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Final

import msgspec

from adsearch import games
from adsearch.errors import quote
from agents import parent
from arena.errors import ArenaError
from arena.history import words
from arena.student.hint import Hint, hint

_NICE: Final = 19
_MOST_SECONDS: Final = 15.0
"""Time limit of the process: 3 s for the search, and the start of Python on a busy machine."""


class NoHint(ArenaError):
    """There is no hint."""


def find(rules: str, position: str) -> Hint:
    """The hint for the seat to move; waits for it. NoHint if the rules fail or take too long."""
    command = [sys.executable, "-P", "-m", "arena.web.hinting"]
    sent = msgspec.json.encode((rules, position))
    try:
        ended = subprocess.run(command, input=sent, capture_output=True, timeout=_MOST_SECONDS)
    except subprocess.TimeoutExpired:
        raise NoHint(f"there is no hint: none was found within {_MOST_SECONDS:g} s") from None
    try:
        return Hint(*msgspec.json.decode(ended.stdout, type=tuple[str, str]))
    except ValueError:
        why = words.printable(ended.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2])
        raise NoHint(f"there is no hint: the rules failed with {quote(why)}") from None


def main() -> None:
    """Runs the process."""
    parent.die_with_it()
    os.nice(_NICE)
    rules, position = msgspec.json.decode(sys.stdin.buffer.read(), type=tuple[str, str])
    found = hint(games.load(rules, position))
    sys.stdout.buffer.write(msgspec.json.encode(tuple(found)))


if __name__ == "__main__":
    main()
