"""Bounds in traces: the true value of every visited node satisfies the sign that is shown with it."""

from inspect import signature
from random import Random

import pytest

from adsearch import Budget, Trace, alphabeta, games, searches
from adsearch.result import Bound
from adsearch.state import CHANCE
from adsearch.trace import Backup
from adsearch.trace_calls import Visit, not_searched, visits
from tests.kit.every_game import AnyState
from tests.kit.random_trees import LEAVES, random_tree

TREES = 60
EXACT = ("minimax", "negamax", "alphabeta", "alphabeta:fail=hard", "alphabeta:ordering=true", "pvs", "pvs:table=true",
    "winning", "mtdf", "mtdf:table=false", "bisection", "aspiration", "quiescence", "paranoid",
    "parallel", "negamax_bounds", "alphabeta_strict", "alphabeta_strict_soft", "negascout",
    "expectiminimax", "expectiminimax:pruning=star1", "expectiminimax:pruning=star2",
    "expectiminimax:pruning=star2,table=true,ordering=true")  # fmt: skip
WITH_CHANCE = ("paranoid", "expectiminimax")
WINDOWS = (None, (-0.5, 0.5), (0.25, 1.0))


def true_value(state: AnyState, seat: int) -> float:
    """The value for `seat`, who maximizes it; the others minimize it."""
    if state.turn is None:
        return float(state.utilities()[seat])
    values = [true_value(state.play(move), seat) for move in state.moves()]
    if state.turn == CHANCE:
        return sum((chance * value for (_, chance), value in zip(state.chances(), values, strict=True)), 0.0)
    return max(values) if state.turn == seat else min(values)


def quiet_value(state: AnyState, depth: int) -> float:
    """The value for MAX of quiescence search without a window."""
    if state.turn is None:
        return float(state.utilities()[0])
    moves = state.moves() if depth > 0 else state.noisy_moves()
    values = [quiet_value(state.play(move), max(0, depth - 1)) for move in moves]
    if depth == 0:
        values.append(state.evaluate(0))
    return max(values) if state.turn == 0 else min(values)


def is_true(visit: Visit, value: float) -> bool:
    """Whether the sign of the visit holds for this true value."""
    assert isinstance(visit.value, int | float)
    if abs(value - visit.value) < 1e-9:
        return True
    return value > visit.value if visit.bound is Bound.LOWER else visit.bound is Bound.UPPER and value < visit.value


def traced(state: AnyState, spec: str, **more: AnyState) -> tuple[Trace, list[Visit]]:
    run, options = searches.configured(spec)
    trace = Trace()
    result = run(state, trace=trace, **options, **more)
    return trace, [visit for root in visits(trace, result) for visit in root.walk()]


def check(trace: Trace, found: list[Visit]) -> None:
    assert all(visit.value is not None for visit in found if len(visit.path) > 1)
    for visit in found:
        seat = visit.mover if trace.backup is Backup.NEGAMAX else trace.seat
        if visit.value is not None:
            assert is_true(visit, true_value(visit.state, seat)), visit


@pytest.mark.parametrize("spec", EXACT)
def test_the_sign_of_every_value_is_true(spec: str) -> None:
    takes_window = "alpha" in signature(searches.configured(spec)[0]).parameters and spec != "expectiminimax"
    for seed in range(TREES):
        leaves = (-2, -1, 0, 0, 1, 1, 2) if spec == "negascout" else LEAVES
        state = random_tree(Random(seed), chance=spec.startswith(WITH_CHANCE), leaves=leaves)
        for window in WINDOWS if takes_window else WINDOWS[:1]:
            check(*traced(state, spec, **dict(zip(("alpha", "beta"), window or (), strict=False))))


@pytest.mark.parametrize("spec", EXACT)
def test_a_cutoff_leaves_out_a_child(spec: str) -> None:
    for seed in range(TREES):
        state = random_tree(Random(seed), chance=spec.startswith(WITH_CHANCE))
        if spec == "negascout":
            state = random_tree(Random(seed), leaves=(-2, -1, 0, 0, 1, 1, 2))
        for visit in traced(state, spec)[1]:
            assert not visit.cut or not_searched(visit), visit


@pytest.mark.parametrize("spec", ["alphabeta:table=true", "alphabeta:table=true,fail=hard", "winning", "mtdf"])
@pytest.mark.parametrize("game", ["nap:5", "grundy:7"])
def test_the_sign_of_a_value_from_the_table_is_true(game: str, spec: str) -> None:
    trace, found = traced(games.start(game), spec)
    assert any(visit.call.table for visit in found)
    check(trace, found)


@pytest.mark.parametrize("game", ["dots:rows=2,columns=2", "tictactoe"])
def test_the_sign_of_a_quiet_value_is_true(game: str) -> None:
    random = Random(game)
    stood = 0
    for depth in (0, 1, 2, 2, 3):
        state = games.start(game)
        for _ in range(4):
            state = state.play(random.choice(state.moves()))
        for window in ({}, {"alpha": -0.2, "beta": 0.1}, {"alpha": 0.1, "beta": 0.2}):
            _, found = traced(state, "quiescence", depth=depth, **window)
            for visit in found:
                if visit.value is not None:
                    assert is_true(visit, quiet_value(visit.state, max(0, depth + 1 - len(visit.path)))), visit
            stood += sum(visit.stand_pat is not None for visit in found)
    assert stood


def test_a_value_is_exact_where_nothing_below_is_uncertain() -> None:
    """The bounds of pruned nodes do not spread further than they must."""
    _, found = traced(games.start("tree:professors"), "alphabeta")
    assert [(visit.path[-1], visit.bound) for visit in found if visit.bound is not Bound.EXACT] == [("J", Bound.LOWER)]


def test_a_node_that_its_budget_left_has_no_bound() -> None:
    trace = Trace()
    alphabeta.search(games.start("tree:professors"), trace=trace, budget=Budget(nodes=5))
    assert [visit.bound for visit in visits(trace)[-1].walk()].count(None) >= 3
