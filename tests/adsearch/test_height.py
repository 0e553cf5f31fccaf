"""The longest games, and Salem-Spencer numbers."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adsearch import games, height
from adsearch.budget import Budget
from adsearch.errors import BadSearch
from adsearch.games.tree import Tree
from adsearch.result import Bound
from tests.kit.effort import tries
from tests.kit.game_facts import facts
from tests.kit.random_trees import trees


def longest(state: Any) -> int:
    """The definition."""
    return max((1 + longest(state.play(move)) for move in state.moves()), default=0)


@pytest.mark.parametrize(("n", "number"), list(facts("games.json")["salem_spencer"]["values"].items()))
def test_the_height_of_nap_is_the_salem_spencer_number(n: str, number: int) -> None:
    assert height.height(games.start(f"nap:n={n}")) == number


@settings(max_examples=tries(50))
@given(tree=trees(depth=5, players=3, chance=True))
def test_the_line_is_a_longest_game(tree: Tree) -> None:
    result = height.search(tree)
    assert result.value == len(result.line) == longest(tree)
    assert result.exact
    end: Any = tree
    for move in result.line:
        assert move in end.moves()
        end = end.play(move)
    assert end.turn is None
    assert result.move == (None if tree.turn == -1 else result.line[0])


@settings(max_examples=tries(25))
@given(tree=trees(depth=5), depth=st.integers(0, 6))
def test_with_a_depth_longer_games_count_as_that_long(tree: Tree, depth: int) -> None:
    result = height.search(tree, depth=depth)
    assert result.value == min(depth, longest(tree))
    assert not (result.exact and longest(tree) > depth)
    assert result.exact or longest(tree) > depth


def test_every_game_of_tictactoe_may_fill_the_board_but_wins_end_it() -> None:
    assert height.height(games.start("tictactoe")) == 9
    assert height.height(games.start("kuhn")) == 5


def test_out_of_budget_it_returns_a_lower_bound() -> None:
    state = games.start("nap:n=14")
    for nodes in (0, 3, 60, 300):
        result = height.search(state, budget=Budget(nodes=nodes))
        assert 1 <= result.value == len(result.line) <= 8
        assert (result.exact, result.bound) == (False, Bound.LOWER)


def test_a_game_that_is_over_has_no_height() -> None:
    assert height.height(games.load("nap:n=2", "1 2")) == 0


def test_a_game_that_may_never_end_needs_a_depth() -> None:
    with pytest.raises(BadSearch, match="height: this game has no limit of plies; give a depth or a budget"):
        height.height(games.start("pig"))
    assert height.search(games.start("pig:goal=5"), depth=6).value == 6
