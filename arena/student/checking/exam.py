"""What a check is made of: the conditions of a tournament or the defaults of `arena play`, positions, a seed.

A plain value, made from a description or a command's options before anything starts.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Final

from arena.match.conditions import DEFAULT_CLOCK, Conditions
from arena.tournament.league import League

DEFAULT_POSITIONS: Final = 50
_DEFAULT: Final = Conditions(clock=DEFAULT_CLOCK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exam:
    """What all games of a check have in common."""

    game: str
    """Written as for `arena play`."""
    conditions: Conditions = _DEFAULT
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
        """The command that checks `player` in this way."""
        words = ["arena", "check", player]
        if self.description:
            words += ["--tournament", self.description]
        else:
            words += ["--game", self.game]
            words += ["--clock", self.conditions.clock] if self.conditions.clock != DEFAULT_CLOCK else []
        words += ["--seed", str(self.seed)] if self.seed else []
        return shlex.join(words)

    def command_for(self, player: str, position: int) -> str:
        """The command that checks `player` in that position only."""
        more = f" --positions {self.positions}" if self.positions > DEFAULT_POSITIONS else ""
        return f"{self.command(player)}{more} --position {position}"


def of_league(league: League, *, description: str = "") -> Exam:
    """A check under the conditions of a tournament; `description` is its file, named in the commands that are shown."""
    return Exam(game=league.game, conditions=league.conditions, description=description)
