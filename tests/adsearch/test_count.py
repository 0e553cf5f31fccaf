"""The sizes of game trees."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adsearch import count, games
from adsearch.budget import Budget
from adsearch.count import Count
from adsearch.errors import BadSearch
from adsearch.games.tree import Tree
from adsearch.result import Bound
from tests.kit.effort import tries
from tests.kit.game_facts import facts
from tests.kit.random_trees import trees


def walked(state: Any, depth: int) -> Count:
    """The definition."""
    if state.turn is None or depth == 0:
        return Count(1, 1)
    below = [walked(state.play(move), depth - 1) for move in state.moves()]
    return Count(1 + sum(size.nodes for size in below), sum(size.leaves for size in below))


def test_tictactoe_is_as_large_as_published() -> None:
    known = facts("games.json")["tictactoe"]
    assert count.count(games.start("tictactoe")) == Count(known["nodes"], known["games"])
    result = count.search(games.start("tictactoe"))
    assert (result.value, result.nodes, result.exact) == (known["games"], known["nodes"], True)


@pytest.mark.parametrize("game", ["connect4", "othello", "checkers"])
def test_its_leaves_at_a_depth_are_the_perft_numbers(game: str) -> None:
    for plies, leaves in facts("games.json")[game]["perft"].items():
        if int(plies) <= 4:
            assert count.count(games.start(game), int(plies)).leaves == leaves


@settings(max_examples=tries(50))
@given(tree=trees(depth=5, chance=True), depth=st.integers(0, 6))
def test_it_agrees_with_a_full_traversal(tree: Tree, depth: int) -> None:
    assert count.count(tree, depth) == walked(tree, depth)
    assert count.count(tree) == walked(tree, 99)
    assert count.search(tree, depth=depth).exact == (walked(tree, depth) == walked(tree, 99))


@pytest.mark.parametrize("spec", ["nap:n=7", "grundy:pile=9", "dots:rows=1,columns=2", "kuhn", "othello:size=4"])
def test_transpositions_are_counted_as_often_as_they_are_reached(spec: str) -> None:
    assert count.count(games.start(spec), 7) == walked(games.start(spec), 7)


def test_out_of_budget_it_returns_a_lower_bound() -> None:
    state = games.start("tictactoe")
    for nodes in (0, 5, 100, 1000):
        result = count.search(state, budget=Budget(nodes=nodes))
        assert 0 <= result.value <= 255168
        assert (result.exact, result.bound, result.move) == (False, Bound.LOWER, 0)
    assert count.search(state, budget=Budget(nodes=1000)).value > 10


def test_a_game_that_is_over_is_one_leaf() -> None:
    assert count.count(games.load("nap:n=2", "1 2")) == Count(1, 1)


def test_a_game_that_may_never_end_needs_a_depth() -> None:
    with pytest.raises(BadSearch, match="count: this game has no limit of plies; give a depth or a budget"):
        count.count(games.start("pig"))
    assert count.count(games.start("pig:goal=5"), 3) == walked(games.start("pig:goal=5"), 3)
