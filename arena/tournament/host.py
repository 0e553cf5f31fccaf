"""On what a game was played: software, Python, system, walls and clocks, as the record keeps it with each game."""

from __future__ import annotations

import os
import platform
from functools import cache
from importlib.metadata import version as version_of
from typing import Any

from arena.match.schedule import Entrant, Planned
from arena.walls import meter
from arena.walls.kinds import WallKind


def host(game: Planned) -> dict[str, Any]:
    """On what a game was played, behind which walls (null where all who played were ours), and which seats were charged
    for waiting for a processor, because nobody knows here how long they did."""
    kinds = sorted({entrant.walls for entrant in game.entrants if entrant.walls})
    waits_charged = [seat for seat, entrant in enumerate(game.entrants) if not _counts_waits(entrant)]
    return {**_machine(), "walls": ", ".join(kinds) or None, "waits_charged": waits_charged}


def _counts_waits(entrant: Entrant) -> bool:
    return entrant.invite is None and meter.counts_waits(WallKind(entrant.walls) if entrant.walls else None)


@cache
def _machine() -> dict[str, Any]:
    return {
        "software": f"arena-referee {version_of('arena-referee')}",
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "cores": os.cpu_count(),
    }
