"""`arena check`: real games that are played to find out whether an agent works, and what to say where it does not.

Everything here serves that command, and `arena collect`, which checks what students hand in. It may import what
`arena.student` may. Start with `steps.py`, which is one check from the first step to the last.

    conditions.py           what holds for all games of a check: clock, walls, limits, seed
    agent_lookup.py         finds the agent; where there is none, says what is there instead
    examiner.py             has the games of one check or of many played, by a director of its own
    steps.py                one check: which games it asks for, and what each step reports
    planned_games.py        the positions and games that an agent is asked to play
    played_games.py         what a played game says about the agent: times, results, output, memory
    explanations.py         why an agent lost a game by its own fault, and what to do about it
    known_errors.py         the same for errors that students often make: data
    tracebacks.py           reads what an agent wrote to stderr
    watched_host.py         a program: hosts an agent and logs what it changed
    resigning_opponent.py   agents: opponents that resign after N moves, so that games end early
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from msgspec import Struct, field


class StepName(StrEnum):
    """What a check looks at, in order."""

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
    """Reported only where there is something to report."""


NUMBERED_STEPS: Final = tuple(name for name in StepName if name is not StepName.UNNOTICED)
"""The steps that every check reports."""


class Light(StrEnum):
    """What came of a step, and of a whole check: that of its worst step."""

    GOOD = "good"
    WARNING = "warning"
    FAILED = "failed"
    SKIPPED = "skipped"
    """Not tried: an earlier step failed, or the game has no such thing."""


class CheckStep(Struct, frozen=True, kw_only=True):
    """One question about an agent, and the answer."""

    name: StepName
    light: Light
    seconds: float
    message: str = field(name="told", default="")
    """One line: what was found; for a step that failed the reason, in words that a beginner understands."""
    advice: str = ""
    """What to do about it."""
    expected: str = ""
    got: str = ""
    board: str = ""
    """The position in which it happened, drawn."""
    stderr: str = ""
    """The end of what it printed, a traceback cut to the agent's own lines."""
    again: str = ""
    """The command that shows it again."""


class CheckReport(Struct, frozen=True, kw_only=True):
    """All steps of one agent."""

    agent: str
    steps: tuple[CheckStep, ...]

    @property
    def light(self) -> Light:
        """The worst of them."""
        lights = {step.light for step in self.steps}
        return next((light for light in (Light.FAILED, Light.WARNING) if light in lights), Light.GOOD)

    @property
    def worst(self) -> CheckStep | None:
        """What to look at first: the first step with that light; None where all is good."""
        light = self.light
        return None if light is Light.GOOD else next(step for step in self.steps if step.light is light)
