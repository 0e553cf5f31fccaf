"""Taking in what students have handed in: from a learning-management system's download to agents that play.

`download.py` finds whose each thing is, `people.py` by the roster and `shapes.py` by how such systems name files;
`archives.py` unpacks, trusting nothing; `intake.py` has each checked and keeps the last that passed, in the file of
`collected.py`, which a tournament's description names. Nobody is guessed: what cannot be matched is listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from arena.course.roster import Student


class Clock(StrEnum):
    """Where the time of a submission is from."""

    NAME = "name"
    """The learning-management system has put it into the name."""
    ZIP = "zip"
    """The zip that all came in tells the time of each file."""
    FILE = "file"
    """The time of the file on this disk."""
    NONE = "unknown"


@dataclass(frozen=True, slots=True)
class HandedIn:
    """One thing that somebody has handed in, as it lies there."""

    label: str
    """Where it was found, for people."""
    path: Path | None
    """A file, or a folder of files."""
    student: Student | None = None
    """Whose it is; None: that is not known."""
    when: datetime | None = None
    """With its zone."""
    clock: Clock = Clock.NONE
    marked_late: bool = False
    """The learning-management system says so itself."""
    wrong: str = ""
    """Why it cannot be looked at, or whose it is not known."""
