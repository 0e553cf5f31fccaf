"""Max^n against its definition, against minimax with two players, and within its budget."""

from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adsearch import CHANCE, Trace, games, maxn, minimax
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


def truth(state: Any, depth: float = inf) -> tuple[float, ...]:
    """What `state` is worth to every seat: the definition."""
    if state.turn is None or depth == 0:
        return tuple(estimate(state, seat) for seat in range(state.players))
    values = [truth(state.play(move), depth - 1) for move in state.moves()]
    if state.turn == CHANCE:
        chances = [chance for _, chance in state.chances()]
        return tuple(
            sum(chance * value[seat] for chance, value in zip(chances, values, strict=True))
            for seat in range(state.players)
        )
    return max(values, key=lambda value: value[state.turn])


def tree(node: Any, **description: Any) -> Tree:
    drawn = read({"tree": {"root": node}, **description})
    return Tree.at(drawn, drawn.root)


def test_the_lecture_s_tree_of_three_players() -> None:
    result = maxn.search(games.start("tree:three"))
    assert result.values == (1.0, 2.0, 6.0)
    assert result.value == 1.0
    assert result.line == ("B", "D", "d1")
    assert result.exact
    assert result.nodes == 15


@settings(max_examples=tries(150))
@given(tree=trees(players=3, chance=True), depth=st.none() | st.integers(1, 4))
def test_three_players_get_what_the_definition_says(tree: Tree, depth: int | None) -> None:
    result = maxn.search(tree, depth=depth, evaluate=estimate)
    left = inf if depth is None else depth
    assert result.values == pytest.approx(truth(tree, left))
    assert result.values is not None
    assert result.value == result.values[root_seat(tree)]
    if tree.turn == CHANCE:
        assert result.move is None
    else:
        assert result.move is not None
        assert truth(tree.play(result.move), left - 1) == pytest.approx(result.values)


@settings(max_examples=tries(150))
@given(tree=trees(players=4), depth=st.none() | st.integers(1, 4))
def test_the_line_leads_to_the_values(tree: Tree, depth: int | None) -> None:
    result = maxn.search(tree, depth=depth, evaluate=estimate)
    end: Any = tree
    for move in result.line:
        end = end.play(move)
    assert end.turn is None or len(result.line) == depth
    assert tuple(estimate(end, seat) for seat in range(4)) == result.values


@settings(max_examples=tries(100))
@given(tree=trees(), depth=st.none() | st.integers(0, 5))
def test_two_who_play_for_opposite_ends_play_minimax(tree: Tree, depth: int | None) -> None:
    ours, theirs = maxn.search(tree, depth=depth), minimax.search(tree, depth=depth)
    assert (ours.value, ours.move, ours.line, ours.nodes) == (theirs.value, theirs.move, theirs.line, theirs.nodes)
    assert ours.exact == theirs.exact


@pytest.mark.parametrize("spec", ["tictactoe:m=2,n=4,k=2", "nap:n=7", "grundy:piles=5+4", "dots:rows=1,columns=2"])
def test_small_games_have_their_minimax_value(spec: str) -> None:
    state = games.start(spec)
    assert maxn.search(state).value == minimax.search(state).value


def test_of_equal_moves_it_is_the_first_even_where_others_would_gain() -> None:
    result = maxn.search(tree({"a": [1, 0, 0], "b": [1, 9, 9]}, players=3))
    assert (result.move, result.values) == ("a", (1.0, 0.0, 0.0))


def test_chance_averages_for_every_seat() -> None:
    node = {"@turn": "chance", "@chances": {"a": 0.25, "b": 0.75}, "a": [4, 0, 8], "b": [0, 4, -8]}
    result = maxn.search(tree(node, players=3))
    assert (result.value, result.values, result.move) == (1.0, (1.0, 3.0, -4.0), None)


def test_a_bound_is_no_proof_where_an_estimate_may_turn_the_others_away() -> None:
    """Seat 1 seems to prefer `x`, worth 5 to seat 0, the most there is; a ply further it would not."""
    node = {"a": {"x": [5, 1], "y": {"@estimate": [0, 0], "z": [0, 3]}}}
    low = maxn.search(tree(node, bounds=[-5, 5]), depth=2)
    assert low.value == 5.0
    assert not low.exact
    assert maxn.search(tree(node, bounds=[-5, 5])).value == 0.0


@settings(max_examples=tries(100))
@given(tree=trees(players=3, chance=True), nodes=st.integers(0, 60))
def test_a_search_that_is_cut_off_still_has_a_move(tree: Tree, nodes: int) -> None:
    result = maxn.search(tree, budget=Budget(nodes=nodes))
    assert result.nodes <= nodes + 1
    assert result.values is not None
    assert result.value == result.values[root_seat(tree)]
    if tree.turn != CHANCE:
        assert result.move in tree.moves()
    if result.exact:
        assert result.values == pytest.approx(maxn.search(tree).values)


def test_a_depth_that_is_cut_off_answers_with_the_best_finished_move() -> None:
    node = {"a": {"x": [1, 0, 0]}, "b": {"x": [2, 0, 0]}, "c": {"x": [3, 0, 0]}}
    result = maxn.search(tree(node, players=3), depth=2, budget=Budget(nodes=5))
    assert (result.move, result.values, result.exact) == ("b", (2.0, 0.0, 0.0), False)


def test_a_budget_without_a_depth_looks_further_each_time() -> None:
    state = games.start("ludo:players=3,tokens=1").play(6)
    result = maxn.search(state, budget=Budget(nodes=3000))
    assert result.move in state.moves()
    assert result.depth is not None
    assert result.depth >= 3
    assert not result.exact


def test_a_game_that_may_never_end_wants_a_limit() -> None:
    with pytest.raises(BadSearch, match="maxn: this game has no limit of plies; give a depth or a budget"):
        maxn.search(games.start("ludo:players=3"))


def test_a_depth_below_0_is_refused() -> None:
    with pytest.raises(BadSearch, match="expected a depth of 0 or more plies, got -1"):
        maxn.search(games.start("tree:three"), depth=-1)


def test_a_trace_tells_the_values_of_all() -> None:
    trace = Trace()
    maxn.search(games.start("tree:three"), trace=trace)
    assert [event.value for event in trace.events if event.name == "D->B"] == [(1.0, 2.0, 6.0)]


@pytest.mark.parametrize("spec", SMALL)
def test_every_small_game_is_searched(spec: str) -> None:
    state = games.start(spec)
    result = maxn.search(state, depth=3)
    assert result.values is not None
    assert len(result.values) == state.players
    assert (result.move is None) == (state.turn == CHANCE)
