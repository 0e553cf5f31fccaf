"""A deadline as an instructor writes it, and whether something came after it.

Without a zone it is meant as this machine's own time; a day alone lasts until its end.
"""

from __future__ import annotations

from datetime import datetime, time, timedelta

from adsearch.errors import quote
from arena.course.collecting import HandedIn
from arena.errors import BadSubmission


def read(text: str) -> datetime:
    """The moment up to which something is in time, with its zone; BadSubmission where the text is none."""
    text = text.strip()
    try:
        moment = datetime.fromisoformat(text)
        if len(text) <= len("2026-05-01"):
            moment = datetime.combine(moment, time()) + timedelta(days=1, microseconds=-1)
        return moment if moment.tzinfo else moment.astimezone()
    except (ValueError, OverflowError):
        raise BadSubmission(
            "--deadline: expected a day or a moment such as 2026-05-01, '2026-05-01 23:59' or "
            f"2026-05-01T23:59+02:00, got {quote(text)}"
        ) from None


def is_late(handed_in: HandedIn, deadline: datetime | None) -> bool:
    """Whether it came after the deadline, or is marked so; what has no time is not late."""
    if handed_in.marked_late:
        return True
    return deadline is not None and handed_in.when is not None and handed_in.when > deadline
