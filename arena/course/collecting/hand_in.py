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
