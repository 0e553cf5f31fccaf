"""Under which conditions an agent is checked: those of a tournament, or the usual ones of `arena play`.

It is a plain value, made of a description or of a command's options before anything is started.
"""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.match.clock import MILLISECOND
from arena.match.fixture import Limits
from arena.tournament.league import League
from arena.walls.kinds import Allowance, WallKind

USUAL_CLOCK: Final = "10+0.1"
USUAL_POSITIONS: Final = 50
_USUAL_LIMITS: Final = Limits()
_USUAL_ALLOWANCE: Final = Allowance()


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What holds for all games of a check."""

    game: str
    """As `arena play` takes it."""
    clock: str = USUAL_CLOCK
    margin: int = 50 * MILLISECOND
    limits: Limits = _USUAL_LIMITS
    walls: WallKind | None = None
    """The kind that is demanded; None: the best there is."""
    allowance: Allowance = _USUAL_ALLOWANCE
    ponder: bool = False
    python: str | None = None
    modules: tuple[str, ...] | None = None
    reuse: bool = False
    """Whether a process plays more than one game in the tournament."""
    max_plies: int | None = None
    seed: int = 0
    """The same positions and games come again with the same seed."""
    positions: int = USUAL_POSITIONS
    only: int | None = None
    """Of the positions this one alone."""
    seconds: float = 5.0
    """About how long the positions may take, and the whole games as long again."""
    description: str = ""
    """The tournament's file, for the commands that are shown."""

    def command(self, player: str) -> str:
        """The command that checks `player` under these conditions."""
        words = ["arena", "check", player]
        if self.description:
            words += ["--tournament", self.description]
        else:
            words += ["--game", self.game]
            words += ["--clock", self.clock] if self.clock != USUAL_CLOCK else []
        words += ["--seed", str(self.seed)] if self.seed else []
        return shlex.join(words)

    def command_for(self, player: str, position: int) -> str:
        """The command that checks `player` in that position alone."""
        more = f" --positions {self.positions}" if self.positions > USUAL_POSITIONS else ""
        return f"{self.command(player)}{more} --position {position}"


def of_league(league: League, *, description: str = "") -> Conditions:
    """Those of a tournament; `description` is its file, for the commands that are shown."""
    return Conditions(
        game=league.game,
        clock=league.clock,
        margin=league.margin,
        limits=league.limits,
        walls=league.walls,
        allowance=league.allowance,
        ponder=league.ponder,
        python=league.python,
        modules=league.modules,
        reuse=league.reuse,
        max_plies=league.max_plies,
        description=description,
    )


def submissions_in(folder: Path) -> list[tuple[str, str]]:
    """Each agent in a folder of submissions, and its name: a folder is one, and so is a file that is not hidden."""
    found = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith((".", "__")) or not (path.is_dir() or path.is_file()):
            continue
        found.append((path.name if path.is_dir() else path.stem, os.path.join(folder, path.name)))
    return found
