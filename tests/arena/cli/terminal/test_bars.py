"""Standings on the terminal and for programs: a knockout with its bracket, a gauntlet in two parts."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest

from agents.protocol import Verdict
from arena.cli.play.tournament_display import TournamentDisplay
from arena.match.schedule import Planned
from arena.tournament import league as leagues
from db.database import Database
from tests.arena.tournament.test_tournament import Course, first_wins
from tests.kit.sample_commands import asked, document


def earlier_name_wins(game: Planned) -> tuple[Verdict, int | None, tuple[float, ...]]:
    """But bob and cid draw."""
    names = [entrant.name for entrant in game.entrants]
    if set(names) == {"bob", "cid"}:
        return Verdict.NORMAL, None, (0.5, 0.5)
    return Verdict.NORMAL, None, tuple(float(name == min(names)) for name in names)


@pytest.fixture
def cup(tmp_path: Path) -> Course:
    """A knockout of five."""
    course = Course(tmp_path)
    for name in ("dot", "eve"):
        course.write_agent(name)
    course.describe(format="knockout", seeds=["ann", "bob", "cid", "dot", "eve"], repeats=2)
    course.run(earlier_name_wins)
    return course


@pytest.fixture
def gauntlet(tmp_path: Path) -> Course:
    """Three meet the two whom the gauntlet names."""
    course = Course(tmp_path)
    for name in ("aaa", "zzz"):
        course.write_agent(name)
    course.describe(format="gauntlet", gauntlet=["aaa", "zzz"])
    course.run(earlier_name_wins)
    return course


def file(course: Course) -> Path:
    return course.folder / "arena.db"


def test_the_bracket_stands_below_the_standings(cup: Course) -> None:
    ended = asked(file(cup), "standings", "cs101")
    table, bracket, *_ = ended.out.split("\n\n")
    assert [re.split(r"  +", line)[:2] + re.split(r"  +", line)[-2:] for line in table.splitlines()[1:]] == [
        ["1", "ann", "4", "winner"],
        ["2", "bob", "3", "final"],
        ["3", "cid", "3", "round 2"],
        ["4", "dot", "2", "round 2"],
        ["5", "eve", "0", "round 1"],
    ]
    assert bracket.splitlines() == [
        "Bracket (the number after a name is its seed)",
        "Round 1",
        "  ann (1) has a bye",
        "  dot (4) beat eve (5) 2-0",
        "  bob (2) has a bye",
        "  cid (3) has a bye",
        "Round 2",
        "  ann (1) beat dot (4) 2-0",
        "  bob (2) and cid (3) tied 3-3: bob goes through as the higher seed",
        "Final",
        "  ann (1) beat bob (2) 2-0",
        "ann wins the knockout",
    ]


def test_programs_are_told_seeds_and_series(cup: Course) -> None:
    rows = {row["name"]: row for row in document(file(cup), "standings")}
    assert [(row["rank"], row["seed"]) for row in rows.values()] == [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5)]
    nobody: dict[str, Any] = {"games": 0, "points": 0.0, "opponent_points": 0.0}
    assert rows["bob"]["series"] == [
        {"round": 1, "opponent": None, "opponent_seed": None, **nobody, "through": True, "why": "bye"},
        {
            "round": 2, "opponent": "cid", "opponent_seed": 3, "games": 6, "points": 3.0, "opponent_points": 3.0,
            "through": True, "why": "tied, higher seed",
        },
        {
            "round": 3, "opponent": "ann", "opponent_seed": 1, "games": 2, "points": 0.0, "opponent_points": 2.0,
            "through": False, "why": "won",
        },
    ]  # fmt: skip
    table = csv.DictReader(io.StringIO(asked(file(cup), "standings", "--format", "csv").out, newline=""))
    reached = [("ann", "winner"), ("bob", "final"), ("cid", "round 2"), ("dot", "round 2"), ("eve", "round 1")]
    assert [(row["name"], row["reached"]) for row in table] == reached


def test_points_from_byes_are_marked(tmp_path: Path) -> None:
    course = Course(tmp_path)
    course.describe(format="swiss", rounds=2)
    course.run(earlier_name_wins)
    *lines, legend = asked(file(course), "standings", "cs101").out.partition("\n\n")[0].splitlines()
    assert legend.startswith("bye: points for rounds without an opponent")
    table = [line.split() for line in lines]
    marked = table[0].index("bye")
    byes = {line[1]: line[marked] for line in table[1:] if line[marked].startswith("+")}
    assert sorted(byes.values()) == ["+2", "+2"]
    rows = document(file(course), "standings")
    assert {row["name"]: f"+{row['byes']:g}" for row in rows if row["byes"]} == byes
    assert all(row["points"] == row["wins"] + row["draws"] / 2 + row["byes"] for row in rows)


@pytest.mark.parametrize("command", [["crosstable"], ["rank", "--system", "points"], ["grades"]])
def test_a_knockout_is_in_the_same_order_wherever_it_is_ranked_by_points(cup: Course, command: list[str]) -> None:
    found: Any = document(file(cup), *command)
    listed = found if isinstance(found, list) else found["players"]
    names = [row if isinstance(row, str) else row.get("name") or row["agent"] for row in listed]
    assert names == ["ann", "bob", "cid", "dot", "eve"]


def test_the_end_of_a_run_says_who_wins_the_knockout(cup: Course, capsys: pytest.CaptureFixture[str]) -> None:
    display = TournamentDisplay(leagues.read(cup.folder / "cs101.toml"))
    with cup.opened() as tournament, Database(str(file(cup))) as database:
        display.conclude(tournament, database)
    out = capsys.readouterr().out
    assert "\nann wins the knockout\ncs101 is finished: " in out


def test_long_names_do_not_make_the_bracket_wider_than_the_screen(tmp_path: Path) -> None:
    course = Course(tmp_path)
    for name in ("x" * 40, "y" * 40, "z" * 40):
        course.write_agent(name)
    course.describe(format="knockout")
    course.run(first_wins)
    bracket = asked(file(course), "standings", "cs101").out.partition("\n\n")[2]
    assert max(map(len, bracket.splitlines())) <= 80
    assert "x" * 40 in bracket


def test_those_whom_a_gauntlet_names_have_a_table_of_their_own(gauntlet: Course) -> None:
    students, named, *_ = asked(file(gauntlet), "standings", "cs101").out.split("\n\n")
    assert [line.split()[:3] for line in students.splitlines()[1:]] == [
        ["1", "ann", "4"],
        ["1", "bob", "4"],
        ["1", "cid", "4"],
    ]
    assert named.startswith("The gauntlet: ")
    assert [line.split()[:3] for line in named.splitlines()[2:]] == [["1", "aaa", "6"], ["2", "zzz", "6"]]
    assert [row["apart"] for row in document(file(gauntlet), "standings")] == [False] * 3 + [True] * 2


def test_grades_give_no_rank_to_those_whom_a_gauntlet_names(gauntlet: Course) -> None:
    rows = {row["agent"]: row["rank"] for row in document(file(gauntlet), "grades")}
    assert list(rows) == ["ann", "bob", "cid", "aaa", "zzz"]
    assert (rows["ann"], rows["aaa"], rows["zzz"]) == (1, None, None)
    lines = asked(file(gauntlet), "grades", "--format", "table").out.splitlines()
    assert [line.split()[:2] for line in lines[-2:]] == [["aaa", "-"], ["zzz", "-"]]
