"""What the kernel does for this process, and says about it: it ends when its parent ends; how long it waited.

Players and wardens call `die_with_it` first. Systems without prctl (macOS) do not support it; there the process ends
when its stdin ends. A player reads `own_wait` in every turn.
"""

from __future__ import annotations

import os
import signal
import sys
from functools import cache
from typing import Final

_PR_SET_PDEATHSIG: Final = 1


def die_with_it(how: signal.Signals = signal.SIGKILL) -> None:
    """On Linux: let the kernel send the signal `how` to this process when the thread that started it ends."""
    if sys.platform == "linux":
        import ctypes  # imported here, because confined agents do not need it and must start quickly

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, how, 0, 0, 0)


def own_wait() -> int | None:
    """Nanoseconds for which this process's main thread was ready to run but had no processor (Linux only); None
    if it is not known."""
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
