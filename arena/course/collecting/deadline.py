"""Reads a deadline, and decides whether a hand-in is late.

A deadline without a time zone is in this machine's local time; a deadline without a time is the end of that day.
"""

from __future__ import annotations

from datetime import datetime, time, timedelta

from adsearch.errors import quote
from arena.course.collecting.hand_in import HandIn
from arena.errors import BadSubmission


def read_deadline(text: str) -> datetime:
    """The last moment that is not late, with its time zone; BadSubmission if the text is not a deadline."""
    text = text.strip()
    try:
        moment = datetime.fromisoformat(text)
        if len(text) <= len("2026-05-01"):
            moment = datetime.combine(moment, time()) + timedelta(days=1, microseconds=-1)
        return moment if moment.tzinfo else moment.astimezone()
    except (ValueError, OverflowError):
        raise BadSubmission(
            "--deadline: expected a day, or a day and a time, such as 2026-05-01, '2026-05-01 23:59' or "
            f"2026-05-01T23:59+02:00, got {quote(text)}"
        ) from None


def is_late(hand_in: HandIn, deadline: datetime | None) -> bool:
    """Whether the hand-in came after the deadline or is marked late; without a time it is not late."""
    if hand_in.marked_late:
        return True
    return deadline is not None and hand_in.when is not None and hand_in.when > deadline
