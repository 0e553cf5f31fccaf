"""The preview of grades: undecided bars, and the marks that they can change."""

from __future__ import annotations

from arena.course.grading import Marks, preview
from arena.course.grading.grades import AgentResults
from arena.ratings.grades import Against, Bar

BETTER, NOT_BETTER, UNDECIDED = Against.BETTER, Against.NOT_BETTER, Against.UNDECIDED
SCHEME = Marks(
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
    rows = preview(["ann", "bob", "cy", "dan"], BARS, RESULTS, SCHEME)
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
    assert preview([], BARS, RESULTS, SCHEME) == []


def test_an_agent_that_plays_no_more_stays_undecided() -> None:
    (ann,) = preview(["ann"], BARS, RESULTS, SCHEME, out={"ann"})
    assert (ann["marks"], ann["marks_most"], ann["marks_next"]) == (60, 100, 60)
    assert ann["undecided"] == [{"bar": "merit", "more": None, "next": "undecided"}]
