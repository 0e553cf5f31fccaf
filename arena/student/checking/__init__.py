"""`arena check`: plays real games to find out whether an agent works, and explains what is wrong with it.

Used by that command, by `arena course collect`, which checks what students hand in, and by a ladder. It may import what
`arena.student` may. Start with `steps.py`: one check from the first step to the last.

    agent_lookup.py         finds the agent, or says what is there instead
    check_schedule.py       the checks' games as a schedule, which any director can play
    check_maker.py          makes a check of an agent, which it finds, stores and confines
    steps.py                one check: which games it requests, and what each step reports
    planned_games.py        the positions and games that the agent plays
    played_games.py         what a played game shows about the agent: times, results, output, memory
    explanations.py         why an agent lost by its own fault, and what to do about it
    known_errors.py         data for explanations.py: errors that students often make
    tracebacks.py           reads what an agent wrote to stderr
    resigning_opponent.py   agents: opponents that resign after N moves, so that games end early
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from msgspec import Struct, field


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
