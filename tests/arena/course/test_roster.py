"""The roster: CSV of any spreadsheet program is read; ambiguous lines are refused with their number."""

import pytest

from arena.course.roster import Roster, Student, read
from arena.errors import ArenaError

GOOD = "id,name,group,alias\n1001,Ann Lee,red,Fox\n1002,Bob Cox,blue,Owl\n"


def test_each_line_is_a_student() -> None:
    assert read(GOOD, "roster.csv") == Roster(
        "roster.csv",
        (
            Student("1001", "Ann Lee", "red", "Fox", 2),
            Student("1002", "Bob Cox", "blue", "Owl", 3),
        ),
    )


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + GOOD,
        GOOD.replace(",", ";"),
        GOOD.replace(",", "\t"),
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("id,name", " ID , Name ").replace("1001,Ann Lee", ' 1001 ,"Ann  Lee "'),
        GOOD.replace("alias\n", "alias,,\n").replace("Fox\n", "Fox,,\n"),
        GOOD.rstrip("\n"),
    ],
    ids=["a BOM", "semicolons", "tabs", "DOS", "spaces and quotes", "empty columns", "no last end of line"],
)
def test_all_csv_dialects_give_the_same_roster(text: str) -> None:
    assert read(text, "roster.csv") == read(GOOD, "roster.csv")


def test_other_columns_are_ignored_and_missing_ones_are_empty() -> None:
    (one,) = read("phone,name\n+49 30 1,Ann\n", "r").students
    assert one == Student("", "Ann", "", "", 2)


def test_lines_are_counted_as_an_editor_counts_them() -> None:
    text = 'id,name\n\n1,"Ann\nLee"\n,,\n2,Bob\n'
    assert [(one.name, one.line) for one in read(text, "r").students] == [("Ann Lee", 3), ("Bob", 6)]


def test_the_first_line_of_excel_gives_the_separator() -> None:
    assert read("sep=;\r\nid;name\r\n1;Ann, Dr.\r\n", "r").students == (Student("1", "Ann, Dr.", "", "", 3),)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "r: expected a line with the column names, got an empty file"),
        ("id,name\n", "r: expected a line for each student below the column names, got none"),
        ("nmae,alias\nAnn,Fox\n", "r, line 1: expected the columns .* got nmae, alias; did you mean 'name'?"),
        ("id,,name\n1,2,3\n", "r, line 1: expected a different name for each column, got id, , name"),
        ("id,ID\n1,2\n", "r, line 1: expected a different name for each column, got id, ID"),
        ("id,name\n1,Ann,red\n", "r, line 2: expected 2 cells, got 3"),
        ("id,name,alias\n\n,,Fox\n", "r, line 3: expected an id or a name, both are empty"),
        ('id,name\n1,"Ann\n', "r, line 2: not valid CSV: "),
        ("id,name\n1,Ann\n1,Bob\n", "r, line 3: the id '1' is also the id in line 2; expected it only once"),
        ("name,alias\nAnn,Bob\nBob,Owl\n", "r, line 2: the alias 'Bob' is also the name in line 3"),
        ("id,name\n7,Ann\n8,7\n", "r, line 3: the name '7' is also the id in line 2"),
    ],
)
def test_ambiguous_lines_are_refused(text: str, told: str) -> None:
    with pytest.raises(ArenaError, match=told):
        read(text, "r")


def test_students_with_the_same_alias_are_a_team() -> None:
    roster = read("name,alias\nAnn,Fox\nBob,fox\nEve,Owl\nZoe,\nMax,\n", "r")
    ann, bob, eve, zoe, _ = roster.students
    assert roster.called("FOX") == [ann, bob]
    assert roster.team(ann) == roster.team(bob) == (ann, bob)
    assert roster.team(eve) == (eve,)
    assert roster.team(zoe) == (zoe,)


def test_students_are_found_by_id_name_and_alias_in_any_spelling() -> None:
    roster = read("id,name,alias\n1,Zoë Weiß,Fox\n2,Bob,Owl\n", "r")
    for called in ("1", "zoe\u0308  WEISS", "FOX"):
        assert [one.id for one in roster.called(called)] == ["1"]
    assert roster.called("Carl") == roster.called("") == []


def test_two_students_can_have_one_name_and_are_distinguished_by_their_ids() -> None:
    roster = read("id,name\n1,Ann\n2,Ann\n", "r")
    assert [one.id for one in roster.called("Ann")] == ["1", "2"]
    assert [one.id for one in roster.called("2")] == ["2"]
