"""Wrapped positions: searches notice nothing, and what they looked at is known."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adsearch import State, algorithms, alphabeta, games, minimax, pvs, winning
from adsearch.games.tree import Tree
from adsearch.wrapped import Seen, backwards, watched
from tests.kit.effort import tries
from tests.kit.every_game import SMALL, playout
from tests.kit.random_trees import trees, uniform_tree


@pytest.mark.parametrize("spec", SMALL)
def test_a_wrapped_position_answers_as_the_one_inside(spec: str) -> None:
    names = [
        name for name in vars(State) if not name.startswith("_") and name not in ("play", "sample", "load", "start")
    ]
    assert "canonical" in names
    for state, _ in playout(spec, 1):
        seen = Seen()
        wrapped = watched(state, seen)
        assert str(wrapped) == str(state)
        for name in names:
            theirs, ours = getattr(wrapped, name), getattr(state, name)
            if name in ("moves", "chances", "noisy_moves", "position"):
                theirs, ours = theirs(), ours()
            if not callable(ours):
                assert theirs == ours
        assert [child.position() for child in map(wrapped.play, wrapped.moves())] == [
            state.play(move).position() for move in state.moves()
        ]
        assert {state.key, *(state.play(move).key for move in state.moves())} == seen.positions


@pytest.mark.parametrize("spec", SMALL)
def test_backwards_all_moves_are_in_reverse_order_and_chances_too(spec: str) -> None:
    turned = backwards(games.start(spec))
    for state, move in playout(spec, 2):
        assert turned.moves() == state.moves()[::-1]
        assert [outcome for outcome, _ in turned.chances()] == list(turned.moves()) * bool(state.chances())
        assert dict(turned.chances()) == dict(state.chances())
        assert turned.key == state.key
        turned = turned if move is None else turned.play(move)


@pytest.mark.parametrize("name", [name for name in algorithms if name != "mcts"])
def test_every_search_finds_the_same_value_in_reverse_order(name: str) -> None:
    search: Any = algorithms[name].search
    for spec, depth in (("tictactoe", 4), ("nap:6", None), ("grundy:8", None)):
        options = {} if name == "iteration" else {"depth": depth}
        if name in ("selective", "quiescence") or (name in ("proof", "winning", "iteration") and depth):
            continue
        state = games.start(spec)
        forwards, turned = search(state, **options), search(backwards(state), **options)
        assert turned.value == forwards.value
        assert turned.move in state.moves()


def test_the_first_lecture_prunes_for_winning_from_right_to_left() -> None:
    state = games.start("tree:professors")
    assert (winning.search(state).nodes, winning.search(backwards(state)).nodes) == (14, 7)


@settings(max_examples=tries(50))
@given(tree=trees(depth=5))
def test_minimax_looks_at_everything_and_alphabeta_at_a_part_of_it(tree: Tree) -> None:
    whole, part = Seen(), Seen()
    all_of_it, pruned = minimax.search(watched(tree, whole)), alphabeta.search(watched(tree, part))
    assert pruned.value == all_of_it.value
    assert len(whole.positions) == all_of_it.nodes
    assert len(part.positions) == pruned.nodes
    assert part.positions <= whole.positions
    assert part.leaves <= whole.leaves <= whole.positions


@settings(max_examples=tries(100))
@given(tree=trees(depth=6))
def test_in_the_same_order_pvs_looks_at_no_leaf_that_alphabeta_does_not_look_at(tree: Tree) -> None:
    ours, theirs = Seen(), Seen()
    pvs.search(watched(tree, ours))
    alphabeta.search(watched(tree, theirs))
    assert ours.leaves <= theirs.leaves


@given(seed=st.integers(0, 2**32))
@settings(max_examples=tries(20))
def test_of_uniform_trees_too(seed: int) -> None:
    tree, ours, theirs = uniform_tree(5, 3, Random(seed)), Seen(), Seen()
    pvs.search(watched(tree, ours))
    alphabeta.search(watched(tree, theirs))
    assert ours.leaves <= theirs.leaves
