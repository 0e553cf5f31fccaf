"""`arena check`: plays real games to find out whether an agent works, and explains what is wrong with it.

Used by that command, by `arena course collect`, which checks what students hand in, and by a ladder. It may import what
`arena.student` may. Start with `steps.py`: one check from the first step to the last.

    agent_lookup.py         finds the agent, or says what is there instead
    check_maker.py          makes checks of agents, which it finds, stores and confines, and their schedule
    steps.py                one check: which games it requests, and what each step reports
    planned_games.py        the positions and games that the agent plays
    played_games.py         what a played game shows about the agent: times, results, output, memory
    explanations.py         why an agent lost by its own fault, and what to do about it
    known_errors.py         data for explanations.py: errors that students often make
    tracebacks.py           reads what an agent wrote to stderr
    resigning_opponent.py   agents: opponents that resign after N moves, so that games end early
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from arena.match.conditions import DEFAULT_CLOCK, Conditions

if TYPE_CHECKING:
    from arena.tournament.league import League


class StepName(StrEnum):
    """The steps of a check, in order."""

    FOUND = "found and importable"
    STARTS = "starts in time"
    READY = "says ready"
    LEGAL = "legal moves"
    WHOLE = "whole games"
    CLOCK = "keeps its clock"
    AGAIN = "plays again"
    SEED = "same seed, same moves"
    PRINTED = "what it printed"
    USED = "what it used"
    UNNOTICED = "what no game noticed"
    """Mistakes that did not end a game; reported only if there are any. One step for each."""


NUMBERED_STEPS: Final = tuple(name for name in StepName if name is not StepName.UNNOTICED)
"""The steps that every check reports, in order."""


class Light(StrEnum):
    """The result of a step; the result of a check is that of its worst step."""

    GOOD = "good"
    WARNING = "warning"
    FAILED = "failed"
    SKIPPED = "skipped"
    """Not tried: an earlier step failed, or the step does not apply."""


class CheckStep(Struct, frozen=True, kw_only=True):
    """The result of one step."""

    name: StepName
    light: Light
    seconds: float
    message: str = field(name="told", default="")
    """One line: what was found, or why the step failed, in words that a beginner understands."""
    advice: str = ""
    """What to do about it."""
    expected: str = ""
    got: str = ""
    board: str = ""
    """A drawing of the position in which the step failed."""
    stderr: str = ""
    """The end of the agent's stderr; a traceback is cut to the agent's own lines."""
    again: str = ""
    """The command that repeats the step."""


class CheckReport(Struct, frozen=True, kw_only=True):
    """The results of all steps for one agent."""

    agent: str
    steps: tuple[CheckStep, ...]

    @property
    def light(self) -> Light:
        """The worst result of all steps."""
        lights = {step.light for step in self.steps}
        return next((light for light in (Light.FAILED, Light.WARNING) if light in lights), Light.GOOD)

    @property
    def plays(self) -> bool:
        """Whether the agent can play: no step failed, apart from mistakes that did not end a game."""
        return all(step.light is not Light.FAILED or step.name is StepName.UNNOTICED for step in self.steps)

    @property
    def worst(self) -> CheckStep | None:
        """The first step with the worst result; None if all are good."""
        light = self.light
        return None if light is Light.GOOD else next(step for step in self.steps if step.light is light)


# What a check is made of: the conditions of a tournament or the defaults of `arena play`, positions, a seed.


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
