"""The questions of an assignment are read, and a file's points are what its right trees earn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.course.lecture import assignment, judging, questions
from arena.course.lecture.assignment import Grade
from arena.errors import ArenaError
from tests.kit.places import EXAMPLES
from tests.kit.student_searches import answer, minimax


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "project.toml"
    file.write_text(text)
    return file


def test_a_question_has_defaults_and_an_algorithm_by_its_name(tmp_path: Path) -> None:
    (one, two), three = (
        assignment.read(
            written(tmp_path, '[[question]]\nfunction = "minimax"\n[[question]]\nfunction = "MiniMax.go"\n')
        ),
        assignment.read(EXAMPLES / "multi-agent" / "project.toml"),
    )
    assert (one.name, one.algorithm.name, one.points, one.partial, one.visibility) == (
        *("minimax", "minimax", 1.0),
        *(False, "visible"),
    )
    assert two.algorithm.name == "minimax"
    assert [question.algorithm.name for question in three] == ["minimax", "alphabeta_strict_soft", "expectimax"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "question: expected tables, each starting with [[question]]"),
        ("question = 3", "question: expected tables, each starting with [[question]], got 3"),
        ("[[questoin]]", "unknown key 'questoin'; did you mean 'question'?"),
        ("[[question]]", "[[question]] 1: function: missing; expected a string"),
        ('[[question]]\nfunctoin = "f"', "[[question]] 1: unknown key 'functoin'; did you mean 'function'?"),
        ('[[question]]\nfunction = "a b"', "function: expected a function or Class.method, got 'a b'"),
        ('[[question]]\nfunction = "A.b"', "as: missing; expected the algorithm of 'A.b': minimax, "),
        ('[[question]]\nfunction = "f"\nas = "minmax"', "can be judged, got 'minmax'; did you mean 'minimax'?"),
        ('[[question]]\nfunction = "A.b"\nas = "maxn"', "as: expected an algorithm for MAX and MIN"),
        ('[[question]]\nfunction = "minimax"\npoints = -1', "points: expected a number from 0 to 1000"),
        ('[[question]]\nfunction = "minimax"\npartial = 1', "partial: expected true or false, got 1"),
        ('[[question]]\nfunction = "minimax"\nvisibility = "hiden"', "got 'hiden'; did you mean 'hidden'?"),
        ('[[question]]\nfunction = "minimax"\n' * 2, "question: two questions have the name 'minimax'"),
    ],
)
def test_a_mistake_is_named_with_its_place(text: str, words: str, tmp_path: Path) -> None:
    file = written(tmp_path, text)
    with pytest.raises(ArenaError) as refused:
        assignment.read(file)
    assert str(refused.value).startswith(f"{file}: ")
    assert words in str(refused.value)


def grade(function: Any, text: str, tmp_path: Path) -> Grade:
    (question,) = assignment.read(written(tmp_path, text))
    asked = questions.questions_for(question.algorithm, seed=1, count=0, with_depth=False)
    verdicts, _ = judging.judge(question.algorithm, asked, [answer(function, each) for each in asked])
    return assignment.graded(question, verdicts)


def test_all_trees_must_be_right_unless_each_earns_its_share(tmp_path: Path) -> None:
    asked = '[[question]]\nfunction = "{}"\npoints = 5\n'
    right = grade(minimax, asked.format("minimax"), tmp_path)
    assert (right.right, right.trees, right.points, right.why) == (7, 7, 5.0, "")
    wrong = grade(minimax, asked.format("alphabeta"), tmp_path)
    assert (wrong.right, wrong.points) == (1, 0.0)
    assert wrong.why == (
        "tree:four_leaves: at c continues with g; alphabeta cuts off there: after f = 1, alpha 2 >= beta 1 "
        "(it never cuts off: it visits every leaf)"
    )
    partial = grade(minimax, asked.format("alphabeta") + "partial = true", tmp_path)
    assert partial.points == 0.71
    assert assignment.total([right, wrong, partial]) == "5.71 of 15 points"


def test_gradescope_gets_its_fields(tmp_path: Path) -> None:
    asked = '[[question]]\nfunction = "minimax"\nname = "Q1"\npoints = 3\n'
    hidden = asked.replace("Q1", "Q2").replace("minimax", "alphabeta") + 'visibility = "hidden"'
    grades = [grade(minimax, asked, tmp_path), grade(minimax, hidden, tmp_path)]
    assert assignment.results_json(grades) == {
        "score": 3.0,
        "tests": [
            {
                "name": "Q1",
                "score": 3.0,
                "max_score": 3.0,
                "status": "passed",
                "output": "7 of 7 trees are right",
                "visibility": "visible",
            },
            {
                "name": "Q2",
                "score": 0.0,
                "max_score": 3.0,
                "status": "failed",
                "output": f"1 of 7 trees are right: {grades[1].why}",
                "visibility": "hidden",
            },
        ],
    }
