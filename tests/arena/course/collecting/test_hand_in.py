"""A deadline is a moment with a time zone; hand-ins after it, or marked as late, are late."""

import zoneinfo
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from arena.course import roster as rosters
from arena.course.collecting.hand_in import HandIn, agent_names, deadline_text, late_days, read_deadline, zone_of
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
        ("2026-05-01 23:59 Europe/Berlin", datetime(2026, 5, 1, 21, 59, tzinfo=UTC)),
        ("2026-01-01 23:59 Europe/Berlin", datetime(2026, 1, 1, 22, 59, tzinfo=UTC)),
        ("2026-05-01  Europe/Berlin", datetime(2026, 5, 1, 21, 59, 59, 999999, tzinfo=UTC)),
        ("2026-05-01 UTC", datetime(2026, 5, 1, 23, 59, 59, 999999, tzinfo=UTC)),
        ("2026-10-25 02:30 Europe/Berlin", datetime(2026, 10, 25, 1, 30, tzinfo=UTC)),  # shown twice
        (" 2026-05-01 ", datetime(2026, 5, 1, 23, 59, 59, 999999).astimezone()),
    ],
)
def test_a_deadline_is_read(text: str, moment: datetime) -> None:
    read = read_deadline(text)
    assert read.astimezone(UTC) == moment  # a time that is shown twice equals nothing in another zone
    assert read.tzinfo is not None
    assert read_deadline(deadline_text(read)).astimezone(UTC) == moment


@pytest.mark.parametrize("text", ["", "tomorrow", "1.5.2026", "2026-13-01", "2026-05-01T25:00", "23:59", "UTC"])
def test_anything_else_is_an_error(text: str) -> None:
    with pytest.raises(BadSubmission, match=r"^expected a day, or a day and a time"):
        read_deadline(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "2026-05-01 23:59 Europe/Berln",
            "got 'Europe/Berln'; did you mean 'Europe/Berlin'?",
        ),
        (
            "2026-05-01 europe",
            "expected a time zone such as Europe/Berlin, or an offset as in 2026-05-01T23:59+02:00, got 'europe'",
        ),
        ("2026-05-01 etc/../../passwd", "expected a time zone"),
        ("2026-05-01 Europe/" + "x" * 5000, "expected a time zone"),
        ("2026-03-29 02:30 Europe/Berlin", "clocks in Europe/Berlin skip 2026-03-29 02:30, because summer time starts"),
    ],
)
def test_a_wrong_zone_or_a_skipped_time_is_an_error(text: str, message: str) -> None:
    with pytest.raises(BadSubmission) as error:
        read_deadline(text)
    assert message in str(error.value)


def test_a_machine_without_time_zones_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> ZoneInfo:
        raise zoneinfo.ZoneInfoNotFoundError(name)

    monkeypatch.setattr(zoneinfo, "ZoneInfo", missing)
    monkeypatch.setattr(zoneinfo, "available_timezones", set)
    with pytest.raises(BadSubmission, match="pip install tzdata"):
        read_deadline("2026-05-01 Europe/Berlin")


def test_a_deadline_without_a_zone_is_read_in_the_given_zone() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    assert read_deadline("2026-05-01 12:00", berlin) == datetime(2026, 5, 1, 10, tzinfo=UTC)
    assert read_deadline("2026-05-01 12:00Z", berlin) == datetime(2026, 5, 1, 12, tzinfo=UTC)


def test_times_without_a_zone_are_in_the_zone_of_the_deadline() -> None:
    there = timezone(timedelta(hours=9, minutes=30))
    assert zone_of(None) is None
    assert zone_of(read_deadline("2026-05-01")) is None
    for text, zone in (("2026-05-01 Asia/Tokyo", ZoneInfo("Asia/Tokyo")), ("2026-05-01T23:00+09:30", there)):
        assert zone_of(read_deadline(text)) == zone


def test_lateness_is_counted_in_started_days() -> None:
    end = read_deadline("2026-05-01T23:59Z")
    for late, days in ((0, 0), (1, 1), (86_400, 1), (86_401, 2), (-5, 0)):
        assert late_days(hand_in(end + timedelta(seconds=late)), end) == days
    assert late_days(hand_in(end + timedelta(microseconds=1)), end) == 1
    assert late_days(hand_in(None), end) == 0
    assert late_days(hand_in(end), None) == 0


def test_a_late_mark_of_the_learning_system_is_at_least_one_day() -> None:
    end = read_deadline("2026-05-01T23:59Z")
    assert late_days(hand_in(None, marked=True), None) == 1
    assert late_days(hand_in(end, marked=True), end) == 1
    assert late_days(hand_in(end + timedelta(days=3), marked=True), end) == 3


def test_a_day_has_24_hours_when_clocks_are_changed() -> None:
    end = read_deadline("2026-03-28 12:00 Europe/Berlin")
    assert late_days(hand_in(end.astimezone(UTC) + timedelta(hours=24)), end) == 1
    assert late_days(hand_in(end.astimezone(UTC) + timedelta(hours=25)), end) == 2


# A team has one agent; `test_collector.py` tests the names of students' own agents.


def test_a_team_has_one_agent_in_the_spelling_of_its_first_student() -> None:
    names = agent_names(rosters.read("name,alias\nAnn,Fox\nBob,Owl\nEve,FOX\n", "r"))
    assert list(names.values()) == ["Fox", "Owl", "Fox"]
