"""The grade list: the join with a roster, and the columns that a user chooses."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.course import roster as rosters
from arena.course.grading import grade_list
from arena.course.grading.grade_list import agents_in_column, agents_of, chosen, students_of
from arena.errors import BadRating, BadRoster


def joined(rows: list[dict[str, Any]], lines: list[dict[str, str]], on: str | None = None) -> list[dict[str, Any]]:
    """The list, joined by a column of the roster."""
    agents = agents_in_column(lines, [str(row["agent"]) for row in rows], on)
    return grade_list.joined(rows, list(zip(lines, agents, strict=True)), {})


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
    found = grade_list.joined(rows, lines, {"marks": 0})
    assert [(row["id"], row["status"], row["marks"]) for row in found] == [
        *[("1", "active", 40), ("2", "not entered", 0), ("3", "active", 40)],
        ("", "active", ""),
    ]
    assert grade_list.joined(rows, lines, {"marks": 0}, others=False) == found[:3]


@given(st.lists(st.sampled_from(["ann", "bob", "cy", ""]), min_size=1))
def test_every_student_is_in_the_list_exactly_once_and_in_order(agents: list[str]) -> None:
    lines = [(line(id=str(number)), agent) for number, agent in enumerate(agents)]
    found = grade_list.joined([{"agent": "ann", "status": ""}, {"agent": "bob", "status": ""}], lines, {}, others=False)
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
