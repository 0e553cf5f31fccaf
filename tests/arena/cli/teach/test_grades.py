"""`arena course grades` as an instructor meets it: bars, rosters of spreadsheets, and every way to be wrong."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from db.database import Database
from tests.kit import sample_commands, sample_record
from tests.kit.arena_program import Ended, arena
from tests.kit.places import ROOT

OURS = [
    *("agent", "status", "rank", "games", "wins", "draws", "losses", "points", "score", "rating", "error"),
    *("faults", "reasons"),
]
ROSTER = "id,name,login\n7,Bob B.,bob\n3,Ann A.,ann\n9,Zoe,zoe\n"


def asked(record: Path, *arguments: str, columns: int = 80) -> Ended:
    """What the command answers about the sample."""
    return sample_commands.asked(record, "course", "grades", *arguments, columns=columns)


def document(record: Path, *arguments: str) -> dict[str, Any]:
    """The rows of the JSON, by agent."""
    return {row["agent"]: row for row in sample_commands.document(record, "course", "grades", *arguments)}


def sheet(ended: Ended) -> list[dict[str, str]]:
    """The rows of the CSV."""
    assert ended.code == 0, ended.err
    return list(csv.DictReader(io.StringIO(ended.out, newline="")))


def roster(text: str = ROSTER) -> str:
    """A file with a roster."""
    Path("roster.csv").write_text(text, "utf-8")
    return "roster.csv"


# The list.


def test_grades_before_the_end_say_how_many_games_are_missing(record: Path) -> None:
    said = "arena: the tournament is not over, so these grades can change; still to be played: 1 game\n"
    assert asked(record, "cs101").err == said
    assert "pools" not in said
    finished = Path("finished.db")
    with Database(str(finished)) as database, database.writing() as connection:
        book = sample_record.Book(connection)
        cup = book.tournament("cup", "tictactoe", status="finished")
        for pair in (("ann", "bob"), ("cleo", "dan")):
            book.enter(cup, *pair)
            book.play(cup, "tictactoe", pair, moves=sample_record.DRAW)
    said = "arena: 2 pools with no games between them: compare ratings only within a pool\n"
    assert asked(finished, "cup").err == said


def test_the_document_has_its_fields_in_their_order(record: Path) -> None:
    rows = document(record, "cs101", "--bar", "pass=bob")
    assert all(
        list(row) == [*OURS[:11], "pass", "pass_likely", "pass_games", "pass_more", *OURS[11:]] for row in rows.values()
    )
    cleo = rows["cleo"]
    assert (cleo["rank"], cleo["games"], cleo["wins"], cleo["draws"], cleo["losses"]) == (2, 6, 3, 1, 2)
    assert (cleo["points"], cleo["score"]) == (3.5, pytest.approx(3.5 / 6))
    assert (cleo["faults"], cleo["reasons"]) == (1, "cs101-3: time (time it was)")
    assert rows["bob"]["pass"] is None
    assert rows["eve"]["rating"] is None


def test_points_are_those_of_the_standings_and_the_last_tournament_is_meant(record: Path) -> None:
    standings = json.loads(arena("results", "--format", "json", "--db", str(record)).out)
    rows = document(record)
    assert rows == document(record, "cs101")
    assert [(row["agent"], row["rank"], row["points"]) for row in rows.values()] == [
        (row["name"], row["rank"], row["points"]) for row in standings
    ]


def test_a_list_is_a_sheet_unless_another_form_is_asked_for(record: Path) -> None:
    rows = sheet(asked(record, "cs101", "--bar", "pass=ann", "--bar", "merit=bob"))
    assert list(rows[0]) == [
        *OURS[:11],
        *("pass", "pass_likely", "pass_games", "pass_more", "merit", "merit_likely", "merit_games", "merit_more"),
        *OURS[11:],
    ]
    (dan,) = (row for row in rows if row["agent"] == "dan")
    assert (dan["status"], dan["faults"], dan["merit_games"]) == ("withdrawn", "1", "")


def test_a_table_shows_what_fits_a_terminal(record: Path) -> None:
    ended = asked(record, "cs101", "--format", "table", "--bar", "pass=bob")
    header, *rows = ended.out.splitlines()
    assert header.split() == [
        *("agent", "status", "rank", "games", "points", "score", "rating", "±", "pass", "faults"),
    ]
    assert rows[1].split()[:6] == ["cleo", "active", "2", "6", "3.5", "58.3%"]
    assert rows[4].split() == ["eve", "active", "5", "0", "0", "-", "-", "-", "0"]
    assert max(map(cell_len, ended.out.splitlines())) <= 80


def test_a_status_is_shown_where_somebody_has_another(record: Path) -> None:
    assert "status" not in asked(record, "evening", "--format", "table").out
    out = asked(record, "evening", "--format", "table", "--bar", "pass=ann").out
    assert out.replace("\n", "").isprintable()


@pytest.mark.parametrize(
    ("filters", "games"),
    [
        ("--game tictactoe --verdict normal", 4),
        ("--fault cleo", 1),
        ("--opening a1", 1),
        ("--since 2026-05-01T12:09 --until 2026-05-01T12:10", 2),
        ("--min-plies 9 --max-plies 9", 1),
        ("--at 2026-05-01T12:08", 1),
        ("--at 2020-01-01", 0),
    ],
)
def test_grades_are_made_of_the_games_that_are_wanted(record: Path, filters: str, games: int) -> None:
    rows = document(record, "cs101", *filters.split())
    assert rows["ann"]["games"] == games
    assert set(rows) == {"ann", "bob", "cleo", "dan", "eve"}


# Bars.


def test_the_games_that_an_agent_played_against_the_bar_are_named(record: Path) -> None:
    rows = document(record, "cs101", "--bar", "pass=ann")
    assert rows["bob"]["pass_games"] == ["cs101-1", "cs101-2"]
    assert rows["cleo"]["pass_games"] == ["cs101-3", "cs101-4"]
    sheet_rows = sheet(asked(record, "cs101", "--bar", "pass=ann"))
    assert {row["agent"]: row["pass_games"] for row in sheet_rows}["bob"] == "cs101-1 cs101-2"


@pytest.mark.parametrize(("wins", "stands"), [(1, "undecided"), (2, "undecided"), (4, "better"), (30, "better")])
def test_enough_games_won_against_a_bar_are_better(wins: int, stands: str) -> None:
    Path("club.csv").write_text("1,ann,bob,1-0\n1,bob,ann,0-1\n" * wins, "utf-8")
    assert arena("data", "import", "club.csv").code == 0
    rows = {
        row["agent"]: row for row in json.loads(arena("course", "grades", "--bar", "pass=bob", "--format", "json").out)
    }
    assert rows["ann"]["pass"] == stands
    assert len(rows["ann"]["pass_games"]) == 2 * wins


# Rosters.


def test_a_roster_keeps_all_of_its_columns_and_lines(record: Path) -> None:
    rows = sheet(asked(record, "cs101", "--join", roster()))
    assert list(rows[0]) == ["id", "name", "login", *OURS]
    assert [(row["id"], row["name"], row["agent"]) for row in rows] == [
        *[("7", "Bob B.", "bob"), ("3", "Ann A.", "ann"), ("9", "Zoe", "")],
        *[("", "", "cleo"), ("", "", "dan"), ("", "", "eve")],
    ]
    assert [row["points"] for row in rows[:3]] == ["4.0", "2.5", ""]


def test_columns_that_clash_are_all_kept(record: Path) -> None:
    rows = sheet(asked(record, "cs101", "--join", roster("score,agent,arena_score\nA,ann,B\n")))
    assert list(rows[0])[:4] == ["score", "agent", "arena_score", "arena_agent"]
    assert (rows[0]["score"], rows[0]["arena_score"]) == ("A", "B")
    assert float(rows[0]["arena_arena_score"]) == pytest.approx(2.5 / 7)


def test_the_column_with_the_names_can_be_told(record: Path) -> None:
    text = "login,partner\nann,bob\ncleo,\n"
    assert [row["agent"] for row in sheet(asked(record, "--join", roster(text)))][:2] == ["ann", "cleo"]
    assert [row["agent"] for row in sheet(asked(record, "--join", roster(text), "--on", "partner"))][:2] == ["bob", ""]


@pytest.mark.parametrize(
    "text",
    [
        ROSTER.replace("\n", "\r\n"),
        "\ufeff" + ROSTER,
        ROSTER.replace(",", ";"),
        ROSTER.replace("Bob B.", '"Bob B."').replace("Zoe", '"Zoe"'),
        ROSTER.replace("\n", "\n\n"),
        ROSTER.replace("id,", " id ,").replace("bob", " bob "),
    ],
    ids=["dos", "mark", "semicolons", "quotes", "empty lines", "blanks"],
)
def test_a_roster_is_read_as_spreadsheets_write_it(record: Path, text: str) -> None:
    rows = sheet(asked(record, "cs101", "--join", roster(text)))
    assert [(row["id"], row["name"], row["agent"]) for row in rows[:3]] == [
        *[("7", "Bob B.", "bob"), ("3", "Ann A.", "ann"), ("9", "Zoe", "")],
    ]


def test_short_lines_are_filled_and_cells_with_anything_in_them_come_out_again(record: Path) -> None:
    text = 'login,note\nann,"two\nlines, ""and"" a comma"\nbob\n'
    rows = sheet(asked(record, "--join", roster(text)))
    assert [row["note"] for row in rows[:2]] == ['two\nlines, "and" a comma', ""]


def test_a_roster_comes_from_standard_input(record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ROSTER.encode())))
    assert asked(record, "--join", "-").out == asked(record, "--join", roster()).out


def test_a_roster_is_joined_to_a_document_and_a_table_too(record: Path) -> None:
    rows = json.loads(asked(record, "--join", roster(), "--format", "json").out)
    assert (rows[0]["id"], rows[0]["points"]) == ("7", 4.0)
    header = asked(record, "--join", roster(), "--format", "table", columns=150).out.splitlines()[2]
    assert header.split()[:5] == ["id", "name", "login", "agent", "status"]


# Marks, from a description.

MARKS = """
[course]
roster = "cs101.roster.csv"

[marks]
plays = 40
fault = -2
scale = {A = 75, C = 40, F = 0}
[marks.bars.pass]
agent = "ann"
marks = 20
[marks.bars.merit]
agent = "bob"
marks = 40
"""
TEAMS = "id,name,alias\n1,Ann A.,ann\n2,Zoe,zoe\n3,Cleo C.,cleo\n4,Cy,cleo\n5,Dan,dan\n6,Eve,eve\n"


MOODLE = (
    '\ufeffIdentifier,"Full name","Email address",Status,Grade,"Maximum Grade","Grade can be changed",'
    '"Last modified (submission)","Last modified (grade)","Feedback comments",alias\n'
    '"Participant 4711","Anna Berger",anna@example.org,"Submitted for grading",,100.00,Yes,'
    '"Thursday, 30 April 2026, 5:05 PM",-,,ann\n'
    '"Participant 4712","Zoë O\'Neill, Jr.",zoe@example.org,"No submission",,100.00,Yes,-,-,,\n'
    '"Participant 4713","Carla Díaz",c@example.org,"Submitted for grading",,100.00,Yes,-,-,,cleo\n'
)
CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Agent (8801),Final Score,alias\n"
    '"Berger, Anna",101,A1,aberger,CS101 A,,,ann\n'
    '"O\'Neill, Zoë",102,A2,zoneill,CS101 A,,,\n'
    '"Díaz, Carla",103,A3,cdiaz,CS101 B,,,cleo\n'
)
BLACKBOARD = (
    '"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Agent [Total Pts: 100 Score] |88012"\talias\n'
    '"Berger"\t"Anna"\t"aberger"\t"A1"\t""\tann\n'
    '"O\'Neill"\t"Zoë"\t"zoneill"\t"A2"\t""\t\n'
    '"Díaz"\t"Carla"\t"cdiaz"\t"A3"\t""\tcleo\n'
)


def course(roster: str = TEAMS, marks: str = MARKS) -> str:
    """A description of the sample's cs101, with a roster."""
    Path("cs101.roster.csv").write_text(roster, "utf-8")
    Path("cs101.toml").write_text(f'game = "tictactoe"\nplayers = "cs101.collected.toml"\n{marks}', "utf-8")
    return "cs101.toml"


def test_marks_and_roster_come_from_the_description_and_each_member_of_a_team_has_them(record: Path) -> None:
    rows = sheet(asked(record, course()))
    assert [(row["id"], row["agent"], row["marks"], row["grade"], row["marks_why"]) for row in rows[:6]] == [
        ("1", "ann", "40", "C", "plays 40, undecided against bob 0"),
        ("2", "", "0", "F", "not entered"),
        *(
            (id, "cleo", "38", "F", "plays 40, undecided against ann 0, undecided against bob 0, 1 fault -2")
            for id in "34"
        ),
        ("5", "dan", "40", "C", "plays 40, undecided against ann 0, undecided against bob 0"),
        ("6", "eve", "0", "F", "played no game 0"),
    ]
    assert [(row["id"], row["agent"], row["marks"]) for row in rows[6:]] == [("", "bob", "")]
    documents = json.loads(asked(record, course(), "--format", "json").out)
    assert [row["marks"] for row in documents] == [40, 0, 38, 38, 40, 0, ""]


def test_the_table_of_a_course_has_names_and_marks_at_80_columns(record: Path) -> None:
    titles, *rows = asked(record, course(MOODLE), "--format", "table").out.partition("\n\n")[0].splitlines()
    assert titles.split() == ["name", "agent", "pass", "merit", "faults", "marks", "grade"]
    assert [row.split("  ")[0] for row in rows] == ["Anna Berger", "Zoë O'Neill, …", "Carla Díaz", "", "", ""]
    assert rows[1].split("  ")[1].strip() == "not entered"
    assert rows[2].split()[-2:] == ["38", "F"]
    assert max(map(cell_len, [titles, *rows])) <= 80


def test_a_forfeited_game_is_no_fault_for_marks(record: Path) -> None:
    rows = {row["agent"]: row for row in sheet(asked(record, course()))}
    assert (rows["dan"]["faults"], rows["dan"]["reasons"]) == ("1", "cs101-13: forfeit (dan is withdrawn)")
    assert "fault" not in rows["dan"]["marks_why"]
    table = asked(record, course(), "--format", "table").out.splitlines()
    (dan,) = (line.split() for line in table if " dan " in line)
    assert dan[-3:] == ["0", "40", "C"]


def test_options_win_over_the_description(record: Path) -> None:
    rows = sheet(
        asked(record, course(), "--bar", "merit=ann", "--bar", "more=dan", "--roster", roster(), "--on", "login")
    )
    assert [row["id"] for row in rows[:3]] == ["7", "3", "9"]
    assert rows[0]["marks_why"] == "plays 40, undecided against ann 0, undecided against ann 0, undecided against dan 0"


def test_without_a_table_of_marks_there_are_none(record: Path) -> None:
    rows = sheet(asked(record, course(marks='[course]\nroster = "cs101.roster.csv"')))
    assert list(rows[0]) == ["id", "name", "alias", *OURS]


@pytest.mark.parametrize("format", ["csv", "json", "table"])
def test_chosen_columns_have_only_the_students_of_the_roster_in_their_order(record: Path, format: str) -> None:
    ended = asked(record, course(), "--columns", "id,Grade=marks", "--format", format)
    marks = [("1", 40), ("2", 0), ("3", 38), ("4", 38), ("5", 40), ("6", 0)]
    if format == "json":
        assert json.loads(ended.out) == [{"id": id, "Grade": mark} for id, mark in marks]
    else:
        titles, *lines = (line.replace(",", " ").split() for line in ended.out.splitlines())
        assert (titles, lines) == (["id", "Grade"], [[id, str(mark)] for id, mark in marks])


def test_the_columns_of_a_roster_have_their_names_here_whatever_its_titles(record: Path) -> None:
    titles = "First name,Last name,ID number,Email address,Alias"
    file = course(f"{titles}\nAnna,Berger,s77,a@uni.example,ann\n")
    ended = asked(record, file, "--columns", "id,name,Mail=email,alias,marks")
    assert (ended.code, ended.out) == (0, "id,name,Mail,alias,marks\ns77,Anna Berger,a@uni.example,ann,40\n"), ended.err
    assert list(sheet(asked(record, file))[0])[:6] == [*titles.split(","), "agent"]


DOCUMENTED = dict(
    re.findall(r'^\| (\w+) \|.*\| `"(.*)"` \|$', (ROOT / "docs/course.md").read_text("utf-8"), re.MULTILINE)
)
"""The columns for each learning system in docs/course.md."""


@pytest.mark.parametrize(
    ("system", "exported", "imported"),
    [
        (
            "Moodle",
            MOODLE,
            "Identifier,Full name,Grade,Last modified (grade),Feedback comments\n"
            'Participant 4711,Anna Berger,40,-,"plays 40, undecided against bob 0"\n'
            'Participant 4712,"Zoë O\'Neill, Jr.",0,-,not entered\n'
            "Participant 4713,Carla Díaz,38,-,"
            '"plays 40, undecided against ann 0, undecided against bob 0, 1 fault -2"\n',
        ),
        (
            "Canvas",
            CANVAS,
            "Student,ID,SIS User ID,SIS Login ID,Section,Agent (8801)\n"
            '"Berger, Anna",101,A1,aberger,CS101 A,40\n'
            '"O\'Neill, Zoë",102,A2,zoneill,CS101 A,0\n'
            '"Díaz, Carla",103,A3,cdiaz,CS101 B,38\n',
        ),
        (
            "Blackboard",
            BLACKBOARD,
            "Username,Agent [Total Pts: 100 Score] |88012\naberger,40\nzoneill,0\ncdiaz,38\n",
        ),
    ],
    ids=["Moodle", "Canvas", "Blackboard"],
)
def test_a_learning_system_gets_the_columns_that_it_imports(
    record: Path, system: str, exported: str, imported: str
) -> None:
    columns = DOCUMENTED[system].replace("\\|", "|")
    ended = asked(record, course(exported), "--on", "alias", "--columns", columns)
    assert (ended.code, ended.out) == (0, imported), ended.err


def test_the_file_of_another_learning_system_has_the_agents_of_the_courses_roster(record: Path) -> None:
    """All in one course: the roster is Moodle's, the gradebook Blackboard's, in UTF-16 and without aliases."""
    lines = [line.rpartition("\t")[0] for line in BLACKBOARD.splitlines()]
    guests = [f'"Guest"\t"{number}"\t"guest{number}"\t""\t""' for number in range(12)]
    Path("blackboard.xls").write_bytes("\r\n".join([*lines, *guests]).encode("utf-16"))
    asked_for = (course(MOODLE), "--roster", "blackboard.xls", "--columns", "Username,agent,status,Agent=marks")
    ended = asked(record, *asked_for)
    assert [tuple(row.values()) for row in sheet(ended)][:4] == [
        *[("aberger", "ann", "active", "40"), ("zoneill", "", "not entered", "0"), ("cdiaz", "cleo", "active", "38")],
        ("guest0", "", "not entered", "0"),
    ]
    # Zoë is called O'Neill, Jr. in Moodle.
    title, *listed = ended.err.splitlines()
    assert title == "blackboard.xls: no student of cs101.roster.csv matches, so not entered:"
    assert listed[:2] == ["    line 3: Zoë O'Neill", "    line 5: 0 Guest"]
    assert listed[9:11] == ["    line 13: 8 Guest", "    ... and 3 more"]
    table = asked(record, course(MOODLE), "--roster", "blackboard.xls", "--format", "table").out
    assert re.search(r"^Anna Berger +ann ", table, re.MULTILINE)


def test_aliases_in_the_given_roster_win_over_those_of_the_course(record: Path) -> None:
    ended = asked(
        record, course(), "--roster", roster("id,name,alias\n1,Ann A.,dan\n2,Zoe,\n"), "--columns", "id,agent"
    )
    assert (ended.out, ended.err.count("\n")) == ("id,agent\n1,dan\n2,\n", 2)


def test_a_file_without_aliases_and_students_of_the_course_is_one_error(record: Path) -> None:
    ended = asked(record, course(), "--roster", roster("Username,Name\nx,Nobody\n"), columns=200)
    assert (ended.code, ended.out) == (2, "")
    assert "the roster has no column with agents' names" in ended.err


# The preview.


def test_the_preview_has_undecided_students_at_80_columns(record: Path) -> None:
    ended = asked(record, course(), "--preview")
    assert max(map(cell_len, ended.out.splitlines())) <= 80
    titles, *rows = (line.split() for line in ended.out.partition("\n\n")[0].splitlines())
    assert titles == ["agent", "marks", "at", "most", "next", "round", "undecided"]
    assert [(row[0], row[1:7]) for row in rows] == [
        ("cleo", ["38", "F", "98", "A", "38", "F"]),
        ("ann", ["40", "C", "80", "A", "40", "C"]),
        ("dan", ["40", "C", "100", "A", "40", "C"]),
    ]
    assert "\nundecided: 3 of 4 agents; the next round would change the marks of 0\n" in ended.out
    documents = json.loads(asked(record, course(), "--preview", "--format", "json").out)
    assert [row["agent"] for row in documents] == ["cleo", "ann", "dan"]
    assert list(documents[0]) == [
        *("agent", "marks", "grade", "marks_most", "grade_most", "marks_next", "grade_next", "undecided")
    ]
    assert list(documents[0]["undecided"][0]) == ["bar", "more", "next"]


def test_the_preview_says_what_the_next_round_changes_and_how_to_play_it() -> None:
    Path("club.csv").write_text("1,ann,bob,1-0\n1,bob,ann,0-1\n" * 2, "utf-8")
    assert arena("data", "import", "club.csv", "--tournament", "cs101").code == 0
    told = arena("course", "grades", course(), "--preview").out
    assert "ann     40 C     80 A        80 A  merit ~4 -> better\n" in told
    assert "undecided: 1 of 1 agents; the next round would change the marks of 1\n" in told
    bare = arena("course", "grades", "cs101", "--bar", "merit=bob", "--preview").out
    assert bare.startswith("agent  undecided\nann    merit ~4 -> better\n\nundecided: 1 of 1 agents\n")


def test_above_the_list_stands_how_many_marks_are_not_certain() -> None:
    Path("club.csv").write_text("1,ann,bob,1-0\n1,bob,ann,0-1\n" * 2, "utf-8")
    assert arena("data", "import", "club.csv", "--tournament", "cs101").code == 0
    sentence = "undecided: 1 of 1 agents; the next round would change the marks of 1; --preview lists them"
    for format in ("csv", "json", "table"):
        assert arena("course", "grades", course(), "--format", format).err == f"arena: {sentence}\n"
    assert arena("course", "grades", "cs101", "--bar", "merit=bob").err == ""  # without marks


def test_a_preview_without_anything_undecided_is_short() -> None:
    Path("club.csv").write_text("1,ann,bob,1-0\n1,bob,ann,0-1\n" * 30, "utf-8")
    assert arena("data", "import", "club.csv", "--tournament", "cs101").code == 0
    given = ("grades", "cs101", "--bar", "merit=bob", "--preview")
    assert arena(*given).out == "undecided: 0 of 1 agents\n"
    assert json.loads(arena(*given, "--format", "json").out) == []
    assert arena(*given, "--format", "csv").out == "agent\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["cs101", "--preview"], "--preview needs a bar: --bar NAME=AGENT, or [marks.bars.NAME] in the description"),
        (["cs101.toml", "--preview", "--columns", "id"], "--preview has its own columns: give it without --columns"),
        (["cs101.toml", "--columns", "id,Grade=mark"], "--columns: no column 'mark'; did you mean 'marks'"),
        (["cs102.toml"], "cannot read a tournament's description from 'cs102.toml'"),
        (["cs101.toml", "--roster", "nothing.csv"], "expected a roster, cannot read 'nothing.csv'"),
        (["cs101.toml", "--bar", "marks=ann"], "bar marks: the column 'marks' already exists"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_wrong_about_marks_is_one_error(record: Path, arguments: list[str], words: str) -> None:
    course()
    ended = asked(record, *arguments, columns=200)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err
    assert "Traceback" not in ended.err


def test_a_mistake_in_the_table_of_marks_is_one_error(record: Path) -> None:
    for text, words in [
        ("[marks]\nplay = 40", "cs101.toml: [marks]: unknown key 'play'; did you mean 'plays'?"),
        ('[marks.bars.pass]\nagent = "rando"', "bar pass=rando: no agent 'rando' has a rated game"),
    ]:
        ended = asked(record, course(marks=text), columns=200)
        assert (ended.code, ended.out) == (2, "")
        assert words in ended.err


# What is wrong.


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["cs102"], "there is no tournament 'cs102'"),
        (["--bar", "pass"], "--bar: expected NAME=AGENT, got 'pass'"),
        (["--bar", "=ann"], "--bar: expected NAME=AGENT, got '=ann'"),
        (["--bar", "pass=anne"], "bar pass=anne: no agent 'anne' has a rated game; did you mean 'ann'"),
        (["--bar", "pass=eve"], "bar pass=eve: no agent 'eve' has a rated game"),
        (["--bar", "pass=ann", "--bar", "pass=bob"], "--bar: 'pass' is given twice"),
        (["--bar", "score=ann"], "the column 'score' already exists; give the bar another name"),
        (["--on", "login"], "--on names a column of the roster"),
        (["--join", "nothing.csv"], "expected a roster, cannot read 'nothing.csv': No such file or directory"),
        (["--join", "roster.csv", "--on", "logn"], "no column 'logn' in the roster; did you mean 'login'"),
        (["--join", "roster.csv", "--on", "name"], "no column with agents' names (it has id, name, login)"),
        (["--at", "now"], "--at: expected a date"),
        (["--format", "xml"], "got 'xml'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_wrong_is_one_error(record: Path, arguments: list[str], words: str) -> None:
    roster()
    ended = asked(record, *arguments, columns=200)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "expected a line with the column names, got an empty file"),
        (b"id,login\n", "expected a line for each student below the column names, got none"),
        (b"id,id\n1,ann\n", "line 1: expected a different name for each column, got id, id"),
        (b"id,,login\n1,2,ann\n", "line 1: expected a different name for each column"),
        (b"id,login\n1,ann,x\n", "line 2: expected 2 cells, got 3"),
        (b"id,login\n1,\xff\n", "line 2: expected text in UTF-8"),
        (b"id,login\n1,nobody\n", "agents are ann, bob, cleo, dan, eve"),
    ],
    ids=["empty", "no lines", "twice", "no name", "too many", "no text", "nobody"],
)
def test_a_roster_that_cannot_be_used_is_one_error(record: Path, content: bytes, words: str) -> None:
    Path("bad.csv").write_bytes(content)
    ended = asked(record, "--join", "bad.csv", columns=200)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err


def test_without_a_database_a_tournament_or_a_game_it_says_so() -> None:
    ended = arena("course", "grades")
    assert (ended.code, "there is no database arena.db" in ended.err) == (2, True)
    with Database("arena.db") as database:
        ended = arena("course", "grades")
        assert (ended.code, "tournament" in ended.err) == (2, True)
        with database.writing() as connection:
            book = sample_record.Book(connection)
            book.enter(book.tournament("new", "tictactoe"), "ann", "bob")
    assert [row["rating"] for row in sheet(arena("course", "grades"))] == ["", ""]


def test_help_has_examples() -> None:
    told = " ".join(arena("course", "grades", "--help", columns=200).out.split())
    assert told.count("Example: arena course grades") == 4
    assert "arena course grades [OPTIONS] [TOURNAMENT|FILE.toml] " in told


@pytest.mark.parametrize(
    ("command", "first"),
    [
        (["grades", "cs101.toml"], "arena run cs101.toml"),
        (["invite", "lab.toml", "--roster", "roster.csv"], "arena ladder open lab.toml"),
    ],
)
def test_what_comes_first_is_named(tmp_path: Path, command: list[str], first: str) -> None:
    Path("cs101.toml").write_text('game = "tictactoe"\n', "utf-8")
    Path("lab.toml").write_text('game = "tictactoe"\n[ladder]\ncloses = 2099-12-20\n', "utf-8")
    roster()
    with Database("arena.db"):
        pass
    ended = arena(*command, columns=200)
    assert ended.code == 2
    assert ended.err.endswith(f"; first: {first}\n")
