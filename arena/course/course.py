"""The course that a tournament belongs to: the tables of its description that only an instructor's commands read.

`arena run` ignores these tables, so they can change at any time:

    [course]       the roster, the deadline, and what happens to late submissions
    [marks]        what results are worth

The tables [languages.NAME] are read in `arena/tournament/enrolment.py`, because they also set walls and limits
of agents that play.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Final

from msgspec import Struct

from arena.course import grading
from arena.course.collecting.hand_in import read_deadline
from arena.errors import BadSubmission
from arena.tournament.description import Table, read_toml

COURSE_KEYS: Final = ("roster", "deadline", "late")
LATE: Final = ("refuse", "accept")
"""What happens to late submissions."""


class Course(Struct, frozen=True, kw_only=True):
    """What a description says about its course."""

    file: Path
    tournament: str
    """The name of the tournament."""
    roster: Path | None
    deadline: datetime | None
    late: str
    """One of LATE."""
    marks: grading.Marks | None
    """What results are worth."""


def read(file: Path) -> Course:
    """The course of the description in `file`; BadLeague says what is wrong in it. Paths are relative to its folder."""
    keys = Table(read_toml(file), str(file))
    course = keys.table("course")
    course.only(COURSE_KEYS)
    return Course(
        file=file,
        tournament=keys.name("name", file.stem),
        roster=file.parent / Path(course.text("roster")).expanduser() if "roster" in course else None,
        deadline=_deadline(course),
        late=course.word("late", LATE, LATE[0]),
        marks=grading.read(keys.table("marks")) if "marks" in keys else None,
    )


def _deadline(course: Table) -> datetime | None:
    """The deadline; TOML can write it as a text or as a date."""
    if "deadline" not in course:
        return None
    try:
        return read_deadline(str(course.value("deadline")))
    except BadSubmission as error:
        course.fail(str(error), "deadline")
