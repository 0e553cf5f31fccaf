"""Each dialect returns the value of the definition, and visits what its lecture visits."""

import inspect
import re
from collections.abc import Callable
from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adsearch import Budget, Result, Trace, algorithms, alphabeta, games, searches
from adsearch.errors import BadSearch
from adsearch.games.tree import Tree, read
from adsearch.registry import dialects
from adsearch.result import Bound
from adsearch.terms import root_seat
from adsearch.trace import EventKind
from tests.kit.effort import tries
from tests.kit.every_game import EVERY
from tests.kit.random_trees import trees

WHOLE = (-2, -1, 0, 0, 1, 1, 2)
"""Leaves that negascout can search."""
every_dialect = pytest.mark.parametrize("name", dialects.names())


def search(name: str) -> Callable[..., Result[Any]]:
    found: Callable[..., Result[Any]] = dialects[name].search
    return found


def whole(state: Any, seat: int) -> float:
    """An evaluation in whole numbers."""
    return float(round(state.evaluate(seat)))


def truth(state: Any, depth: float = inf) -> float:
    """The value for seat 0, searched `depth` plies deep: the definition."""
    if state.turn is None or depth == 0:
        return whole(state, 0)
    values = [truth(state.play(move), depth - 1) for move in state.moves()]
    return max(values) if state.turn == 0 else min(values)


def for_mover(state: Any, value: float) -> float:
    return -value if root_seat(state) else value


def leaves(found: Trace) -> list[tuple[str, ...]]:
    return [event.path for event in found.events if event.kind is EventKind.LEAF]


def test_the_family_is_listed_apart_and_found_among_all_searches() -> None:
    assert not {*dialects} & {*algorithms}
    assert [*searches][: len(algorithms)] == [*algorithms]
    for name, module in dialects.items():
        assert searches.find(name) is module
        assert module.__doc__
        parameters = inspect.signature(module.search).parameters
        assert [*parameters] == ["state", "depth", "budget", "trace", "evaluate", "alpha", "beta"]
    with pytest.raises(BadSearch, match="no algorithm 'negascot'; did you mean 'negascout'"):
        searches.configured("negascot")
    with pytest.raises(BadSearch, match="no algorithm 'negascout'"):
        algorithms.find("negascout")


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("star1", "expectiminimax:pruning=star1"),
        ("Star2", "expectiminimax:pruning=star2"),
        *((name, "alphabeta") for name in ("minimax_ab", "alpha_beta", "alpha-beta", "AB")),
        *(("a*", "astar"), ("a_star", "astar"), ("bfs", "breadth_first"), ("breadth-first", "breadth_first")),
        *(("dfs", "depth_first"), ("ucs", "uniform_cost"), ("uniform-cost", "uniform_cost")),
    ],
)
def test_an_unknown_name_from_another_book_names_our_search(name: str, ours: str) -> None:
    with pytest.raises(BadSearch, match=re.escape(f"no algorithm '{name}'; did you mean '{ours}'?")):
        searches.configured(name)
    assert searches.configured(ours)


@every_dialect
@settings(max_examples=tries(60))
@given(tree=st.one_of(trees(leaves=WHOLE), trees(leaves=WHOLE, players=1)), depth=st.none() | st.integers(1, 5))
def test_value_move_and_line_are_those_of_the_definition(name: str, tree: Tree, depth: int | None) -> None:
    result = search(name)(tree, depth=depth, evaluate=whole)
    left = inf if depth is None else depth
    value = truth(tree, left)
    assert (result.value, result.bound) == (for_mover(tree, value), Bound.EXACT)
    assert result.exact or depth is not None
    assert result.move == result.line[0]
    state: Any = tree
    for move in result.line:
        state, left = state.play(move), left - 1
        assert truth(state, left) == value


@every_dialect
@settings(max_examples=tries(60))
@given(tree=trees(leaves=WHOLE), low=st.integers(-3, 2), width=st.integers(1, 4), depth=st.integers(1, 5))
def test_outside_its_window_a_result_is_a_bound_on_the_right_side(
    name: str, tree: Tree, low: int, width: int, depth: int
) -> None:
    value = for_mover(tree, truth(tree, depth))
    result = search(name)(tree, depth=depth, evaluate=whole, alpha=low, beta=low + width)
    assert result.move in tree.moves()
    if result.value <= low:
        assert value <= result.value
        assert result.bound is Bound.UPPER
    elif result.value >= low + width:
        assert value >= result.value
        assert result.bound is Bound.LOWER
    else:
        assert (value, Bound.EXACT) == (result.value, result.bound)


@every_dialect
@pytest.mark.parametrize("spec", [spec for spec in EVERY if games.start(spec).players == 2])
def test_in_every_game_for_two_the_value_is_that_of_alphabeta(name: str, spec: str) -> None:
    state = games.start(spec)
    if state.chance or not state.zero_sum:
        with pytest.raises(BadSearch, match=f"^{name} "):
            search(name)(state, depth=2)
        return
    evaluate = whole if name == "negascout" else None
    result = search(name)(state, depth=2, evaluate=evaluate)
    assert result.value == alphabeta.search(state, depth=2, evaluate=evaluate).value


@every_dialect
def test_wrong_arguments_are_refused_and_a_budget_ends_the_search(name: str) -> None:
    state = games.start("tree:professors")
    with pytest.raises(BadSearch, match=f"{name} is for two players"):
        search(name)(games.start("tree:three"))
    with pytest.raises(BadSearch, match="expected a window with alpha below beta"):
        search(name)(state, alpha=2, beta=1)
    with pytest.raises(BadSearch, match=f"{name}: expected a depth of 0 or more plies"):
        search(name)(state, depth=-1)
    cut = search(name)(state, budget=Budget(nodes=3))
    assert (cut.move, cut.depth, cut.exact) == (state.moves()[0], 0, False)
    assert cut.nodes == 4


def traced(name: str, tree: Tree) -> Trace:
    trace = Trace()
    searches[name].search(tree, trace=trace)
    return trace


@settings(max_examples=tries(100))
@given(tree=trees(leaves=WHOLE))
def test_negamax_with_bounds_visits_what_alphabeta_visits(tree: Tree) -> None:
    assert leaves(traced("negamax_bounds", tree)) == leaves(traced("alphabeta", tree))


@pytest.mark.parametrize("name", ["alphabeta_strict", "alphabeta_strict_soft"])
@settings(max_examples=tries(100))
@given(tree=trees(leaves=WHOLE))
def test_strict_alphabeta_leaves_out_nothing_that_alphabeta_visits(name: str, tree: Tree) -> None:
    strict = traced(name, tree)
    assert {*leaves(traced("alphabeta", tree))} <= {*leaves(strict)}
    for event in strict.events:
        assert event.alpha is not None
        assert event.beta is not None
        if event.cutoff:
            assert event.alpha > event.beta


def course_alphabeta(state: Any, alpha: float, beta: float, path: tuple[str, ...], seen: list[Any]) -> float:
    """The pseudo-code of CS 188, without a trace: collects the generated nodes in `seen`."""
    seen.append(path)
    if state.turn is None:
        return float(state.utilities()[0])
    v = -inf if state.turn == 0 else inf
    for move in state.moves():
        value = course_alphabeta(state.play(move), alpha, beta, (*path, move), seen)
        if state.turn == 0:
            v = max(v, value)
            if v > beta:
                return v
            alpha = max(alpha, v)
        else:
            v = min(v, value)
            if v < alpha:
                return v
            beta = min(beta, v)
    return v


@settings(max_examples=tries(100))
@given(tree=trees(leaves=WHOLE))
def test_soft_strict_alphabeta_visits_what_the_course_generates(tree: Tree) -> None:
    seen: list[Any] = []
    value = course_alphabeta(tree, -inf, inf, (tree.label,), seen)
    found = traced("alphabeta_strict_soft", tree)
    assert {event.path for event in found.events} == {*seen}
    assert for_mover(tree, search("alphabeta_strict_soft")(tree).value) == value


def test_the_two_strict_ones_differ_where_a_value_is_below_the_window() -> None:
    """B returns 3 to A. The value of D is 2: returned as such it ends C; as alpha, 3, it does not."""
    tree = read({"tree": {"A": {"B": {"b": 3}, "C": {"D": {"d": 2}, "E": {"e": 9}}}}})
    paths = {
        name: [leaf[-1] for leaf in leaves(traced(name, Tree.at(tree, tree.root)))]
        for name in ("alphabeta_strict", "alphabeta_strict_soft")
    }
    assert paths == {"alphabeta_strict": ["b", "d", "e"], "alphabeta_strict_soft": ["b", "d"]}


def lecture_negascout(tree: Any, alpha: float, beta: float, path: tuple[str, ...], seen: list[Any]) -> float:
    """NegaScout in the lecture's words, without a trace: collects the leaves in `seen`."""
    if tree.turn is None:
        seen.append(path)
        return float(tree.utilities()[0])
    sign = 1 if tree.turn == 0 else -1
    for number, move in enumerate(tree.moves()):
        child, here = tree.play(move), (*path, move)
        if sign > 0:
            value = lecture_negascout(child, alpha, alpha + 1 if number else beta, here, seen)
            if number and alpha < value < beta:
                value = lecture_negascout(child, value, beta, here, seen)
            alpha = max(alpha, value)
        else:
            value = lecture_negascout(child, beta - 1 if number else alpha, beta, here, seen)
            if number and alpha < value < beta:
                value = lecture_negascout(child, alpha, value, here, seen)
            beta = min(beta, value)
        if beta <= alpha:
            break
    return alpha if sign > 0 else beta


@settings(max_examples=tries(100))
@given(tree=trees(leaves=WHOLE))
def test_negascout_visits_what_the_lecture_visits(tree: Tree) -> None:
    seen: list[Any] = []
    value = lecture_negascout(tree, -inf, inf, (tree.label,), seen)
    trace = Trace()
    assert for_mover(tree, search("negascout")(tree, trace=trace).value) == value
    assert leaves(trace) == seen


def test_negascout_refuses_fractions_in_words() -> None:
    drawn = read({"tree": {"root": {"a": 0.5, "b": 1}}})
    with pytest.raises(BadSearch, match=r"^negascout needs utilities that are whole numbers, got 0\.5; try pvs$"):
        search("negascout")(Tree.at(drawn, drawn.root))
    with pytest.raises(BadSearch, match=r"^negascout needs estimates that are whole numbers, got 0\.\d+; try pvs$"):
        search("negascout")(games.start("connect4"), depth=1)


@pytest.mark.parametrize("name", dialects.names())
def test_zero_has_no_sign_in_a_trace(name: str) -> None:
    drawn = read({"tree": {"root": {"a": {"x": 0, "y": 2}, "b": {"z": 0}}}})
    cells = str(traced(name, Tree.at(drawn, drawn.root))).split()
    assert "0" in cells
    assert "-0" not in cells
