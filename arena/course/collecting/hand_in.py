"""A hand-in: one submission of a student, as found in the download; how late it is, and the name of its agent.

A deadline is a moment with its time zone. Without a zone it is in this machine's local time; without a time it is the
end of that day.
"""

from __future__ import annotations

import zoneinfo
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from enum import StrEnum
from pathlib import Path
from typing import Final

from adsearch.errors import nearly, quote
from arena.course.roster import Roster, Student
from arena.errors import BadRoster, BadSubmission
from arena.tournament.description import folded, what_is_wrong_with

# Deadlines, and how late a hand-in is.


_DAY: Final = timedelta(days=1)


def read_deadline(text: str, zone: tzinfo | None = None) -> datetime:
    """The last moment that is not late, with its time zone; BadSubmission if the text is not a deadline.

    `zone`: the zone of a text that names none; None: local time. Of a time that clocks show twice, because they are
    set back, it is the later one; a time that they skip is refused."""
    written, _, place = text.strip().rpartition(" ")
    if written and place[0].isalpha():
        written, zone = written.strip(), _zone(place)
    else:
        written = text.strip()
    try:
        moment = datetime.fromisoformat(written)
        if len(written) <= len("2026-05-01"):
            moment = datetime.combine(moment, time()) + timedelta(days=1, microseconds=-1)
    except (ValueError, OverflowError):
        raise BadSubmission(
            "expected a day, or a day and a time, such as 2026-05-01, '2026-05-01 23:59', "
            f"'2026-05-01 23:59 Europe/Berlin' or 2026-05-01T23:59+02:00, got {quote(text.strip())}"
        ) from None
    if moment.tzinfo is not None:
        return moment
    return moment.replace(fold=1).astimezone() if zone is None else _moment_in(zone, moment)


def deadline_text(deadline: datetime) -> str:
    """A text that `read_deadline` reads as this deadline."""
    zone = getattr(deadline.tzinfo, "key", "")
    return f"{deadline.replace(tzinfo=None)} {zone}" if zone else deadline.isoformat()


def zone_of(deadline: datetime | None) -> tzinfo | None:
    """The zone of times without a zone that are compared with the deadline; None: local time."""
    if deadline is None:
        return None
    # Local time is more exact than its offset: it knows summer and winter.
    is_local = deadline.utcoffset() == deadline.astimezone().utcoffset()
    return None if is_local and not isinstance(deadline.tzinfo, zoneinfo.ZoneInfo) else deadline.tzinfo


def own_deadlines(roster: Roster, deadline: datetime | None) -> Mapping[Student, datetime]:
    """The extensions on the roster, without those that are not later than `deadline`, the deadline of all students.

    A team has the latest deadline of its members. BadRoster if a deadline cannot be read."""
    zone = zone_of(deadline)
    read: dict[Student, datetime] = {}
    for one in roster.students:
        try:
            if one.deadline:
                read[one] = read_deadline(one.deadline, zone)
        except BadSubmission as error:
            raise BadRoster(f"{roster.file}, line {one.line}, deadline: {error}") from None
    latest = {
        one: max((read[each] for each in roster.team(one) if each in read), default=None) for one in roster.students
    }
    # An old extension stays on the roster in the next round.
    return {one: own for one, own in latest.items() if own is not None and (deadline is None or own > deadline)}


def late_days(hand_in: HandIn, deadline: datetime | None) -> int:
    """How many days late the hand-in is, counting each day that has started; 0: in time.

    Without a time, or without a deadline, it is late only if the learning system marked it: then it is 1 day."""
    marked = int(hand_in.marked_late)
    if deadline is None or hand_in.when is None:
        return marked
    # In UTC: a day has 24 hours, also when clocks are changed.
    late = hand_in.when.astimezone(UTC) - deadline.astimezone(UTC)
    return max(marked, -(-late // _DAY)) if late > timedelta() else marked


def _zone(name: str) -> tzinfo:
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        known = sorted(zoneinfo.available_timezones())
        if not known:
            raise BadSubmission(
                f"cannot read the time zone {quote(name)}: this machine has no list of time zones; install it with "
                "'pip install tzdata', or write the offset, such as 2026-05-01T23:59+02:00"
            ) from None
        raise BadSubmission(
            f"expected a time zone such as Europe/Berlin, or an offset as in 2026-05-01T23:59+02:00, got {quote(name)}"
            f"{nearly(name, known)}"
        ) from None


def _moment_in(zone: tzinfo, shown: datetime) -> datetime:
    """The moment at which clocks in the zone show this; the later one if there are two."""
    moment = shown.replace(tzinfo=zone, fold=1)
    if moment.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != shown:
        raise BadSubmission(
            f"clocks in {zone} skip {shown:%Y-%m-%d %H:%M}, because summer time starts; choose another time"
        )
    return moment


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


# The names of students' agents in tournaments: the alias, else the student's name, else the id.


def agent_names(roster: Roster) -> dict[Student, str]:
    """The name of each student's agent. BadRoster if it cannot be an agent's name, or two teams have the same."""
    names: dict[Student, str] = {}
    taken: dict[str, Student] = {}
    students_names = [folded(one.name) for one in roster.students]
    for one in roster.students:
        unique_name = one.name if students_names.count(folded(one.name)) == 1 else ""
        name = one.alias or unique_name or one.id
        column = "alias" if one.alias else "name" if unique_name else "id"
        where = f"{roster.file}, line {one.line}"
        if not name:
            raise BadRoster(f"{where}: another student has the name {quote(one.name)} too: expected an alias or an id")
        if wrong := what_is_wrong_with(name):
            raise BadRoster(f"{where}, {column}: {wrong}; add an alias, which becomes the agent's name")
        other = taken.setdefault(folded(name), one)
        if not roster.is_one_team((other, one)):
            raise BadRoster(
                f"{where}: the agent would be called {quote(name)}, like the agent of line {other.line}; add an alias"
            )
        names[one] = names.get(other, name)
    return names
