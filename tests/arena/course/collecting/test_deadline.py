"""A deadline is a moment with a time zone; hand-ins after it, or marked as late, are late."""

from datetime import UTC, datetime, timedelta

import pytest

from arena.course.collecting.deadline import is_late, read_deadline
from arena.course.collecting.hand_in import HandIn
from arena.errors import BadSubmission


def hand_in(when: datetime | None, *, marked: bool = False) -> HandIn:
    """A hand-in at this time."""
    return HandIn("x", None, when=when, marked_late=marked)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-05-01T23:59+02:00", datetime(2026, 5, 1, 21, 59, tzinfo=UTC)),
        ("2026-05-01T23:59:30Z", datetime(2026, 5, 1, 23, 59, 30, tzinfo=UTC)),
        ("2026-05-01 23:59", datetime(2026, 5, 1, 23, 59).astimezone()),
        (" 2026-05-01 ", datetime(2026, 5, 1, 23, 59, 59, 999999).astimezone()),
    ],
)
def test_a_deadline_is_read(text: str, moment: datetime) -> None:
    read = read_deadline(text)
    assert read == moment
    assert read.tzinfo is not None


@pytest.mark.parametrize("text", ["", "tomorrow", "1.5.2026", "2026-13-01", "2026-05-01T25:00", "23:59"])
def test_anything_else_is_an_error(text: str) -> None:
    with pytest.raises(BadSubmission, match="--deadline: expected a day, or a day and a time"):
        read_deadline(text)


def test_hand_ins_after_the_deadline_or_marked_as_late_are_late() -> None:
    end = read_deadline("2026-05-01T23:59Z")
    assert not is_late(hand_in(end), end)
    assert is_late(hand_in(end + timedelta(seconds=1)), end)
    assert not is_late(hand_in(None), end)
    assert is_late(hand_in(None, marked=True), None)
    assert not is_late(hand_in(end), None)
