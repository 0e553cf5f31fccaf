"""The conditions of a check: those of a tournament, or the defaults of `arena play`.

A plain value, made from a description or a command's options before anything starts.
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
    """The conditions of all games of a check."""

    game: str
    """Written as for `arena play`."""
    clock: str = DEFAULT_CLOCK
    margin: int = 50 * MILLISECOND
    limits: Limits = _DEFAULT_LIMITS
    walls: WallKind | None = None
    """The required kind; None: the strongest that this machine has."""
    allowance: Allowance = _DEFAULT_ALLOWANCE
    ponder: bool = False
    python: str | None = None
    modules: tuple[str, ...] | None = None
    reuse: bool = False
    """Whether the tournament keeps an agent's process for its next game."""
    max_plies: int | None = None
    seed: int = 0
    """The same seed gives the same positions and games."""
    positions: int = DEFAULT_POSITIONS
    only: int | None = None
    """The number of the only position to test; None: all."""
    seconds: float = 5.0
    """Approximate time for the positions, in seconds, and again for the whole games."""
    description: str = ""
    """The tournament's file, named in the commands that are shown."""

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
        """The command that checks `player` in that position only."""
        more = f" --positions {self.positions}" if self.positions > DEFAULT_POSITIONS else ""
        return f"{self.command(player)}{more} --position {position}"


def of_league(league: League, *, description: str = "") -> Conditions:
    """The conditions of a tournament; `description` is its file, named in the commands that are shown."""
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
