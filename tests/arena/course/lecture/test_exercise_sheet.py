"""One worksheet for each student of a roster: complete, different, and never written over other files."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from arena.course import roster as rosters
from arena.course.lecture import exercise_sheet, kinds
from arena.errors import BadFolder, BadRoster
from arena.history import csv_cells
from tests.kit.chromium import Browser, check_width

ROSTER = rosters.read(
    "id,name,group,alias\n1,Anna,A,kestrel\n2,Ben,A,Kestrel!\n3,Carla,B,=1+1\n4,David,B,../up\n", "roster.csv"
)


@pytest.mark.parametrize("kind", ["alphabeta", "ucb1", "errors"])
def test_every_student_has_a_sheet_a_key_and_a_line_in_the_index(kind: str) -> None:
    made = exercise_sheet.class_files(kind, ROSTER, seed=5)
    rows = list(csv.DictReader(io.StringIO(made["index.csv"])))
    assert [row["id"] for row in rows] == ["1", "2", "3", "4"]
    for row, student in zip(rows, ROSTER.students, strict=True):
        mine = kinds.make(kind, seed=5, student=student.alias)
        assert made[row["sheet"]] == exercise_sheet.drawn(mine, solved=False)
        assert made[row["key"]] == exercise_sheet.drawn(mine, solved=True)
        assert all(row[question] == csv_cells.written(answer) for question, answer in mine.answers)
    assert len({made[row["sheet"]] for row in rows}) == 4
    assert set(made) == {"index.csv", "sheets.html", "keys.html"} | {
        row[column] for row in rows for column in ("sheet", "key")
    }
    assert all(".." not in name for name in made)
    assert exercise_sheet.class_files(kind, ROSTER, seed=5) == made != exercise_sheet.class_files(kind, ROSTER, seed=6)


def test_a_team_has_one_sheet_and_each_of_its_students_a_line() -> None:
    roster = rosters.read("id,name,alias\n1,Anna,Kestrel\n2,Ben,owl\n3,Carla,kestrel\n", "roster.csv")
    made = exercise_sheet.class_files("minimax", roster, seed=5)
    rows = list(csv.DictReader(io.StringIO(made["index.csv"])))
    assert [(row["name"], row["alias"], row["sheet"]) for row in rows] == [
        ("Anna", "Kestrel", "sheets/kestrel.svg"),
        ("Ben", "owl", "sheets/owl.svg"),
        ("Carla", "Kestrel", "sheets/kestrel.svg"),
    ]
    assert len(made) == 2 * 2 + 3


def test_a_spreadsheet_runs_no_alias_as_a_formula() -> None:
    index = exercise_sheet.class_files("minimax", ROSTER, seed=5)["index.csv"]
    assert "\n=1+1," not in index


def test_a_sheet_does_not_show_the_seed() -> None:
    made = exercise_sheet.class_files("alphabeta", ROSTER, seed=271828182845)
    assert not any("271828182845" in text for text in made.values())


def test_without_an_alias_there_is_no_sheet() -> None:
    roster = rosters.read("id,alias\n1,kestrel\n2,\n", "roster.csv")
    with pytest.raises(BadRoster, match=r"roster\.csv, line 3: expected an alias"):
        exercise_sheet.class_files("minimax", roster, seed=1)


def test_files_are_written_only_into_a_new_or_empty_folder(tmp_path: Path) -> None:
    made = {"index.csv": "alias\n", "sheets/kestrel.svg": "<svg/>"}
    for place in (tmp_path / "new", tmp_path / "empty"):
        if place.name == "empty":
            place.mkdir()
        exercise_sheet.write_class(made, place)
        assert (place / "sheets" / "kestrel.svg").read_text() == "<svg/>"
    with pytest.raises(BadFolder, match=r"'.*new' has files already; choose another name"):
        exercise_sheet.write_class({"index.csv": "other"}, tmp_path / "new")
    assert (tmp_path / "new" / "index.csv").read_text() == "alias\n"
    with pytest.raises(BadFolder, match="is a file"):
        exercise_sheet.write_class(made, tmp_path / "new" / "index.csv")
    with pytest.raises(BadFolder, match="there is no"):
        exercise_sheet.write_class(made, tmp_path / "a" / "b")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "new"]


@pytest.mark.costly
def test_all_sheets_can_be_read_and_printed_from_one_page(tmp_path: Path, browser: Browser) -> None:
    exercise_sheet.write_class(exercise_sheet.class_files("errors", ROSTER, seed=5), tmp_path / "week")
    for dark in (False, True):
        with browser.open(tmp_path / "week" / "keys.html", width=390, dark=dark) as page:
            check_width(page)
            assert page.locator("section > svg").count() == 4
            if not dark:
                printed = page.pdf(format="A4")
                assert printed.count(b"/Type /Page\n") == 4
