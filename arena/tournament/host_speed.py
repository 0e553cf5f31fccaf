"""How fast a machine is: thousands of positions that our own search visits in a second of processor time.

A fast machine is an advantage to all agents on it, so what differs too much does not play in one tournament. Other
work on a machine only slows a search down: the best of many short searches counts, also of those measured before.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from time import thread_time_ns
from typing import Any, Final

from adsearch import alphabeta, games

TOLERANCE: Final = 0.15
"""How much the speeds of two hosts may differ, as a part of the slower one's."""
SLOWEST: Final = 1e-3
FASTEST: Final = 1e9
"""No machine is slower or faster: such a speed was made up."""
_SEARCHES: Final = 30
"""About a tenth of a second."""
_DEPTH: Final = 4
_best = 0.0


def measure() -> float:
    """Measures again; returns the best so far."""
    global _best
    start = games.start("connect4")
    for _ in range(_SEARCHES):
        began = thread_time_ns()
        nodes = alphabeta.search(start, depth=_DEPTH).nodes
        _best = max(_best, 1e6 * nodes / max(1, thread_time_ns() - began))
    return _best


def measured() -> float:
    """The best so far; measured now if it never was."""
    return _best or measure()


def known() -> float | None:
    """The best so far, to three digits; None if it was never measured."""
    return float(f"{_best:.3g}") if _best else None


def recorded(host: Mapping[str, Any]) -> float | None:
    """The speed that a game says its host has; None if it says none."""
    speed = host.get("speed")
    if not isinstance(speed, int | float) or isinstance(speed, bool):
        return None
    return float(speed) if SLOWEST <= speed <= FASTEST else None


def differs(speed: float, reference: float, tolerance: float) -> str:
    """Why a host of this speed does not play where another one has the speed `reference`; empty if it does."""
    difference = max(speed, reference) / min(speed, reference) - 1
    if difference <= tolerance:
        return ""
    return (
        f"it is {difference:.0%} {'faster' if speed > reference else 'slower'} than the tournament's first host "
        f"({speed:.0f} and {reference:.0f} thousand positions a second), which is not fair with a clock; "
        f"host_tolerance = {ceil(20 * difference) / 20:.16g} allows it"
    )
