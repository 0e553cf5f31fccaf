"""The course that a tournament belongs to: the tables of its description that only an instructor's commands read.

`arena run` ignores these tables, so they can change at any time:

    [course]       the roster, the deadline, and what happens to late submissions
    [marks]        what results are worth; `grading.py` applies it

The tables [languages.NAME] are read in `arena/tournament/enrolment.py`, because they also set walls and limits
of agents that play.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Final

from msgspec import Struct

from arena.course.collecting.hand_in import read_deadline
from arena.errors import BadSubmission
from arena.tournament.description import Table, read_toml, shown

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
    marks: Marks | None
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
        marks=read_marks(keys.table("marks")) if "marks" in keys else None,
    )


def _deadline(course: Table) -> datetime | None:
    """The deadline; TOML can write it as a text or as a date."""
    if "deadline" not in course:
        return None
    try:
        return read_deadline(str(course.value("deadline")))
    except BadSubmission as error:
        course.fail(str(error), "deadline")


# The table [marks].


MARKS_KEYS: Final = ("plays", "fault", "most_faults", "late_day", "most_late", "most", "scale", "bars")
BAR_KEYS: Final = ("agent", "marks")
_MOST: Final = 100
"""Default of `most`."""
_LARGEST: Final = 1_000_000


class Marks(Struct, frozen=True, kw_only=True):
    """What the table [marks] says. Deductions are 0 or negative."""

    plays: float = 0.0
    """For an agent that played a game."""
    fault: float = 0.0
    """For each game lost by a fault."""
    most_faults: float | None = None
    """Limit of the deduction for faults."""
    late_day: float = 0.0
    """For each day late."""
    most_late: float | None = None
    """Limit of the deduction for being late."""
    most: float = _MOST
    """The largest number of marks."""
    scale: Mapping[str, float] = {}
    """Grades, each with the marks that it needs, highest first. Empty, or one of them needs 0 marks."""
    bars: Mapping[str, str] = {}
    """The agent of each bar."""
    bar_marks: Mapping[str, float] = {}
    """For being better than each bar."""

    def grade(self, marks: float) -> str | None:
        """The grade for these marks; None without a scale."""
        return next((grade for grade, least in self.scale.items() if marks >= least), None)


def read_marks(table: Table) -> Marks:
    """The table [marks]; BadLeague says what is wrong in it."""
    table.only(MARKS_KEYS)
    most = _award(table, "most", _MOST)
    every = table.table("bars")
    bars = {title: every.table(title) for title in table.value("bars") or ()}
    for bar in bars.values():
        bar.only(BAR_KEYS)
    return Marks(
        plays=_award(table, "plays", 0.0),
        fault=_deduction(table, "fault") or 0.0,
        most_faults=_deduction(table, "most_faults"),
        late_day=_deduction(table, "late_day") or 0.0,
        most_late=_deduction(table, "most_late"),
        most=most,
        scale=_scale(table, most),
        bars={title: bar.text("agent") for title, bar in bars.items()},
        bar_marks={title: _award(bar, "marks", 0.0) for title, bar in bars.items()},
    )


def written(value: float) -> str:
    """A number without trailing zeros."""
    return f"{value:.10g}"


def _award(table: Table, key: str, default: float) -> float:
    """A number of marks to be gained."""
    value = table.number(key)
    if value is not None and not 0.0 <= value <= _LARGEST:
        table.fail(f"expected a number of marks from 0 to {_LARGEST}, got {shown(table.value(key))}", key)
    return default if value is None else value


def _deduction(table: Table, key: str) -> float | None:
    """A number of marks to be lost: 0 or negative; None if it is absent."""
    value = table.number(key)
    if value is not None and not -_LARGEST <= value <= 0.0:
        table.fail(f"expected a deduction, a number from -{_LARGEST} to 0, got {shown(table.value(key))}", key)
    return value


def _scale(table: Table, most: float) -> dict[str, float]:
    """The grades, highest first."""
    grades = table.table("scale")
    needed = {grade: _award(grades, grade, 0.0) for grade in table.value("scale") or ()}
    if not needed:
        return {}
    by_marks = dict(sorted(needed.items(), key=lambda one: -one[1]))
    values = list(by_marks.values())
    if len(set(values)) < len(values):
        table.fail("expected different marks for each grade", "scale")
    if values[-1] != 0.0:
        table.fail("expected one grade that needs 0 marks, such as F = 0", "scale")
    if values[0] > most:
        table.fail(f"expected grades that need at most {written(most)} marks, got {written(values[0])}", "scale")
    return by_marks
