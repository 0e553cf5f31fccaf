"""How many examples a test run tries: few in the suite, many in `make soak`.

SOAK=1: many times as many examples, and long proofs; SOAK_MINUTES=10: a shorter hour. No other module reads them.
"""

import os
from typing import Final

SOAK: Final = os.environ.get("SOAK") == "1"
SOAK_MINUTES: Final = float(os.environ.get("SOAK_MINUTES", "60"))
PATIENCE: Final = 600
"""Seconds that a test waits for another process before it gives up: far more than it takes on any machine."""


def tries(suite: int, *, soak: int | None = None) -> int:
    """`suite`, or with SOAK=1 `soak`, by default twenty times as many."""
    return (suite * 20 if soak is None else soak) if SOAK else suite
