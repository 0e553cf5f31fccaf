"""Paranoid search against its definition: one seat maximizes its utility, all others minimize it."""

from collections.abc import Callable
from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adsearch import CHANCE, Trace, expectiminimax, games, minimax, paranoid
from adsearch.budget import Budget
from adsearch.errors import BadSearch
from adsearch.games.tree import Tree, read
from adsearch.terms import root_seat
from tests.kit.effort import tries
from tests.kit.every_game import SMALL
from tests.kit.random_trees import trees


def estimate(state: Any, seat: int) -> float:
    """Different for every seat and most nodes, and inside the bounds of random trees."""
    return float(state.utilities()[seat]) if state.turn is None else (7 * len(state.key) + 5 * seat) % 9 / 4 - 1


def truth(state: Any, seat: int, depth: float = inf, evaluate: Callable[[Any, int], float] = estimate) -> float:
    """What `seat` gets for sure: the definition."""
    if state.turn is None or depth == 0:
        return evaluate(state, seat)
    values = [truth(state.play(move), seat, depth - 1, evaluate) for move in state.moves()]
    if state.turn == CHANCE:
        return float(sum(chance * value for (_, chance), value in zip(state.chances(), values, strict=True)))
    return max(values) if state.turn == seat else min(values)


@settings(max_examples=tries(200))
@given(tree=trees(players=3, depth=5, chance=True), depth=st.none() | st.integers(1, 5))
def test_it_is_one_against_all(tree: Tree, depth: int | None) -> None:
    result = paranoid.search(tree, depth=depth, evaluate=estimate)
    left, seat = inf if depth is None else depth, root_seat(tree)
    assert result.value == pytest.approx(truth(tree, seat, left))
    if tree.turn == CHANCE:
        assert result.move is None
    else:
        values = [truth(tree.play(move), seat, left - 1) for move in tree.moves()]
        assert result.move in tree.moves()
        assert values[tree.moves().index(result.move)] == pytest.approx(result.value)


@settings(max_examples=tries(100))
@given(tree=trees(players=4, depth=5))
def test_of_equal_moves_it_is_the_first_and_the_line_leads_to_the_value(tree: Tree) -> None:
    result, seat = paranoid.search(tree), root_seat(tree)
    values = [truth(tree.play(move), seat) for move in tree.moves()]
    assert result.move == tree.moves()[values.index(max(values))]
    end: Any = tree
    for move in result.line:
        end = end.play(move)
    assert end.utilities()[seat] == result.value
    assert result.exact


@settings(max_examples=tries(100))
@given(tree=trees(depth=5), depth=st.none() | st.integers(0, 5))
def test_two_who_play_for_opposite_ends_play_minimax_and_look_at_less(tree: Tree, depth: int | None) -> None:
    ours, theirs = paranoid.search(tree, depth=depth), minimax.search(tree, depth=depth)
    assert (ours.value, ours.move) == (theirs.value, theirs.move)
    assert ours.nodes <= theirs.nodes


@settings(max_examples=tries(50))
@given(tree=trees(chance=True))
def test_two_and_chance_play_expectiminimax(tree: Tree) -> None:
    ours, theirs = paranoid.search(tree), expectiminimax.search(tree)
    assert ours.value == pytest.approx(theirs.value)


def test_it_expects_the_worst_of_others_who_would_rather_do_something_else() -> None:
    """Max^n trusts seat 1 to take 9 for itself, which is good for seat 0 too; paranoid does not."""
    node = {"a": {"x": [5, 9, 0], "y": [0, 1, 0]}, "b": [1, 0, 0]}
    drawn = read({"players": 3, "tree": {"root": node}})
    result = paranoid.search(Tree.at(drawn, drawn.root))
    assert (result.move, result.value) == ("b", 1.0)


@settings(max_examples=tries(100))
@given(tree=trees(players=3, chance=True), nodes=st.integers(0, 60))
def test_a_search_that_is_cut_off_still_has_a_move(tree: Tree, nodes: int) -> None:
    result = paranoid.search(tree, budget=Budget(nodes=nodes))
    assert result.nodes <= nodes + 1
    if tree.turn != CHANCE:
        assert result.move in tree.moves()
    if result.exact:
        assert result.value == pytest.approx(truth(tree, root_seat(tree)))


def test_a_budget_without_a_depth_looks_further_each_time() -> None:
    state = games.start("ludo:players=3,tokens=1").play(6)
    result = paranoid.search(state, budget=Budget(nodes=3000))
    assert result.move in state.moves()
    assert result.depth is not None
    assert result.depth >= 3


def test_a_game_that_may_never_end_wants_a_limit() -> None:
    with pytest.raises(BadSearch, match="paranoid: this game has no limit of plies; give a depth or a budget"):
        paranoid.search(games.start("ludo:players=3"))


def test_the_trace_of_two_players_is_alphabeta_s() -> None:
    ours, theirs = Trace(), Trace()
    paranoid.search(games.start("tree:professors"), trace=ours)
    expectiminimax.search(games.start("tree:professors"), pruning="star1", trace=theirs)
    assert ours.events == theirs.events


@pytest.mark.parametrize("spec", SMALL)
def test_every_small_game_is_searched(spec: str) -> None:
    state = games.start(spec)
    result = paranoid.search(state, depth=3)
    assert result.value == pytest.approx(
        truth(state, root_seat(state), 3, lambda state, seat: float(state.evaluate(seat)))
    )
    assert (result.move is None) == (state.turn == CHANCE)
