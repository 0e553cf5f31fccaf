"""How a game was played: software, Python, system, walls and clocks, what the players were sent, and how fast the
machine is.

It is recorded with each game, so that `arena replay --debug` can send the same messages again. A fast machine is an
advantage to all agents on it, so what differs too much does not play in one tournament.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from math import ceil
from pathlib import Path
from time import thread_time_ns
from typing import Any, Final

from msgspec import to_builtins

from adsearch import alphabeta, form, games
from arena import installation
from arena.match.allowance import WallKind
from arena.match.conditions import Conditions
from arena.match.schedule import Entrant, Planned
from arena.walls import meter


def host(game: Planned) -> dict[str, Any]:
    """The machine that a game was played on; the walls (null if all players are built in); `waits_charged`, the seats
    whose clocks also ran while they waited for a processor, because that time cannot be measured here; the limit of
    moves (null if there is none); and whether the players got the names of their opponents."""
    kinds = sorted({entrant.walls for entrant in game.entrants if entrant.walls})
    waits_charged = [seat for seat, entrant in enumerate(game.entrants) if not _counts_waits(entrant)]
    return {
        **machine(),
        "software": installation.software(game.rules),
        "walls": ", ".join(kinds) or None,
        "waits_charged": waits_charged,
        **ended_by(game.conditions),
        "names": game.conditions.names,
    }


def ended_by(conditions: Conditions) -> dict[str, Any]:
    """What can end a game early under these conditions: the limit of moves, and the rules that are set."""
    rules = {"resign": conditions.resign, "draw": conditions.draw}
    return {"max_plies": conditions.max_plies} | {name: to_builtins(rule) for name, rule in rules.items() if rule}


def _counts_waits(entrant: Entrant) -> bool:
    return entrant.invite is None and meter.counts_waits(WallKind(entrant.walls) if entrant.walls else None)


def machine() -> dict[str, Any]:
    """What this machine is. Its speed is None if it was not measured: only a tournament needs it."""
    return {**_fixed(), "speed": known_speed()}


@cache
def _fixed() -> dict[str, Any]:
    return {
        "name": platform.node() or "host",
        "processor": _processor(),
        "software": installation.software(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "cores": os.cpu_count(),
    }


def _processor() -> str:
    """The name of the processor; where Linux does not give it, that of its instructions."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


# How fast a machine is: thousands of positions that our own search visits in a second of processor time.


TOLERANCE: Final = 0.15
"""How much the speeds of two hosts may differ, as a part of the slower one's."""
SLOWEST: Final = 1e-3
FASTEST: Final = 1e9
"""No machine is slower or faster: such a speed was made up."""
_SEARCHES: Final = 30
"""About a tenth of a second."""
_DEPTH: Final = 4
_best = 0.0


def measure_speed() -> float:
    """Measures again; returns the best so far."""
    global _best
    start = games.start("connect4")
    search = form.interpreted(alphabeta.search)  # so that machines are compared, not forms of adsearch
    for _ in range(_SEARCHES):
        began = thread_time_ns()
        nodes = search(start, depth=_DEPTH).nodes
        _best = max(_best, 1e6 * nodes / max(1, thread_time_ns() - began))
    return _best


def measured_speed() -> float:
    """The best so far; measured now if it never was."""
    return _best or measure_speed()


def known_speed() -> float | None:
    """The best so far, to three digits; None if it was never measured."""
    return float(f"{_best:.3g}") if _best else None


def recorded_speed(host: Mapping[str, Any]) -> float | None:
    """The speed that a game says its host has; None if it says none."""
    speed = host.get("speed")
    if not isinstance(speed, int | float) or isinstance(speed, bool):
        return None
    return float(speed) if SLOWEST <= speed <= FASTEST else None


def speed_differs(speed: float, reference: float, tolerance: float) -> str:
    """Why a host of this speed does not play where another one has the speed `reference`; empty if it does."""
    difference = max(speed, reference) / min(speed, reference) - 1
    if difference <= tolerance:
        return ""
    return (
        f"it is {difference:.0%} {'faster' if speed > reference else 'slower'} than the tournament's first host "
        f"({speed:.0f} and {reference:.0f} thousand positions a second), which is not fair with a clock; "
        f"host_tolerance = {ceil(20 * difference) / 20:.16g} allows it"
    )
