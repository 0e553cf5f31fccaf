"""Processes that use all CPU time of the processors that agents play on, to simulate a busy machine."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final

_BURNS: Final = """
import ctypes, os, signal
ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # it ends with the process that started it
if CORES:
    os.sched_setaffinity(0, CORES)
os.write(1, b".")
while True:
    pass
"""


@contextmanager
def burning(number: int, cores: Collection[int]) -> Iterator[None]:
    """Inside, `number` processes burn the `cores`, or all if there are none, at the priority of everybody else.

    Each has a session of its own, as an agent has: the system shares processors out among sessions."""
    code = f"CORES = {set(cores) or None}\n{_BURNS}"
    burners = [
        subprocess.Popen([sys.executable, "-I", "-S", "-c", code], stdout=subprocess.PIPE, start_new_session=True)
        for _ in range(number)
    ]
    try:
        for burner in burners:
            assert burner.stdout is not None
            assert burner.stdout.read(1) == b"."
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.communicate()
