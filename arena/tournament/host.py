"""On what a game was played: software, Python, system and walls, as the record keeps it with each game."""

from __future__ import annotations

import os
import platform
from functools import cache
from importlib.metadata import version as version_of
from typing import Any

from arena.match.schedule import Planned


def host(game: Planned) -> dict[str, Any]:
    """On what a game was played, and behind which walls; null where all who played were ours."""
    kinds = sorted({entrant.walls for entrant in game.entrants if entrant.walls})
    return {**_machine(), "walls": ", ".join(kinds) or None}


@cache
def _machine() -> dict[str, Any]:
    return {
        "software": f"arena-referee {version_of('arena-referee')}",
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "cores": os.cpu_count(),
    }
