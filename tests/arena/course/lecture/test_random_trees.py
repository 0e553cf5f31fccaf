"""Random trees can be read, are the same for the same seed, and have all features that the judge needs."""

from __future__ import annotations

import json
from random import Random

import pytest

from adsearch import CHANCE
from arena.course.lecture import questions, random_trees
from arena.course.lecture.random_trees import Branch
from arena.errors import ArenaError


@pytest.mark.parametrize("name", questions.algorithm_names())
def test_questions_are_the_same_for_the_same_seed(name: str) -> None:
    algorithm = questions.find_algorithm(name)
    first, again = (
        json.dumps([question.description for question in asked])
        for asked in (
            questions.questions_for(algorithm, seed=3, count=10, with_depth=True),
            questions.questions_for(algorithm, seed=3, count=10, with_depth=True),
        )
    )
    assert first == again
    other = questions.questions_for(algorithm, seed=4, count=10, with_depth=True)
    assert json.dumps([question.description for question in other]) != first


def test_random_trees_have_all_special_cases() -> None:
    asked = questions.questions_for(questions.find_algorithm("alphabeta"), seed=1, count=60, with_depth=True)
    made = [random_trees.opened(question.description) for question in asked if question.name.startswith("random")]
    nodes = [state for tree in made for state in (tree, *(tree.play(move) for move in tree.moves()))]
    assert {tree.turn for tree in made} == {0, 1}
    assert any(len(state.moves()) == 1 for state in nodes)
    assert any(state.turn is None for state in nodes)
    assert sum(question.depth is not None for question in asked) == 20
    assert all(len(questions.all_leaves(tree, None)) <= 20 for tree in made)


def test_without_a_depth_parameter_every_tree_is_searched_to_its_end() -> None:
    asked = questions.questions_for(questions.find_algorithm("minimax"), seed=1, count=9, with_depth=False)
    assert {question.depth for question in asked} == {None}


def test_nodes_are_named_from_the_root_down_and_leaves_after_their_parent() -> None:
    inner = Branch(1, (4, 5))
    made = random_trees.described(Branch(0, (inner, 3, Branch(CHANCE, (1, 2), (0.25, 0.75)))), bounds=(-9, 9))
    assert made["tree"] == {
        "A": {
            "@turn": 0,
            "B": {"@turn": 1, "b1": 4, "b2": 5},
            "a2": 3,
            "C": {"@turn": "chance", "@chances": {"c1": 0.25, "c2": 0.75}, "c1": 1, "c2": 2},
        }
    }


def test_after_z_comes_aa() -> None:
    made = random_trees.described(Branch(0, tuple(Branch(1, (1,)) for _ in range(27))), bounds=(-9, 9))
    assert list(made["tree"]["A"])[-3:] == ["Z", "AA", "AB"]


@pytest.mark.parametrize("outcomes", range(2, 7))
def test_probabilities_sum_to_one(outcomes: int) -> None:
    for seed in range(20):
        shares = random_trees.probabilities(Random(seed), outcomes)
        assert len(shares) == outcomes
        assert min(shares) > 0
        assert sum(shares) == pytest.approx(1)


def test_an_unknown_algorithm_is_refused_with_a_list_of_the_known() -> None:
    with pytest.raises(
        ArenaError, match="expected an algorithm that can be judged, got 'mcts'; there is minimax, negamax"
    ):
        questions.find_algorithm("mcts")
    with pytest.raises(ArenaError, match="did you mean 'alphabeta'"):
        questions.find_algorithm("alfabeta")
