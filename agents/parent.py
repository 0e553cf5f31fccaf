"""A process that must not outlive the one that started it, whichever way that goes.

Players and wardens call this first thing. Where the system has no such promise (macOS), the end of their stdin, which
they watch as well, has to do.
"""

from __future__ import annotations

import signal
import sys
from typing import Final

_PR_SET_PDEATHSIG: Final = 1


def die_with_it(how: signal.Signals = signal.SIGKILL) -> None:
    """From now on this process is sent `how` when the thread that started it ends, where the system can do that."""
    if sys.platform == "linux":
        import ctypes  # not above: an agent behind a warden, which has no use for it, would pay for it at its start

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, how, 0, 0, 0)
