"""What a command does while its database cannot be written: it says why, at most once a minute, and tries again."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

_PAUSE: Final = 2.0
"""Time between two attempts, in seconds."""
_SAYS_AGAIN: Final = 60.0
"""Time after which the same reason is said again, in seconds."""


class Pausing:
    """The pauses of one command."""

    def __init__(self, say: Callable[[str], None], end: str) -> None:
        """`say` prints a line, which ends with `end`."""
        self._say = say
        self._end = end
        # Why it paused last, and when that was said.
        self._reason, self._said = "", 0.0

    def __call__(self, reason: str) -> None:
        """Returns when it is time to try again."""
        now = time.monotonic()
        if reason != self._reason or now - self._said >= _SAYS_AGAIN:
            self._say(f"paused: {reason}; trying again every {_PAUSE:g} s. {self._end}")
            self._reason, self._said = reason, now
        time.sleep(_PAUSE)
