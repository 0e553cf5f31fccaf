"""The table [marks]: what is read, and what results are worth."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.course import grading
from arena.course import roster as rosters
from arena.course.course import Marks, read_marks
from arena.course.grading import (
    AgentResults,
    agents_in_column,
    agents_of,
    chosen,
    columns,
    late_days,
    marked,
    preview,
    students_of,
)
from arena.errors import BadLeague, BadRating, BadRoster
from arena.ratings.grades import Against, Bar
from arena.tournament.description import Table
from tests.kit.places import ROOT

TEXT = """
plays = 40
fault = -2
most_faults = -10
late_day = -5
most_late = -15
scale = {A = 90, B = 75, C = 60, D = 50, F = 0}
[bars.pass]
agent = "random"
marks = 20
[bars.merit]
agent = "alphabeta-4"
marks = 40
[bars.shown]
agent = "pvs"
"""
PLAYED = AgentResults(played=True)
BETTER, NOT_BETTER, UNDECIDED = Against.BETTER, Against.NOT_BETTER, Against.UNDECIDED


def table(text: str) -> Marks:
    """What is read from this table."""
    return read_marks(Table(tomllib.loads(text), "cs101.toml: [marks]"))


SCHEME = table(TEXT)


# The table.


def test_a_table_is_read() -> None:
    assert (
        Marks(
            plays=40,
            fault=-2,
            most_faults=-10,
            late_day=-5,
            most_late=-15,
            scale={"A": 90, "B": 75, "C": 60, "D": 50, "F": 0},
            bars={"pass": "random", "merit": "alphabeta-4", "shown": "pvs"},
            bar_marks={"pass": 20, "merit": 40, "shown": 0},
        )
        == SCHEME
    )
    assert table("") == Marks()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("play = 40", r"\[marks\]: unknown key 'play'; did you mean 'plays'?"),
        ("plays = -1", r"\[marks\]: plays: expected a number of marks from 0 to 1000000, got -1"),
        ('plays = "40"', "plays: expected a number, got '40'"),
        ("plays = nan", "plays: expected a number"),
        ("fault = 2", "fault: expected a deduction, a number from -1000000 to 0, got 2"),
        ("most_late = 20", "most_late: expected a deduction"),
        ("bars = 3", r"bars: expected a table, \[bars\], got 3"),
        ('bars.pass = "random"', r"pass: expected a table, \[pass\], got 'random'"),
        ("[bars.pass]\nmarks = 20", r"\[bars\]: \[pass\]: agent: missing"),
        ('[bars.pass]\nagent = "random"\nmark = 2', r"\[pass\]: unknown key 'mark'; did you mean 'marks'"),
        ("scale = {A = 90}", "scale: expected one grade that needs 0 marks, such as F = 0"),
        ("scale = {A = 90, B = 90, F = 0}", "scale: expected different marks for each grade"),
        ("scale = {A = 101, F = 0}", "scale: expected grades that need at most 100 marks, got 101"),
        ("scale = {A = true, F = 0}", "A: expected a number, got true"),
        ("scale = 5", r"expected a table, \[scale\], got 5"),
    ],
)
def test_mistakes_are_errors(text: str, message: str) -> None:
    with pytest.raises(BadLeague, match=message):
        table(text)


def test_the_example_of_the_page_can_be_used() -> None:
    page = (ROOT / "docs" / "course.md").read_text("utf-8")
    (example,) = re.findall(r"^```toml\n([^`]*^\[marks\]\n[^`]*)^```$", page, re.MULTILINE)
    shown = read_marks(Table(tomllib.loads(example)["marks"], "cs101.toml"))
    assert marked(shown, AgentResults(played=True, bars={"pass": BETTER}))[0] > shown.plays > 0


# Marks.


@pytest.mark.parametrize(
    ("results", "marks", "why"),
    [
        (PLAYED, 40, "plays 40"),
        (AgentResults(played=False), 0, "played no game 0"),
        (
            AgentResults(played=True, bars={"pass": BETTER, "merit": NOT_BETTER}),
            60,
            "plays 40, better than random 20, not better than alphabeta-4 0",
        ),
        (
            AgentResults(played=True, bars={"pass": BETTER, "merit": UNDECIDED}, faults=3),
            54,
            "plays 40, better than random 20, undecided against alphabeta-4 0, 3 faults -6",
        ),
        (AgentResults(played=True, faults=1, late_days=1), 33, "plays 40, 1 fault -2, 1 day late -5"),
        (AgentResults(played=True, faults=9, late_days=2), 20, "plays 40, 9 faults -10, 2 days late -10"),
        (AgentResults(played=True, late_days=30), 25, "plays 40, 30 days late -15"),
        (AgentResults(played=False, late_days=1), 0, "played no game 0, 1 day late -5 (at least 0)"),
        (AgentResults(played=True, bars={"merit": None}), 40, "plays 40"),
    ],
)
def test_marks_are_a_sum_and_say_why(results: AgentResults, marks: float, why: str) -> None:
    assert marked(SCHEME, results) == (marks, why)


def test_marks_end_at_the_largest_number() -> None:
    scheme = replace(SCHEME, most=50)
    assert marked(scheme, AgentResults(played=True, bars={"pass": BETTER})) == (
        50,
        "plays 40, better than random 20 (at most 50)",
    )


def test_tenths_add_up_exactly() -> None:
    scheme = table('plays = 0.1\nfault = -0.1\n[bars.pass]\nagent = "random"\nmarks = 0.2')
    assert columns(scheme, AgentResults(played=True, bars={"pass": BETTER})) == {
        "marks": 0.3,
        "marks_why": "plays 0.1, better than random 0.2",
    }
    assert columns(scheme, AgentResults(played=True, faults=1))["marks"] == 0


@pytest.mark.parametrize(
    ("marks", "grade"), [(100, "A"), (90, "A"), (89.99, "B"), (60, "C"), (50, "D"), (49, "F"), (0, "F")]
)
def test_a_grade_needs_its_marks(marks: float, grade: str) -> None:
    assert SCHEME.grade(marks) == grade


def test_a_student_who_is_not_entered_has_no_marks() -> None:
    assert columns(SCHEME, None) == {"marks": 0, "grade": "F", "marks_why": "not entered"}


VERDICTS = st.dictionaries(st.sampled_from(["pass", "merit", "shown"]), st.sampled_from([*Against, None]))


@given(VERDICTS, st.integers(0, 100), st.integers(0, 100), st.booleans())
def test_better_results_never_cost_marks(bars: dict[str, Against | None], faults: int, late: int, played: bool) -> None:
    results = AgentResults(played=played, bars=bars, faults=faults, late_days=late)
    marks, _ = marked(SCHEME, results)
    assert 0 <= marks <= SCHEME.most
    improved: list[dict[str, Any]] = [
        {"played": True},
        {"faults": faults // 2},
        {"late_days": late // 2},
        {"bars": bars | {"pass": BETTER}},
        {"bars": bars | {"merit": BETTER}},
    ]
    for change in improved:
        assert marked(SCHEME, replace(results, **change))[0] >= marks


# The grade list: the join with a roster, and the columns that a user chooses.


def joined(rows: list[dict[str, Any]], lines: list[dict[str, str]], on: str | None = None) -> list[dict[str, Any]]:
    """The list, joined by a column of the roster."""
    agents = agents_in_column(lines, [str(row["agent"]) for row in rows], on)
    return grading.joined(rows, list(zip(lines, agents, strict=True)), {})


ROWS = [{"agent": "ann", "rank": 1, "pass": "better"}, {"agent": "bob", "rank": 2, "pass": "undecided"}]


def line(**cells: str) -> dict[str, str]:
    """A line of a roster."""
    return cells


def test_a_roster_keeps_its_columns_in_their_order_and_its_lines_in_theirs() -> None:
    roster = [line(id="7", name="Bob B.", login="bob"), line(id="3", name="Ann A.", login="ann")]
    rows = joined(ROWS, roster)
    assert [list(row) for row in rows] == [["id", "name", "login", "agent", "rank", "pass"]] * 2
    assert [(row["id"], row["agent"], row["rank"]) for row in rows] == [("7", "bob", 2), ("3", "ann", 1)]


def test_columns_that_clash_are_all_kept_each_under_a_name_of_its_own() -> None:
    theirs = line(agent="ann", rank="ninth", arena_rank="tenth", arena_agent="x")
    (row, _) = joined(ROWS, [theirs])
    assert row == theirs | {"arena_arena_agent": "ann", "arena_arena_rank": 1, "pass": "better"}


@given(
    st.lists(st.sampled_from(["agent", "rank", "pass", "arena_rank", "arena_agent", "arena_arena_rank"]), unique=True),
    st.lists(st.sampled_from(["rank", "pass", "arena_rank", "arena_pass"]), unique=True),
)
def test_no_cell_is_ever_lost_whatever_the_columns_are_called(of_roster: list[str], ours: list[str]) -> None:
    row: dict[str, Any] = {"agent": "ann", **{title: f"our {title}" for title in ours}}
    told = {"login": "ann", **{title: f"their {title}" for title in of_roster}}
    (found,) = joined([row], [told], "login")
    assert list(found.items())[: len(told)] == list(told.items())
    assert sorted(found.values()) == sorted([*told.values(), *row.values()])


def test_who_is_not_on_the_roster_comes_last_and_who_did_not_play_stays_empty() -> None:
    rows = joined(ROWS, [line(name="Cy", login="cy"), line(name="Bob", login="bob")])
    assert [(row["name"], row["agent"], row["rank"]) for row in rows] == [
        ("Cy", "", ""),
        ("Bob", "bob", 2),
        ("", "ann", 1),
    ]


def test_a_student_without_an_agent_has_the_status_not_entered() -> None:
    rows = joined([{"agent": "ann", "status": "active"}], [line(login="cy"), line(login="ann")])
    assert [row["status"] for row in rows] == ["not entered", "active"]


def test_the_column_with_most_of_the_names_is_taken_unless_one_is_named() -> None:
    roster = [line(partner="bob", login="ann"), line(partner="", login=" bob ")]
    assert [row["agent"] for row in joined(ROWS, roster)] == ["ann", "bob"]
    assert [row["agent"] for row in joined(ROWS, roster, "partner")] == ["bob", "", "ann"]


def test_an_unknown_column_of_the_roster_is_an_error() -> None:
    with pytest.raises(BadRating, match=r"--on: no column 'logn' in the roster; did you mean 'login'"):
        joined(ROWS, [line(login="ann")], "logn")


@pytest.mark.parametrize("on", [None, "login"])
def test_the_error_of_a_roster_without_agents_has_its_columns_and_the_agents(on: str | None) -> None:
    with pytest.raises(BadRating, match=r"it has id, login\); agents are ann, bob$"):
        joined(ROWS, [line(id="1", login="Ann A.")], on)


def test_agents_are_found_by_alias_then_name_then_id_and_a_team_shares_one() -> None:
    text = "id,name,alias\n1,Ann,kestrel\n2,Bob,Kestrel\n3,Cy,\n4,Dan,\n5,Eve,merlin\n"
    found = agents_of(rosters.read(text, "roster.csv"), ["kestrel", "Cy", "4", "random"])
    assert found == {2: "kestrel", 3: "kestrel", 4: "Cy", 5: "4", 6: ""}


def test_a_team_whose_alias_is_not_always_written_alike_has_the_marks_of_its_agent() -> None:
    text = "id,name,alias\n1,Ann,Straße\n2,Bob,STRASSE\n"
    assert agents_of(rosters.read(text, "roster.csv"), ["Straße"]) == {2: "Straße", 3: "Straße"}


def test_no_two_students_have_the_marks_of_one_agent_unless_they_are_a_team() -> None:
    text = "id,name,alias\n1,Ann,\n2,Bob,owl\n3,Ann,\n"
    with pytest.raises(BadRoster, match=r"roster.csv, lines 2 and 4: both students .* marks of the agent 'Ann'"):
        agents_of(rosters.read(text, "roster.csv"), ["Ann", "owl"])


# A roster without aliases, such as the file of another learning system.

COURSE = "id,name,email,alias\n1,Anna Müller,anna@uni.example,fox\n2,Bo van der Berg,,owl\n3,Cy Lee,cy@uni.example,\n"
SYSTEMS = {
    "Moodle": (
        'Identifier,"Full name","Email address",Grade\n'
        '"Participant 11","Anna Mueller",ANNA@uni.example,\n"Participant 13","C. Lee",cy@uni.example,\n'
        '"Participant 12","Bo  van der berg",bo@uni.example,\n"Participant 14","Dan",dan@uni.example,\n',
        {2: "1", 3: "3", 4: "2"},
    ),
    "Canvas": (
        "Student,ID,SIS User ID,SIS Login ID,Section,Agent (8801)\n    Points Possible,,,,,100\n"
        '"van der Berg, Bo",102,a78,bberg,CS,\n"Müller, Anna",101,a77,anna@uni.example,CS,\n'
        '"Student, Test",9,,f0,CS,\n',
        {3: "2", 4: "1"},
    ),
    "Blackboard": (
        '\ufeff"Last Name"\t"First Name"\t"Username"\t"Agent [Total Pts: 100 Score] |77"\n'
        '"Lee"\t"Cy"\t"u3"\t""\n"Müller"\t"Anna"\t"u1"\t""\n',
        {2: "3", 3: "1"},
    ),
    "with the ids of the course": ("Login,Name\n3,Someone\n1,Anna\n", {2: "3", 3: "1"}),
}


@pytest.mark.parametrize("system", SYSTEMS)
def test_students_are_found_in_the_courses_roster_by_id_or_address_or_name(system: str) -> None:
    text, ids = SYSTEMS[system]
    found = students_of(rosters.read(text, "gradebook"), rosters.read(COURSE, "course.csv"))
    assert {line: student.id for line, student in found.items()} == ids


@pytest.mark.parametrize(
    ("course", "text", "message"),
    [
        ("id,name\n1,Ann\n2,Bo\n3,Ann\n", "id,name\n9,Ann\n", "g, line 2: .* but lines 2 and 4 there both match"),
        ("id,name\n1,Ann\n2,Bo\n", "id,name\n1,Bo\n", "g, line 2: .* but lines 2 and 3 there both match"),
        ("id,name,email\n1,Ann,a@b\n2,Bo,b@b\n", "id,name,email\n2,,a@b\n", "lines 2 and 3 there both match"),
        ("id,name\n1,Ann\n", "id,name\n8,Ann\n9,Ann\n", "g, lines 2 and 3: both match line 2 of c by id"),
    ],
    ids=["namesakes", "id and name", "id and address", "two lines"],
)
def test_no_line_has_the_marks_of_a_student_who_may_be_another(course: str, text: str, message: str) -> None:
    with pytest.raises(BadRoster, match=message):
        students_of(rosters.read(text, "g"), rosters.read(course, "c"))


def test_an_id_or_an_address_distinguishes_namesakes() -> None:
    course = rosters.read("id,name,email\n1,Ann,a@b\n2,Ann,\n3,Ann,c@b\n", "c")
    found = students_of(rosters.read("id,name,email\n2,Ann,\n9,Ann,c@b\n", "g"), course)
    assert {line: student.id for line, student in found.items()} == {2: "2", 3: "3"}


def test_members_of_a_team_have_the_row_of_their_agent_and_others_come_last_or_not_at_all() -> None:
    columns = ("agent", "status", "marks")
    rows = [dict(zip(columns, cells, strict=True)) for cells in (("ann", "active", 40), ("random", "active", ""))]
    lines = [(line(id="1"), "ann"), (line(id="2"), ""), (line(id="3"), "ann")]
    found = grading.joined(rows, lines, {"marks": 0})
    assert [(row["id"], row["status"], row["marks"]) for row in found] == [
        *[("1", "active", 40), ("2", "not entered", 0), ("3", "active", 40)],
        ("", "active", ""),
    ]
    assert grading.joined(rows, lines, {"marks": 0}, others=False) == found[:3]


@given(st.lists(st.sampled_from(["ann", "bob", "cy", ""]), min_size=1))
def test_every_student_is_in_the_list_exactly_once_and_in_order(agents: list[str]) -> None:
    lines = [(line(id=str(number)), agent) for number, agent in enumerate(agents)]
    found = grading.joined([{"agent": "ann", "status": ""}, {"agent": "bob", "status": ""}], lines, {}, others=False)
    assert [row["id"] for row in found] == [cells["id"] for cells, _ in lines]


# Columns.

ROW = {"id": "7", "Last, first": "A", "a=b": "c", "agent": "ann", "marks": 60}


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("id", {"id": "7"}),
        ("id,Grade=marks", {"id": "7", "Grade": 60}),
        (" id , Grade = marks ", {"id": "7", "Grade": 60}),
        ("Grade=marks,Again=marks", {"Grade": 60, "Again": 60}),
        ('"Last, first",marks', {"Last, first": "A", "marks": 60}),
        ('"Points, of 100=marks"', {"Points, of 100": 60}),
        ("a=b,x=y=a", None),
        ("a=b,x=y=agent", {"a=b": "c", "x=y": "ann"}),
    ],
)
def test_columns_are_chosen_and_renamed(wanted: str, found: dict[str, Any] | None) -> None:
    if found is None:
        with pytest.raises(BadRating, match="no column 'a'"):
            chosen([ROW], wanted)
    else:
        (row,) = chosen([ROW], wanted)
        assert list(row.items()) == list(found.items())


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("id,mark", r"--columns: no column 'mark'; did you mean 'marks'\?"),
        ("Identifier", r"no column 'Identifier'; there is id; Last, first; a=b; agent; marks"),
        ("Grade=", "no column ''"),
        ("id,,marks", "expected columns such as id,Grade=marks, got 'id,,marks'"),
        ("", "expected columns such as"),
        ('"id', "expected columns such as"),
        ("id\nmarks", "expected columns such as"),
        ("id,id", "--columns: 'id' is given twice"),
        ("A=id,A=marks", "--columns: 'A' is given twice"),
    ],
)
def test_columns_that_do_not_exist_are_an_error(wanted: str, message: str) -> None:
    with pytest.raises(BadRating, match=message):
        chosen([ROW], wanted)


# The results of agents that marks depend on.


def test_days_late_are_read_from_what_was_collected(tmp_path: Path) -> None:
    description = tmp_path / "cs101.toml"
    description.write_text('game = "connect4"\nplayers = ["cs101.collected.toml", "agents/*"]\n')
    assert late_days(description) == {}
    one = 'version = 1\nsource = "0"\nstarted_as = "agent.py"\n'
    (tmp_path / "cs101.collected.toml").write_text(
        f'[[agent]]\nname = "ann"\n{one}[[agent]]\nname = "bob"\nlate_days = 2\n{one}'
    )
    assert late_days(description) == {"bob": 2}
    description.write_text('game = "connect4"\nplayers = "*.collected.toml"\n')
    assert late_days(description) == {"bob": 2}


# The preview of grades: undecided bars, and the marks that they can change.


PREVIEWED = Marks(
    plays=40,
    fault=-2,
    scale={"A": 90, "C": 60, "F": 0},
    bars={"pass": "random", "merit": "pvs"},
    bar_marks={"pass": 20, "merit": 40},
)
BARS = {
    "ann": {"pass": Bar(BETTER, 0.99, [], BETTER), "merit": Bar(UNDECIDED, 0.9, [], BETTER, 12)},
    "bob": {"pass": Bar(UNDECIDED, 0.2, [], NOT_BETTER, 40), "merit": Bar(NOT_BETTER, 0.01, [], NOT_BETTER)},
    "cy": {"pass": Bar(BETTER, 0.99, [], BETTER), "merit": Bar(NOT_BETTER, 0.01, [], NOT_BETTER)},
    "dan": {"pass": Bar(UNDECIDED, 0.5, [], UNDECIDED), "merit": Bar(UNDECIDED, 0.5, [], UNDECIDED)},
}
RESULTS = {
    name: AgentResults(played=True, bars={title: bar.stands for title, bar in bars.items()}, faults=name == "bob")
    for name, bars in BARS.items()
}


def test_undecided_bars_are_listed_with_what_they_change() -> None:
    rows = preview(["ann", "bob", "cy", "dan"], BARS, RESULTS, PREVIEWED)
    assert rows == [
        {
            "agent": "ann",
            "marks": 60,
            "grade": "C",
            "marks_most": 100,
            "grade_most": "A",
            "marks_next": 100,
            "grade_next": "A",
            "undecided": [{"bar": "merit", "more": 12, "next": "better"}],
        },
        {
            "agent": "bob",
            "marks": 38,
            "grade": "F",
            "marks_most": 58,
            "grade_most": "F",
            "marks_next": 38,
            "grade_next": "F",
            "undecided": [{"bar": "pass", "more": 40, "next": "not better"}],
        },
        {
            "agent": "dan",
            "marks": 40,
            "grade": "F",
            "marks_most": 100,
            "grade_most": "A",
            "marks_next": 40,
            "grade_next": "F",
            "undecided": [
                {"bar": "pass", "more": None, "next": "undecided"},
                {"bar": "merit", "more": None, "next": "undecided"},
            ],
        },
    ]


def test_only_the_agents_that_are_asked_for_are_listed_and_marks_need_a_scheme() -> None:
    assert preview(["bob", "new"], BARS, RESULTS, None) == [
        {"agent": "bob", "undecided": [{"bar": "pass", "more": 40, "next": "not better"}]}
    ]
    assert preview([], BARS, RESULTS, PREVIEWED) == []


def test_an_agent_that_plays_no_more_stays_undecided() -> None:
    (ann,) = preview(["ann"], BARS, RESULTS, PREVIEWED, out={"ann"})
    assert (ann["marks"], ann["marks_most"], ann["marks_next"]) == (60, 100, 60)
    assert ann["undecided"] == [{"bar": "merit", "more": None, "next": "undecided"}]
