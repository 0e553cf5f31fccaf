"""A hand-in: one submission of a student, as found in the download."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from arena.course.roster import Student


class TimeSource(StrEnum):
    """Where the time of a hand-in comes from."""

    NAME = "name"
    """The learning system wrote it into the file's name."""
    ZIP = "zip"
    """The download is a zip, which stores a time for each file."""
    FILE = "file"
    """The modification time of the file on this disk."""
    NONE = "unknown"


@dataclass(frozen=True, slots=True)
class HandIn:
    """One submission, as found in the download."""

    label: str
    """Where it was found: its path in the download."""
    path: Path | None
    """A file, or a folder of files; None if it cannot be read."""
    student: Student | None = None
    """Its student; None if not known."""
    when: datetime | None = None
    """With its time zone."""
    time_source: TimeSource = TimeSource.NONE
    marked_late: bool = False
    """Whether the learning system marked it as late."""
    wrong: str = ""
    """Why it cannot be read, or why its student is not known."""


# The result of a hand-in, or of a student without one. `arena course collect` shows one line for each.


class HandInOutcome(StrEnum):
    """The result in one word."""

    GOOD = "good"
    WARNING = "warning"
    FAILED = "failed"
    LATE = "late"
    OLDER = "older"
    """Older than the hand-in that already plays."""
    KEPT = "kept"
    """The student handed in nothing, but has an agent from an earlier run."""
    MISSING = "missing"
    """The student handed in nothing, and has no agent."""
    UNMATCHED = "unmatched"
    """No student on the roster matches the hand-in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandInResult:
    """The result of a hand-in, or of a student without one."""

    outcome: HandInOutcome
    student: Student | None = None
    """The student of this line. Each member of a team has a line for each result of the team."""
    agent: str = ""
    """The name of the student's agent."""
    hand_in: HandIn | None = None
    late_days: int = 0
    """How many days late the hand-in is, counting each day that has started; 0: in time."""
    message: str = ""
    """What is wrong with the hand-in, or needs attention."""
    advice: str = ""
    version: int | None = None
    """The version that the agent now plays with: this hand-in, or an earlier one if this one cannot play."""
    plays: bool = False
    """Whether the agent plays with this hand-in."""
    source: str = ""
    """The hash of its submission in the store."""
    again: bool = False
    """Whether an earlier run already collected it."""
    of_team: tuple[HandIn, ...] = ()
    """All hand-ins of the team, the newest first, if several members handed in."""
    repeats: bool = False
    """Whether another member of the team has the same result in an earlier line."""
