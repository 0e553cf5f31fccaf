"""Assignments: the questions of a TOML file with their points, what a student's file earns, and Gradescope's document.

Pure, except that `read` reads the file. A question is one function or method; `judging.py` says on which trees it is
right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from adsearch.errors import meant
from arena.course.lecture import questions
from arena.course.lecture.judging import TreeVerdict, common_cause, smallest_failed
from arena.course.lecture.questions import JudgedAlgorithm
from arena.history.words import number, printable
from arena.tournament.description import Table, read_toml

VISIBILITY: Final = ("visible", "hidden", "after_due_date", "after_published")
"""When Gradescope shows a question to students."""
_KEYS: Final = ("name", "function", "as", "points", "partial", "visibility")


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedQuestion:
    """A question of an assignment."""

    name: str
    function: str
    """A function, or Class.method."""
    algorithm: JudgedAlgorithm
    points: float
    partial: bool
    """Whether each right tree earns its share of the points; otherwise all trees must be right."""
    visibility: str


@dataclass(frozen=True, slots=True)
class Grade:
    """What a file earned for a question."""

    question: GradedQuestion
    right: int
    """The number of trees on which it is right."""
    trees: int
    why: str
    """What is wrong, in one line; empty if nothing is."""

    @property
    def points(self) -> float:
        """The points that it earned."""
        if self.right == self.trees:
            return self.question.points
        return round(self.question.points * self.right / self.trees, 2) if self.question.partial else 0.0


def read(file: Path) -> tuple[GradedQuestion, ...]:
    """The questions of the assignment in `file`; BadLeague says what is wrong in it."""
    keys = Table(read_toml(file, "an assignment"), str(file))
    keys.only(("question",))
    found = [
        _read_question(Table(table, f"{file}: [[question]] {at}"))
        for at, table in enumerate(keys.tables("question"), start=1)
    ]
    if not found:
        keys.fail("expected tables, each starting with [[question]]", "question")
    names = [question.name for question in found]
    if twice := next((name for at, name in enumerate(names) if name in names[:at]), None):
        keys.fail(f"two questions have the name {twice!r}", "question")
    return tuple(found)


def _read_question(keys: Table) -> GradedQuestion:
    keys.only(_KEYS)
    function = keys.text("function")
    if not questions.is_function_or_method(function):
        keys.fail(f"expected a function or Class.method, got {function!r}", "function")
    names = questions.algorithm_names()
    algorithm = keys.text("as", questions.named_after(function) or " ")
    if not algorithm.strip():
        keys.fail(f"missing; expected the algorithm of {function!r}: {', '.join(names)}", "as")
    if algorithm not in names:
        keys.fail(f"expected an algorithm that can be judged, got {algorithm!r}{meant(algorithm, names)}", "as")
    found = questions.find_algorithm(algorithm)
    if "." in function and not found.judges_methods:
        keys.fail(f"expected an algorithm for MAX and MIN, because a method is judged, got {algorithm!r}", "as")
    return GradedQuestion(
        name=keys.name("name", function),
        function=function,
        algorithm=found,
        points=keys.share("points", 1.0),
        partial=keys.flag("partial", default=False),
        visibility=keys.word("visibility", VISIBILITY, VISIBILITY[0]),
    )


def graded(question: GradedQuestion, verdicts: Sequence[TreeVerdict]) -> Grade:
    """What the verdicts on a file earn for the question."""
    right = sum(verdict.passed for verdict in verdicts)
    return Grade(question, right, len(verdicts), _why(question, verdicts))


def _why(question: GradedQuestion, verdicts: Sequence[TreeVerdict]) -> str:
    failed = smallest_failed(verdicts)
    if failed is None:
        return ""
    if not any(verdict.answer.tried for verdict in verdicts):
        return printable(failed.difference)
    cause = common_cause(question.algorithm, verdicts)
    return printable(f"{failed.ours.question.name}: {failed.difference}{f' ({cause})' if cause else ''}")


def results_json(grades: Sequence[Grade]) -> dict[str, Any]:
    """The document that Gradescope reads after its autograder has run."""
    return {
        "score": round(sum(grade.points for grade in grades), 2),
        "tests": [
            {
                "name": grade.question.name,
                "score": grade.points,
                "max_score": grade.question.points,
                "status": "failed" if grade.why else "passed",
                "output": f"{trees(grade)}{': ' if grade.why else ''}{grade.why}",
                "visibility": grade.question.visibility,
            }
            for grade in grades
        ],
    }


def trees(grade: Grade) -> str:
    """On how many trees the file is right, in words."""
    return f"{grade.right} of {grade.trees} trees are right"


def total(grades: Sequence[Grade]) -> str:
    """The sum of the points: "10 of 15 points"."""
    earned, most = sum(grade.points for grade in grades), sum(grade.question.points for grade in grades)
    return f"{number(earned)} of {number(most)} points"
