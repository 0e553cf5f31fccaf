"""How a game was played: software, Python, system, walls and clocks, and what the players were sent.

It is recorded with each game, so that `arena replay --debug` can send the same messages again.
"""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from arena import installation
from arena.match.allowance import WallKind
from arena.match.conditions import Conditions
from arena.match.schedule import Entrant, Planned
from arena.tournament import host_speed
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
    return {**_fixed(), "speed": host_speed.known()}


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
