"""Result: what became of one hand-in, or of somebody without one. `arena collect` shows one line for each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from arena.course.collecting.hand_in import HandIn
from arena.course.roster import Student


class HandInOutcome(StrEnum):
    """What became of it, in a word."""

    GOOD = "good"
    WARNING = "warning"
    FAILED = "failed"
    LATE = "late"
    OLDER = "older"
    """Older than the one that plays already."""
    MISSING = "missing"
    """The student has handed in nothing."""
    UNMATCHED = "unmatched"
    """Nobody on the roster matches it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandInResult:
    """What became of one hand-in, or of somebody without one."""

    outcome: HandInOutcome
    student: Student | None = None
    agent: str = ""
    """What the student's agent is called."""
    hand_in: HandIn | None = None
    late: bool = False
    message: str = ""
    """What is wrong with it, or needs attention."""
    advice: str = ""
    version: int | None = None
    """The version with which the agent now plays: this hand-in's, or if it cannot play an earlier one."""
    plays: bool = False
    """Whether it is this hand-in that plays."""
    source: str = ""
    """Its hash in the store."""
    again: bool = False
    """Whether an earlier run has collected it already."""
