"""How much a run of the tests tries: a little in the suite, more in `.ci/run`, and far more in `make soak`.

SOAK=1: many times as many examples, and long proofs. ALL_WALLS=1: every user behind every kind of walls. The Makefile
says how each is set; no other module reads them.
"""

import os
from typing import Final

SOAK: Final = os.environ.get("SOAK") == "1"
ALL_WALLS: Final = SOAK or os.environ.get("ALL_WALLS") == "1"
PATIENCE: Final = 600
"""Seconds that a test waits for another process before it gives up: far more than it takes on any machine."""


def tries(suite: int, *, soak: int | None = None) -> int:
    """`suite`, or with SOAK=1 `soak`, by default twenty times as many."""
    return (suite * 20 if soak is None else soak) if SOAK else suite
