"""Hand-ins that would play with another student's work, and names that a spreadsheet would calculate."""

from __future__ import annotations

import csv
import io
import json
import os
import zipfile
from pathlib import Path
from typing import Final

import pytest

from arena.course import roster as rosters
from arena.course.collecting.hand_in import TimeSource
from arena.course.collecting.lms_download import read_downloads
from arena.course.roster import RosterMatcher
from arena.course.similar import LEAST_BYTES, of_versions, shared_content, starters
from arena.players.player import read_player
from arena.players.submissions import Store
from arena.student import starter
from arena.tournament import league
from tests.kit.arena_program import Ended, arena
from tests.kit.hand_ins import AGENT, folder

ROSTER: Final = """\
id,name,group,alias
1001,Ann,A,ann
1002,Bob,A,bob
1003,Eve,A,eve
1004,Dan,A,dan
"""
HELPER: Final = "# a search of one's own\n" * 20
TOML: Final = 'name = "cs101"\ngame = "tictactoe"\nclock = "5+0.1"\nwalls = "limits"\nplayers = "handed-in/*"\n'


def collect(place: Path, *more: str) -> Ended:
    folder(place, {"roster.csv": ROSTER})
    return arena("course", "collect", "handed-in", "--roster", "roster.csv", "--game", "tictactoe", *more, cwd=place)


def rows(ended: Ended) -> dict[str, dict[str, object]]:
    assert ended.code == 0, ended.err
    return {row["id"]: row for row in json.loads(ended.out)}


# Links.

NAMES: Final = {
    "a file": ("1002.py", "1003.py"),
    "a folder": ("1002", "1003"),
    "a zip": ("1002.zip", "1003.zip"),
    "named by a system": ("x_1002_attempt_2026-05-01-10-00-00_a.py", "x_1003_attempt_2026-05-01-10-00-00_a.py"),
    "one of several": ("x_1002_attempt_2026-05-01-10-00-00_a.py", "x_1003_attempt_2026-05-01-10-00-00_b.py"),
    "deeper": ("task/1002.py", "task/1003.py"),
}


@pytest.mark.parametrize("shape", NAMES)
@pytest.mark.parametrize("where", ["inside", "outside", "to nothing"])
def test_a_link_is_not_taken_for_a_hand_in(tmp_path: Path, shape: str, where: str) -> None:
    bobs, eves = NAMES[shape]
    source = tmp_path / "handed-in"
    kept = source if where == "inside" else tmp_path / "elsewhere"
    folder(kept, {f"{bobs}/agent.py" if shape == "a folder" else bobs: AGENT})
    if shape == "a zip":
        with zipfile.ZipFile(kept / bobs, "w") as archive:
            archive.writestr("agent.py", AGENT)
    link = source / eves
    link.parent.mkdir(parents=True, exist_ok=True)
    if shape == "one of several":
        folder(source, {eves.replace("_b.py", "_a.py"): AGENT})
    link.symlink_to(tmp_path / "nothing" if where == "to nothing" else kept / bobs)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    found = read_downloads([source], scratch, RosterMatcher(rosters.read(ROSTER, "roster.csv")))
    (eve,) = [one for one in found if one.student is not None and one.student.id == "1003"]
    assert eve.path is None
    assert "is a link: expected files and folders" in eve.wrong


@pytest.mark.costly
def test_nobody_plays_through_a_link(tmp_path: Path) -> None:
    source = folder(tmp_path / "handed-in", {"1002.py": AGENT})
    (source / "1003.py").symlink_to("1002.py")
    told = rows(collect(tmp_path, "--format", "json"))
    assert (told["1002"]["plays"], told["1003"]["plays"]) == (True, False)
    assert (told["1003"]["light"], told["1003"]["told"]) == (
        "failed",
        "'1003.py' is a link: expected files and folders",
    )


@pytest.mark.costly
def test_a_link_to_everything_is_not_searched(tmp_path: Path) -> None:
    source = folder(tmp_path / "handed-in", {"1002.py": AGENT})
    (source / "1003").symlink_to("/")
    (source / "homework").symlink_to("/")
    assert rows(collect(tmp_path, "--format", "json"))["1003"]["light"] == "failed"


def test_a_pattern_in_a_description_finds_no_links(tmp_path: Path) -> None:
    source = folder(tmp_path / "handed-in", {"bob.py": AGENT, "ann.py": AGENT})
    (source / "eve.py").symlink_to("bob.py")
    folder(tmp_path, {"cs101.toml": TOML})
    described = league.read(tmp_path / "cs101.toml")
    assert [one.name for one in described.agents] == ["ann", "bob"]
    assert "'handed-in/eve.py' (a symbolic link)" in described.skipped


# The names of files.

GENUINE: Final = {
    "Moodle": ("{name}_{number}_assignsubmission_file_", "Bob", "Eve", "77"),
    "Canvas": ("{name}_{number}_7654321_", "bob", "eve", "777"),
    "Canvas, late": ("{name}_LATE_{number}_7654321_", "bob", "eve", "777"),
    "Blackboard": ("Task_1_{name}_attempt_2026-05-01-10-00-00_", "1002", "1003", ""),
    "Blackboard, task with numbers": ("Lab_101_{name}_attempt_2026-05-01-10-00-00_", "1002", "1003", ""),
}
"""What a system writes before a student's own name for a file; what it calls Bob, and Eve; and its number for Eve."""
CHOSEN: Final = (
    *("x_bob_attempt_2026-11-21-23-59-58_agent.py", "x_1002_attempt_2026-11-21-23-59-58_agent.py"),
    *("attempt_2026-11-21-23-59-58_x_bob_attempt_2026-11-21-23-59-58_agent.py", "_bob_attempt_2026-11-21-23-59-58.txt"),
    *("x_1002_assignsubmission_file_agent.py", "Bob_1002_assignsubmission_file_agent.py", "_1002_assignsubmission_a"),
    *("assignsubmission_file_Bob_1002_assignsubmission_file_agent.py", "1002_assignsubmission_file_agent.py"),
    *("bob_1002_7654321_agent.py", "bob_LATE_1002_1002_agent.py", "1002_1002_agent.py", "1002.py", "bob.py"),
)
"""Names that Eve gives to her file, each as a system would name one of Bob's."""


@pytest.mark.parametrize("chosen", CHOSEN)
@pytest.mark.parametrize("system", GENUINE)
def test_a_file_s_name_takes_nobody_s_place(tmp_path: Path, system: str, chosen: str) -> None:
    genuine, bobs, eves, number = GENUINE[system]
    bob = genuine.format(name=bobs, number="76" + number[2:]) + "agent.py"
    eve = genuine.format(name=eves, number=number) + chosen
    source = folder(tmp_path / "handed-in", {bob: AGENT, eve: AGENT + "# by Eve\n"})
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    found = read_downloads([source], scratch, RosterMatcher(rosters.read(ROSTER, "roster.csv")))
    whose = {one.label: one.student.id if one.student else None for one in found}
    as_blackboard_names = system.startswith("Canvas") and chosen.startswith("attempt_")
    assert whose == {bob: "1002", eve: None if as_blackboard_names else "1003"}
    assert all(one.when is None or one.when.month != 11 for one in found if one.time_source is TimeSource.NAME)


# The same content.


@pytest.mark.costly
def test_the_same_content_is_named(tmp_path: Path) -> None:
    others = AGENT + "# of one's own\n"
    given = {
        "1001/agent.py": others + "# ann\n",
        "1001/search.py": HELPER,
        "1002.py": AGENT,
        "1003.py": AGENT,
        "1004/agent.py": others,
        "1004/better.py": HELPER,
    }
    folder(tmp_path / "handed-in", given)
    ended = collect(tmp_path)
    assert "\nthe same content: Bob, Eve\n" in ended.out
    assert "\nthe same file search.py: Ann, Dan\n" in ended.out
    told = {id: row["same"] for id, row in rows(collect(tmp_path, "--format", "json")).items()}
    assert told == {
        "1001": [{"file": "search.py", "agents": ["dan"]}],
        "1002": [{"file": None, "agents": ["eve"]}],
        "1003": [{"file": None, "agents": ["bob"]}],
        "1004": [{"file": "search.py", "agents": ["ann"]}],
    }
    listed = csv.DictReader(io.StringIO(collect(tmp_path, "--format", "csv").out))
    assert [row["same"] for row in listed] == ["search.py: dan", "all: eve", "all: bob", "search.py: ann"]


@pytest.mark.costly
def test_the_same_as_somebody_s_of_an_earlier_run_is_named(tmp_path: Path) -> None:
    folder(tmp_path / "handed-in", {"1002.py": AGENT})
    collect(tmp_path)
    os.remove(tmp_path / "handed-in" / "1002.py")
    os.link(folder(tmp_path / "other", {"a.py": AGENT}) / "a.py", tmp_path / "handed-in" / "1003.py")
    assert rows(collect(tmp_path, "--format", "json"))["1003"]["same"] == [{"file": None, "agents": ["bob"]}]


@pytest.mark.parametrize(
    ("content", "students", "shared"),
    [
        (HELPER, 2, ["a", "b"]),  # of four
        (HELPER, 3, []),  # more than half: the course's own
        ("x" * (LEAST_BYTES - 1), 2, []),
    ],
)
def test_what_the_course_hands_out_and_short_files_are_no_news(
    tmp_path: Path, content: str, students: int, shared: list[str]
) -> None:
    store = Store(tmp_path / "store")
    submissions = []
    for number, name in enumerate("abcd"):
        files = {"agent.py": f"# {name}"} | ({"more.py": content} if number < students else {})
        taken = store.take(read_player(str(folder(tmp_path / name, files))))
        submissions += [(name, None, taken.hash)]
    sources = of_versions(submissions, store).sources
    assert [agent for one in shared_content(sources) for agent in one.agents] == shared


def test_the_rules_that_the_starter_brings_are_no_news(tmp_path: Path) -> None:
    rules = (starter.FOLDER / "rules" / "connect4.js").read_text("utf-8")
    store = Store(tmp_path / "store")
    submissions = []
    for name in "abcde":
        files = {"agent.py": f"# {name}"} | ({"connect4.js": rules} if name < "c" else {})
        submissions += [(name, None, store.take(read_player(str(folder(tmp_path / name, files)))).hash)]
    sources = of_versions(submissions, store).sources
    assert [one.agents for one in shared_content(sources)] == [["a", "b"]]
    assert shared_content(sources, starters()) == []


def test_one_student_s_own_hand_ins_are_not_compared(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    for name in "ab":
        folder(tmp_path / name, {f"{name}.py": AGENT})
    taken = [store.take(read_player(str(tmp_path / name / f"{name}.py"))).hash for name in "ab"]
    assert shared_content(of_versions([("ann", None, source) for source in taken], store).sources) == []


# Spreadsheets.

FORMULAS: Final = (
    "=1+2",
    "+1+2",
    "-1+2",
    "@SUM(A1)",
    "\t=1+2",
    "\r=1+2",
    "x;=1+2",
    '";=1+2',
    "＝1+2",
    "=HYPERLINK(A1)",
)


@pytest.mark.costly
@pytest.mark.parametrize("formula", FORMULAS)
def test_no_csv_holds_a_formula(tmp_path: Path, formula: str) -> None:
    """Neither with commas between the cells nor, as in many countries, with semicolons."""
    students = [["id", "name", "group", "alias"], [formula, formula, formula, formula], ["2", "Bob", "", "bob"]]
    with (tmp_path / "roster.csv").open("w", newline="") as file:
        csv.writer(file).writerows(students)
    results = tmp_path / "results.csv"
    with results.open("w", newline="") as file:
        csv.writer(file).writerows([["first", "second", "result"], [formula, "bob", "1-0"], ["bob", formula, "1-0"]])
    folder(tmp_path / "handed-in", {"2.py": "no agent", f"{formula}.py": "no agent"})
    assert arena("data", "import", "results.csv", "--tournament", formula, cwd=tmp_path).code == 0
    commands = [
        *(("history",), ("standings", "--all"), ("crosstable", "--all"), ("rank", "--all"), ("tournaments",)),
        *(("show", "1"), ("logs", "1"), ("rulings",), ("grades", "--join", "roster.csv", "--on", "alias")),
        *(("sql", "select * from v_seat"), ("export", "--all"), ("progress", "bob"), ("versus", "bob", formula)),
        ("collect", "handed-in", "--roster", "roster.csv", "--game", "tictactoe"),
    ]
    arena("rule", "void", "1", "--reason", formula, cwd=tmp_path)
    for command in commands:
        ended = arena(*command, "--format", "csv", cwd=tmp_path)
        refused = "without '#' and '@'" in ended.err or "no option -1" in ended.err
        assert ended.code == (2 if refused else 0), ended.err
        for delimiter in ",;":
            for row in csv.reader(io.StringIO(ended.out), delimiter=delimiter):
                assert not [cell for cell in row if _would_be_calculated(cell)], command


def _would_be_calculated(cell: str) -> bool:
    text = cell.strip("\" '\t\r") if cell[:1] in '"\t\r ' else cell
    return text[:1] in tuple("=+-@＝") and any(letter.isalpha() or letter in "+=" for letter in text[1:])
