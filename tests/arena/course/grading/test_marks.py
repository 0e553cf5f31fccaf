"""The table [marks]: what is read, and what results are worth."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.course.grading.grades import Results
from arena.course.grading.marks import Marks, columns, marked, read
from arena.errors import BadLeague
from arena.ratings.grades import Against
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
PLAYED = Results(played=True)
BETTER, NOT_BETTER, UNDECIDED = Against.BETTER, Against.NOT_BETTER, Against.UNDECIDED


def table(text: str) -> Marks:
    """What is read from this table."""
    return read(Table(tomllib.loads(text), "cs101.toml: [marks]"))


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
    shown = read(Table(tomllib.loads(example)["marks"], "cs101.toml"))
    assert marked(shown, Results(played=True, bars={"pass": BETTER}))[0] > shown.plays > 0


# Marks.


@pytest.mark.parametrize(
    ("results", "marks", "why"),
    [
        (PLAYED, 40, "plays 40"),
        (Results(played=False), 0, "played no game 0"),
        (
            Results(played=True, bars={"pass": BETTER, "merit": NOT_BETTER}),
            60,
            "plays 40, better than random 20, not better than alphabeta-4 0",
        ),
        (
            Results(played=True, bars={"pass": BETTER, "merit": UNDECIDED}, faults=3),
            54,
            "plays 40, better than random 20, undecided against alphabeta-4 0, 3 faults -6",
        ),
        (Results(played=True, faults=1, late_days=1), 33, "plays 40, 1 fault -2, 1 day late -5"),
        (Results(played=True, faults=9, late_days=2), 20, "plays 40, 9 faults -10, 2 days late -10"),
        (Results(played=True, late_days=30), 25, "plays 40, 30 days late -15"),
        (Results(played=False, late_days=1), 0, "played no game 0, 1 day late -5 (at least 0)"),
        (Results(played=True, bars={"merit": None}), 40, "plays 40"),
    ],
)
def test_marks_are_a_sum_and_say_why(results: Results, marks: float, why: str) -> None:
    assert marked(SCHEME, results) == (marks, why)


def test_marks_end_at_the_largest_number() -> None:
    scheme = replace(SCHEME, most=50)
    assert marked(scheme, Results(played=True, bars={"pass": BETTER})) == (
        50,
        "plays 40, better than random 20 (at most 50)",
    )


def test_tenths_add_up_exactly() -> None:
    scheme = table('plays = 0.1\nfault = -0.1\n[bars.pass]\nagent = "random"\nmarks = 0.2')
    assert columns(scheme, Results(played=True, bars={"pass": BETTER})) == {
        "marks": 0.3,
        "marks_why": "plays 0.1, better than random 0.2",
    }
    assert columns(scheme, Results(played=True, faults=1))["marks"] == 0


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
    results = Results(played=played, bars=bars, faults=faults, late_days=late)
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
