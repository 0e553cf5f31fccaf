"""How many files and sockets this process may have open.

The director and the referee ask this first thing, before they open any. Who has too few is told so in words, and
nothing fails in the middle of a game.
"""

from __future__ import annotations

import resource
from typing import Final

from arena.errors import ArenaError

KEPT: Final = 64
"""Descriptors of the referee's that no player gets."""
_LEAST_PLAYERS: Final = 8
_MOST_ON_MACOS: Final = 10_240


def players() -> int:
    """For how many players a referee has descriptors, the limit raised as far as it goes; ArenaError for too few."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # macOS calls its limit infinite and then refuses it.
    most = max(soft, _MOST_ON_MACOS) if hard == resource.RLIM_INFINITY else hard
    if most < KEPT + _LEAST_PLAYERS:
        raise ArenaError(f"the referee needs {KEPT + _LEAST_PLAYERS} open files, has {most}: see `ulimit -Hn`")
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return most - KEPT
