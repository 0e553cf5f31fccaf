"""Under which conditions an agent is checked: those of a tournament, or the defaults of `arena play`.

It is a plain value, made of a description or of a command's options before anything is started.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Final

from arena.match.clock import MILLISECOND
from arena.match.fixture import Limits
from arena.tournament.league import League
from arena.walls.kinds import Allowance, WallKind

DEFAULT_CLOCK: Final = "10+0.1"
DEFAULT_POSITIONS: Final = 50
_DEFAULT_LIMITS: Final = Limits()
_DEFAULT_ALLOWANCE: Final = Allowance()


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What holds for all games of a check."""

    game: str
    """As `arena play` takes it."""
    clock: str = DEFAULT_CLOCK
    margin: int = 50 * MILLISECOND
    limits: Limits = _DEFAULT_LIMITS
    walls: WallKind | None = None
    """The kind that is demanded; None: the best there is."""
    allowance: Allowance = _DEFAULT_ALLOWANCE
    ponder: bool = False
    python: str | None = None
    modules: tuple[str, ...] | None = None
    reuse: bool = False
    """Whether a process plays more than one game in the tournament."""
    max_plies: int | None = None
    seed: int = 0
    """The same positions and games come again with the same seed."""
    positions: int = DEFAULT_POSITIONS
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
            words += ["--clock", self.clock] if self.clock != DEFAULT_CLOCK else []
        words += ["--seed", str(self.seed)] if self.seed else []
        return shlex.join(words)

    def command_for(self, player: str, position: int) -> str:
        """The command that checks `player` in that position alone."""
        more = f" --positions {self.positions}" if self.positions > DEFAULT_POSITIONS else ""
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
