"""The tables of a description that only an instructor's commands read."""

from pathlib import Path

import pytest

from arena.course.course import read
from arena.errors import BadLeague
from arena.tournament import league

GAME = 'game = "connect4"\n'


def described(folder: Path, text: str) -> Path:
    """A description that ends with this text."""
    file = folder / "cs101.toml"
    file.write_text(GAME + text)
    return file


def test_the_table_course_names_roster_and_deadline(tmp_path: Path) -> None:
    file = described(
        tmp_path, '[course]\nroster = "lists/r.csv"\ndeadline = "2026-05-01T23:59+02:00"\nlate = "accept"\n'
    )
    course = read(file)
    assert (course.tournament, course.roster, course.late) == ("cs101", tmp_path / "lists/r.csv", "accept")
    assert course.deadline is not None
    assert course.deadline.isoformat() == "2026-05-01T23:59:00+02:00"
    assert league.read(file, agents=False).name == "cs101"


def test_a_date_of_toml_is_a_deadline(tmp_path: Path) -> None:
    for written in ("2026-05-01T23:59:00+02:00", "2026-05-01 23:59:00+02:00"):
        deadline = read(described(tmp_path, f"[course]\ndeadline = {written}\n")).deadline
        assert deadline is not None
        assert deadline.isoformat() == "2026-05-01T23:59:00+02:00"


def test_without_the_table_nothing_is_set(tmp_path: Path) -> None:
    course = read(described(tmp_path, 'name = "final"\n'))
    assert (course.tournament, course.roster, course.deadline, course.late) == ("final", None, None, "refuse")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[course]\nroter = "r.csv"', "unknown key 'roter'; did you mean 'roster'?"),
        ('[course]\nlate = "maybe"', "expected 'refuse' or 'accept', got 'maybe'"),
        ("[course]\ndeadline = 5", "expected a day"),
    ],
)
def test_mistakes_are_errors(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BadLeague, match=message.replace("?", r"\?")):
        read(described(tmp_path, text))
