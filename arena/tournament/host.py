"""The machine that a game was played on: software, Python, system, walls and clocks, recorded with each game."""

from __future__ import annotations

import os
import platform
from functools import cache
from typing import Any

from arena import installation
from arena.match.schedule import Entrant, Planned
from arena.walls import meter
from arena.walls.kinds import WallKind


def host(game: Planned) -> dict[str, Any]:
    """The machine that a game was played on; the walls (null if all players are built in); and `waits_charged`, the
    seats whose clocks also ran while they waited for a processor, because that time cannot be measured here."""
    kinds = sorted({entrant.walls for entrant in game.entrants if entrant.walls})
    waits_charged = [seat for seat, entrant in enumerate(game.entrants) if not _counts_waits(entrant)]
    return {**_machine(), "walls": ", ".join(kinds) or None, "waits_charged": waits_charged}


def _counts_waits(entrant: Entrant) -> bool:
    return entrant.invite is None and meter.counts_waits(WallKind(entrant.walls) if entrant.walls else None)


@cache
def _machine() -> dict[str, Any]:
    return {
        "software": installation.software(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "cores": os.cpu_count(),
    }
