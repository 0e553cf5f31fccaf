"""How long this process has waited for a processor (Linux only: /proc/self/schedstat). Read in every turn."""

from __future__ import annotations

import os
from functools import cache


def own_wait() -> int | None:
    """Nanoseconds for which this process's main thread was ready to run but had no processor; None if not known."""
    file = _counters()
    try:
        return None if file is None else int(os.pread(file, 100, 0).split()[1])
    except (OSError, ValueError, IndexError):
        return None


@cache
def _counters() -> int | None:
    try:
        return os.open("/proc/self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:  # not Linux, or /proc is not visible in the sandbox
        return None
