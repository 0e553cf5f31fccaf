"""Expectimax against its definition, with correct and incorrect models and without one."""

from collections.abc import Callable
from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adsearch import CHANCE, Trace, expectimax, games, minimax
from adsearch.budget import Budget
from adsearch.errors import BadSearch
from adsearch.games.tree import Tree, read
from adsearch.terms import root_seat
from tests.kit.effort import tries
from tests.kit.every_game import SMALL
from tests.kit.random_trees import trees

Model = Callable[[Any], list[tuple[Any, float]]]


def lopsided(state: Any) -> list[tuple[Any, float]]:
    """The first move half of the time, the second a quarter, and so on; the last as often as the one before it."""
    chances = [0.5 ** (at + 1) for at in range(len(state.moves()))]
    chances[-1] = 1.0 - sum(chances[:-1])
    return list(zip(state.moves(), chances, strict=True))


def perfect(state: Any) -> list[tuple[Any, float]]:
    """The model of a perfect player."""
    return [(minimax.search(state).move, 1.0)]


def truth(state: Any, seat: int, model: Model, depth: float = inf) -> float:
    """The definition."""
    if state.turn is None or depth == 0:
        return float(state.evaluate(seat))
    if state.turn == seat:
        return max(truth(state.play(move), seat, model, depth - 1) for move in state.moves())
    policy = state.chances() if state.turn == CHANCE else model(state)
    return sum(chance * truth(state.play(move), seat, model, depth - 1) for move, chance in policy)


@pytest.mark.parametrize("model", [expectimax.uniform, lopsided])
@pytest.mark.parametrize("players", [1, 2, 3])
@settings(max_examples=tries(50))
@given(data=st.data(), depth=st.none() | st.integers(1, 5))
def test_the_value_is_that_of_the_definition(model: Model, players: int, data: Any, depth: int | None) -> None:
    tree = data.draw(trees(players=players, chance=True))
    result, seat = expectimax.search(tree, depth=depth, model=model), root_seat(tree)
    left = inf if depth is None else depth
    assert result.value == pytest.approx(truth(tree, seat, model, left))
    if tree.turn == CHANCE:
        assert result.move is None
    else:
        values = [truth(tree.play(move), seat, model, left - 1) for move in tree.moves()]
        assert values[tree.moves().index(result.move)] == pytest.approx(max(values))


@settings(max_examples=tries(75))
@given(tree=trees())
def test_against_the_perfect_player_it_is_minimax(tree: Tree) -> None:
    assert expectimax.search(tree, model=perfect).value == minimax.search(tree).value


@settings(max_examples=tries(75))
@given(tree=trees())
def test_against_any_other_it_gets_no_less(tree: Tree) -> None:
    assert expectimax.search(tree).value >= minimax.search(tree).value - 1e-12


def test_it_sets_a_trap_for_one_who_does_not_look() -> None:
    """The draw is safe; the other move loses against the one right answer of three, and wins against the others."""
    node = {"safe": 0, "trap": {"x": -1, "y": 1, "z": 1}}
    tree = _tree(node)
    assert minimax.search(tree).move == "safe"
    result = expectimax.search(tree)
    assert result.line == ("trap",)
    assert result.value == pytest.approx(1 / 3)


def test_a_move_that_the_model_leaves_out_is_not_looked_at() -> None:
    node = {"safe": 0, "trap": {"x": -1, "y": 1, "z": 1}}
    trace = Trace()
    result = expectimax.search(_tree(node), model=lambda _: [("y", 1.0), ("x", 0.0)], trace=trace)
    assert (result.move, result.value, result.nodes) == ("trap", 1.0, 4)
    assert [event.name for event in trace.events] == ["init", "root->safe", "root->trap", "trap->y", "trap->root"]


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ([("x", 0.5), ("nowhere", 0.5)], "expected legal moves from the model, got 'nowhere'"),
        ([("x", 0.5), ("y", 0.4)], "expected probabilities of the model that sum to 1, got 0.9"),
        ([("x", 1.5), ("y", -0.5)], "expected a probability of y, got -0.5"),
        ([("x", float("nan"))], "expected a probability of x, got nan"),
        ([], "expected probabilities of the model that sum to 1, got 0"),
    ],
)
def test_a_model_that_is_none_is_refused(policy: list[tuple[str, float]], message: str) -> None:
    with pytest.raises(BadSearch, match=f"expectimax: {message}"):
        expectimax.search(_tree({"a": {"x": 1, "y": 2}}), model=lambda _: policy)


@settings(max_examples=tries(100))
@given(tree=trees(players=3, chance=True), nodes=st.integers(0, 60))
def test_a_search_that_is_cut_off_still_has_a_move(tree: Tree, nodes: int) -> None:
    result = expectimax.search(tree, budget=Budget(nodes=nodes))
    assert result.nodes <= nodes + 1
    if tree.turn != CHANCE:
        assert result.move in tree.moves()
    if result.exact:
        assert result.value == pytest.approx(truth(tree, root_seat(tree), expectimax.uniform))


def test_a_game_that_may_never_end_wants_a_limit() -> None:
    with pytest.raises(BadSearch, match="expectimax: this game has no limit of plies; give a depth or a budget"):
        expectimax.search(games.start("pig"))


def test_against_one_who_throws_at_random_holding_soon_is_enough() -> None:
    result = expectimax.search(games.load("pig:goal=5", "3-0 next=0 total=2 choose"), depth=4)
    assert (result.move, result.value, result.line, result.exact) == ("hold", 1.0, ("hold",), True)


@pytest.mark.parametrize("spec", SMALL)
def test_every_small_game_is_searched(spec: str) -> None:
    state = games.start(spec)
    result = expectimax.search(state, depth=3)
    assert result.value == pytest.approx(truth(state, root_seat(state), expectimax.uniform, 3))
    assert (result.move is None) == (state.turn == CHANCE)


def _tree(node: Any) -> Tree:
    drawn = read({"tree": {"root": node}})
    return Tree.at(drawn, drawn.root)
