"""How long this process has waited for a processor, which only Linux tells. Players and wardens ask in every turn."""

from __future__ import annotations

import os
from functools import cache


def own_wait() -> int | None:
    """Nanoseconds that the first thread of this process has waited for a processor so far; None where nobody counts."""
    file = _counters()
    try:
        return None if file is None else int(os.pread(file, 100, 0).split()[1])
    except (OSError, ValueError, IndexError):
        return None


@cache
def _counters() -> int | None:
    try:
        return os.open("/proc/self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:  # not on every system, nor behind every wall
        return None
