"""A deadline is a moment with a zone; what came after it, or is marked so, is late."""

from datetime import UTC, datetime, timedelta

import pytest

from arena.course.collecting import HandedIn, deadline
from arena.errors import BadSubmission


def handed_in(when: datetime | None, *, marked: bool = False) -> HandedIn:
    """Something of that time."""
    return HandedIn("x", None, when=when, marked_late=marked)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-05-01T23:59+02:00", datetime(2026, 5, 1, 21, 59, tzinfo=UTC)),
        ("2026-05-01T23:59:30Z", datetime(2026, 5, 1, 23, 59, 30, tzinfo=UTC)),
        ("2026-05-01 23:59", datetime(2026, 5, 1, 23, 59).astimezone()),
        (" 2026-05-01 ", datetime(2026, 5, 1, 23, 59, 59, 999999).astimezone()),
    ],
)
def test_a_moment_is_read(text: str, moment: datetime) -> None:
    read = deadline.read(text)
    assert read == moment
    assert read.tzinfo is not None


@pytest.mark.parametrize("text", ["", "tomorrow", "1.5.2026", "2026-13-01", "2026-05-01T25:00", "23:59"])
def test_anything_else_is_told(text: str) -> None:
    with pytest.raises(BadSubmission, match="--deadline: expected a day or a moment"):
        deadline.read(text)


def test_late_is_what_came_after_or_is_marked() -> None:
    end = deadline.read("2026-05-01T23:59Z")
    assert not deadline.is_late(handed_in(end), end)
    assert deadline.is_late(handed_in(end + timedelta(seconds=1)), end)
    assert not deadline.is_late(handed_in(None), end)
    assert deadline.is_late(handed_in(None, marked=True), None)
    assert not deadline.is_late(handed_in(end), None)
