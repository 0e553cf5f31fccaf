"""Checking an agent before it plays for anything: step by step, by real games, with words a beginner understands.

The games are played by the director, behind the walls and by the clock of a tournament; what came of them is read
here, without input or output, and told as steps.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from msgspec import Struct

FOUND: Final = "found and importable"
STARTS: Final = "starts in time"
READY: Final = "says ready"
LEGAL: Final = "legal moves"
WHOLE: Final = "whole games"
CLOCK: Final = "keeps its clock"
AGAIN: Final = "plays again"
SEED: Final = "same seed, same moves"
PRINTED: Final = "what it printed"
USED: Final = "what it used"
UNNOTICED: Final = "what no game noticed"
"""A step that is told only where there is something to tell."""
NAMES: Final = (FOUND, STARTS, READY, LEGAL, WHOLE, CLOCK, AGAIN, SEED, PRINTED, USED)
"""All steps, in order."""


class Light(StrEnum):
    """What came of a step, and of a whole check: that of its worst step."""

    GOOD = "good"
    WARNING = "warning"
    FAILED = "failed"
    SKIPPED = "skipped"
    """Not tried: an earlier step failed, or the game has no such thing."""


class Step(Struct, frozen=True, kw_only=True):
    """One question about an agent, and the answer."""

    name: str
    """What was looked at: "starts in time"."""
    light: Light
    seconds: float
    told: str = ""
    """One line: what was found; for a step that failed the cause, in words a beginner understands."""
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


class Checked(Struct, frozen=True, kw_only=True):
    """All steps of one agent."""

    agent: str
    steps: tuple[Step, ...]

    @property
    def light(self) -> Light:
        """The worst of them."""
        lights = {step.light for step in self.steps}
        return next((light for light in (Light.FAILED, Light.WARNING) if light in lights), Light.GOOD)

    @property
    def wrong(self) -> Step | None:
        """The first step of that light, unless all is good: what to look at first."""
        worst = self.light
        return None if worst is Light.GOOD else next(step for step in self.steps if step.light is worst)
