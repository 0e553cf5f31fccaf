"""Ends this process when its parent ends, even if the parent is killed.

Players and wardens call `die_with_it` first. Systems without prctl (macOS) do not support it; there the process ends
when its stdin ends.
"""

from __future__ import annotations

import signal
import sys
from typing import Final

_PR_SET_PDEATHSIG: Final = 1


def die_with_it(how: signal.Signals = signal.SIGKILL) -> None:
    """On Linux: let the kernel send the signal `how` to this process when the thread that started it ends."""
    if sys.platform == "linux":
        import ctypes  # imported here, because confined agents do not need it and must start quickly

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, how, 0, 0, 0)
