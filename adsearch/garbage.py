"""Lets Python's garbage collector run rarely, while code makes many objects of which hardly any are in cycles.

It is not switched off, because such code plays user-supplied games.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def rare_collection() -> Iterator[None]:
    """Inside, the collector runs only after 100,000 new objects."""
    thresholds = gc.get_threshold()
    gc.set_threshold(100_000, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
