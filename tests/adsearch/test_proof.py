"""Proof-number search: proofs and disproofs against the definition."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adsearch import games, proof
from adsearch.budget import Budget
from adsearch.errors import BadSearch
from adsearch.games.tree import Tree
from adsearch.proof import NEVER, all_of
from adsearch.result import Bound
from adsearch.trace import EventKind, Trace
from tests.kit.effort import tries
from tests.kit.game_facts import facts, value
from tests.kit.random_trees import trees, wins_and_losses

GOALS = st.sampled_from(["win", "draw"])


def told(state: Any, number: float) -> float:
    """`number`, which is seat 0's, for the seat to move."""
    return -number if state.turn == 1 else number


def reached(goal: str, worth: float) -> bool:
    """Whether a utility is what the goal asks for."""
    return worth > 0 if goal == "win" else worth >= 0


@pytest.mark.parametrize("n", range(1, 15))
def test_it_proves_or_disproves_every_nap(n: int) -> None:
    result = proof.search(games.start(f"nap:n={n}"))
    wins = value(games.start(f"nap:n={n}"))
    assert (result.value, result.exact, result.bound) == (wins, True, Bound.EXACT)
    if str(n) in facts("games.json")["nap"]["first_player"] and wins > 0:
        assert result.move in facts("games.json")["nap"]["winning_first_moves"][str(n)]


def test_x_cannot_force_a_win_at_tictactoe_but_a_draw() -> None:
    state: Any = games.start("tictactoe")
    win = proof.search(state)
    assert (win.value, win.bound, win.exact) == (0, Bound.UPPER, False)
    draw = proof.search(state, goal="draw")
    assert (draw.value, draw.bound, draw.exact) == (0, Bound.LOWER, False)
    assert value(state.play(draw.move)) == 0


def test_for_the_other_seat_the_bounds_are_turned_round() -> None:
    state = games.start("tictactoe")
    assert proof.search(state, seat=1).bound is Bound.LOWER
    assert proof.search(state, seat=1, goal="draw").bound is Bound.UPPER
    lost = games.start("nap:n=3")
    assert (proof.search(lost, seat=1).value, proof.search(lost, seat=1).exact) == (-1, True)


@pytest.mark.costly
@pytest.mark.parametrize(
    ("spec", "win", "draw"),
    [
        ("connect4:rows=4,columns=4,line=3", True, True),
        ("connect4:rows=4,columns=4", False, True),
        ("dots:rows=1,columns=2", False, True),
        ("dots:rows=1,columns=3", False, False),
        ("dots:rows=2,columns=2", True, True),
        ("othello:size=4", False, False),
        ("grundy:pile=16", True, True),
    ],
)
def test_small_games_are_decided(spec: str, win: bool, draw: bool) -> None:
    state = games.start(spec)
    for goal, expected in (("win", win), ("draw", draw)):
        result = proof.search(state, goal=goal)  # type: ignore[arg-type]
        assert reached(goal, result.value) == expected
        assert result.bound in (Bound.EXACT, Bound.LOWER if expected else Bound.UPPER)


@settings(max_examples=tries(200))
@given(tree=trees(depth=5), goal=GOALS, seat=st.integers(0, 1))
def test_a_goal_is_proven_exactly_where_it_can_be_forced(tree: Tree, goal: Any, seat: int) -> None:
    worth = value(tree) if seat == 0 else -value(tree)
    result = proof.search(tree, seat=seat, goal=goal)
    secured = result.value if seat == tree.turn else -result.value
    assert reached(goal, secured) == reached(goal, worth)
    assert secured <= worth if reached(goal, worth) else secured >= worth
    proven_for_mover = reached(goal, worth) == (seat == tree.turn)
    assert result.bound in (Bound.EXACT, Bound.LOWER if proven_for_mover else Bound.UPPER)
    assert result.exact == (result.bound is Bound.EXACT)
    if result.exact:
        assert secured == worth
    end: Any = tree
    for move in result.line:
        end = end.play(move)
    assert end.turn is None
    assert end.utilities()[seat] == secured
    if reached(goal, worth) == (seat == tree.turn):
        after = value(tree.play(result.move or ""))
        assert reached(goal, after if seat == 0 else -after) == reached(goal, worth)


@settings(max_examples=tries(100))
@given(tree=wins_and_losses(depth=5))
def test_a_proven_win_is_exact_and_so_is_a_disproven_draw(tree: Tree) -> None:
    true = told(tree, value(tree))
    win, draw = proof.search(tree), proof.search(tree, goal="draw")
    assert win.exact == (true == 1) or (win.value, win.exact) == (-1, True)
    assert draw.exact == (true == -1) or (draw.value, draw.exact) == (1, True)


@settings(max_examples=tries(100))
@given(tree=trees(depth=5), depth=st.integers(0, 5), goal=GOALS)
def test_what_lies_beyond_the_depth_is_not_reached(tree: Tree, depth: int, goal: Any) -> None:
    def forced(state: Any, left: int) -> bool:
        if state.turn is None:
            return reached(goal, state.utilities()[tree.turn])
        if left == 0:
            return False
        after = [forced(state.play(move), left - 1) for move in state.moves()]
        return any(after) if state.turn == tree.turn else all(after)

    result = proof.search(tree, depth=depth, goal=goal)
    assert reached(goal, result.value) == forced(tree, depth)
    assert result.bound in (Bound.EXACT, Bound.LOWER if forced(tree, depth) else Bound.UPPER)
    if result.exact:
        assert result.value == told(tree, value(tree))


@settings(max_examples=tries(25))
@given(tree=trees(players=1, depth=4), goal=GOALS)
def test_a_single_player_needs_one_leaf(tree: Tree, goal: Any) -> None:
    assert reached(goal, proof.search(tree, goal=goal).value) == reached(goal, value(tree))


def test_undecided_it_says_so_and_has_a_legal_move() -> None:
    state = games.start("connect4")
    for nodes in (0, 1, 5, 500):
        result = proof.search(state, budget=Budget(nodes=nodes))
        assert result.move in state.moves()
        assert (result.exact, result.bound, result.value) == (False, Bound.EXACT, state.evaluate(0))
        assert result.nodes <= nodes + 1


def test_it_needs_no_more_than_it_needed() -> None:
    state = games.start("nap:n=12")
    nodes = proof.search(state).nodes
    assert proof.search(state, budget=Budget(nodes=nodes)).exact
    assert not proof.search(state, budget=Budget(nodes=nodes - 1)).exact


def test_a_deadline_ends_it_too() -> None:
    ticks = iter(range(10**9))
    budget = Budget(until=200, clock=lambda: float(next(ticks)))
    assert proof.search(games.start("connect4"), budget=budget).nodes <= 201


def test_a_trace_shows_the_way_to_each_position_that_was_opened() -> None:
    trace = Trace()
    proof.search(games.start("nap:n=4"), trace=trace)
    assert trace.events[0].kind is EventKind.INIT
    assert len({event.path for event in trace.events}) > 3


def test_a_disproof_never_comes_of_large_numbers() -> None:
    assert all_of([NEVER - 1, NEVER - 1]) == NEVER - 1
    assert all_of([1, NEVER]) == NEVER
    assert all_of([2, 3]) == 5


def test_a_game_that_is_over_is_decided() -> None:
    result = proof.search(games.load("nap:n=2", "1 2"))
    assert (result.value, result.move, result.line, result.exact, result.distance) == (-1, None, (), True, 0)


@pytest.mark.parametrize(
    ("spec", "options", "message"),
    [
        ("pig", {}, "does not support chance"),
        ("ludo:players=4", {}, "for two players"),
        ("nap", {"goal": "lose"}, "expected goal win or draw, got 'lose'"),
        ("nap", {"seat": 5}, "expected a seat from 0 to 1, got 5"),
        ("nap", {"depth": -3}, "expected a depth of 0 or more plies, got -3"),
    ],
)
def test_wrong_use_is_one_clear_error(spec: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadSearch, match=message):
        proof.search(games.start(spec), **options)
