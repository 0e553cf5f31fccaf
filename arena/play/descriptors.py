"""The limit on open files and sockets (RLIMIT_NOFILE), and how many players it allows.

The director and the referee check it first, so a limit that is too low is an error at the start and not in the middle
of a game.
"""

from __future__ import annotations

import resource
from typing import Final

from arena.errors import ArenaError

KEPT: Final = 64
"""Descriptors that the referee keeps for itself."""
_LEAST_PLAYERS: Final = 8
_MOST_ON_MACOS: Final = 10_240


def players() -> int:
    """Raises the limit as far as possible, and returns how many players it allows; ArenaError if too few."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # macOS reports an infinite limit but refuses to set it.
    most = max(soft, _MOST_ON_MACOS) if hard == resource.RLIM_INFINITY else hard
    if most < KEPT + _LEAST_PLAYERS:
        raise ArenaError(
            f"the referee needs {KEPT + _LEAST_PLAYERS} open files, the limit is {most} (see `ulimit -Hn`)"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return most - KEPT
