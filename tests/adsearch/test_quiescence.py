"""Quiescence and selective search: what they find and what they can miss."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adsearch import Table, alphabeta, deepening, games, quiescence, selective
from adsearch.games.tree import Tree
from tests.kit.effort import tries
from tests.kit.random_trees import random_tree, trees


def quiet(state: Any) -> float:
    """The quiet value to seat 0: the definition."""
    values = [float(state.evaluate(0))]
    if state.turn is not None:
        values += [quiet(state.play(move)) for move in state.noisy_moves()]
    return max(values) if state.turn == 0 else min(values)


def value(state: Any, depth: int) -> float:
    if state.turn is None or depth == 0:
        return quiet(state)
    values = [value(state.play(move), depth - 1) for move in state.moves()]
    return max(values) if state.turn == 0 else min(values)


@pytest.mark.parametrize(
    ("spec", "columns"), [("connect4", "4435"), ("tictactoe", "b2 a1 c3"), ("dots:rows=2,columns=2", "")]
)
@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_it_is_alphabeta_with_quiet_values_at_the_horizon(spec: str, columns: str, depth: int) -> None:
    state = games.start(spec)
    for text in columns.split() if " " in columns else columns:
        state = state.play(state.from_text(text))
    expected = value(state, depth)
    assert quiescence.search(state, depth=depth).value == (expected if state.turn == 0 else -expected)


def test_quiescence_search_avoids_the_horizon_effect() -> None:
    start = games.start("tree:horizon")
    assert alphabeta.search(start, depth=3).move == "check"
    assert quiescence.search(start, depth=3).move == "defend"
    assert alphabeta.search(start).move == "defend"


def test_quiescence_does_not_visit_the_whole_tree() -> None:
    start = games.start("checkers")
    assert quiescence.search(start, depth=4).nodes < 3 * alphabeta.search(start, depth=4).nodes


@settings(max_examples=tries(100))
@given(tree=trees(), width=st.integers(1, 3))
def test_selective_search_is_alphabeta_on_what_it_looks_at(tree: Tree, width: int) -> None:
    def best(state: Any) -> list[Any]:
        ranked = sorted(state.moves(), key=lambda move: state.play(move).evaluate(state.turn), reverse=True)
        return ranked[:width]

    def selected(state: Any) -> float:
        if state.turn is None:
            return float(state.evaluate(0))
        values = [selected(state.play(move)) for move in best(state)]
        return max(values) if state.turn == 0 else min(values)

    result = selective.search(tree, width=width)
    assert result.value == (selected(tree) if tree.turn == 0 else -selected(tree))
    assert result.move == best(tree)[0] or result.move in best(tree)
    if result.exact:
        assert result.value == alphabeta.search(tree).value


def test_selective_search_proves_nothing_for_a_later_search_either() -> None:
    for seed in range(300):
        tree, table = random_tree(Random(seed), leaves=(-1, 0, 1), most=1.0), Table()
        for width in (1, 2, 3):
            result = selective.search(tree, width=width, table=table)
            if result.exact:
                assert result.value == alphabeta.search(tree).value


def test_selective_search_looks_at_fewer_positions_and_claims_no_proof() -> None:
    state = games.start("connect4")
    narrow, full = selective.search(state, depth=6, width=3), alphabeta.search(state, depth=6)
    assert narrow.nodes < full.nodes / 2
    won = games.load("connect4", "......./......./......./......./ooo..../xxx....")
    assert not selective.search(won, depth=2, width=2).exact


@pytest.mark.parametrize("algorithm", ["pvs", "alphabeta", "mtdf"])
@pytest.mark.parametrize(
    "spec", ["connect4", "tictactoe", "dots:rows=2,columns=2", "checkers", "tree:horizon", "tree:queen"]
)
def test_deepening_with_quiescence_has_the_value_of_quiescence_at_its_depth(algorithm: Any, spec: str) -> None:
    random = Random(spec)
    state: Any = games.start(spec)
    for _ in range(2 if spec.startswith("tree") else 6):
        for depth in (1, 2, 3):
            result = deepening.search(state, depth=depth, algorithm=algorithm, quiescence=True)
            assert result.depth is not None
            assert result.value == quiescence.search(state, depth=result.depth).value
            assert result.move in state.moves()
            assert result.exact or result.depth == depth
        state = state.play(random.choice(state.moves()))


@settings(max_examples=tries(100))
@given(tree=trees(depth=5))
def test_deepening_with_quiescence_and_without_limits_finds_the_value_of_the_game(tree: Tree) -> None:
    result = deepening.search(tree, quiescence=True)
    assert result.exact
    assert result.value == alphabeta.search(tree).value
    assert result.distance is None


def test_deepening_with_quiescence_avoids_the_horizon_effect() -> None:
    start = games.start("tree:horizon")
    assert deepening.search(start, depth=3).move == "check"
    assert deepening.search(start, depth=3, quiescence=True).move == "defend"
