"""How much a run of the tests tries: a little in the suite, far more with SOAK=1, as `make soak` sets it."""

import os

SOAK = os.environ.get("SOAK") == "1"


def tries(suite: int, *, soak: int | None = None) -> int:
    """`suite`, or with SOAK=1 `soak`, by default twenty times as many."""
    return (suite * 20 if soak is None else soak) if SOAK else suite
