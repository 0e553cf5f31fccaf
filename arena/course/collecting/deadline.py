"""Deadlines, and how late a hand-in is.

A deadline is a moment with its time zone. Without a zone it is in this machine's local time; without a time it is the
end of that day. Learning systems and zips write times without a zone: they are read in the zone of the deadline.
"""

from __future__ import annotations

import zoneinfo
from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import Final

from adsearch.errors import nearly, quote
from arena.course.collecting.hand_in import HandIn
from arena.course.roster import Roster, Student
from arena.errors import BadRoster, BadSubmission

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
