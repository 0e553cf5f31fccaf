"""Iterative deepening: it stops in time, always has a move, and stops early when the value is proven."""

from random import Random
from typing import Any

import pytest

from adsearch import Budget, alphabeta, deepening, games
from adsearch.terms import root_seat


class Clock:
    """A clock that a test sets; it goes on by `step` each time it is read."""

    def __init__(self, step: float) -> None:
        self.now, self.step, self.reads = 0.0, step, 0

    def __call__(self) -> float:
        self.now += self.step
        self.reads += 1
        return self.now


@pytest.mark.parametrize("algorithm", ["pvs", "alphabeta", "mtdf"])
@pytest.mark.parametrize("nodes", [1, 3, 20, 300, 5000])
def test_whatever_the_budget_there_is_a_move(algorithm: Any, nodes: int) -> None:
    for spec in ("connect4", "othello:size=6", "checkers", "dots"):
        state = games.start(spec)
        result = deepening.search(state, algorithm=algorithm, budget=Budget(nodes=nodes))
        assert result.move in state.moves()
        assert result.line[0] == result.move
        assert result.nodes <= nodes + 2


def test_it_looks_at_the_clock_at_every_node() -> None:
    clock = Clock(0.001)
    result = deepening.search(games.start("connect4"), budget=Budget.seconds(1.0, clock))
    assert clock.reads - 1 == result.nodes
    assert clock.now <= 1.0 + 2 * clock.step


def test_more_time_never_means_less_depth() -> None:
    depths = [
        deepening.search(games.start("connect4"), budget=Budget(nodes=nodes)).depth for nodes in (10, 100, 1000, 9000)
    ]
    assert depths == sorted(depths, key=lambda depth: depth or 0)
    assert depths[-1] is not None
    assert depths[-1] >= 6


def test_a_decided_position_needs_no_further_iteration() -> None:
    state = games.load("connect4", "......./......./......./.o...../.o...../.oxxx..")
    result = deepening.search(state, budget=Budget(nodes=10**6))
    assert (result.value, result.distance, result.depth, result.exact) == (1, 1, 1, True)
    assert result.nodes < 20


@pytest.mark.costly
def test_the_loser_holds_out_and_the_winner_hurries() -> None:
    random = Random(4)
    decided = 0
    while decided < 12:
        state: Any = games.start("connect4:rows=5,columns=6")
        for _ in range(random.randint(8, 16)):
            state = state.play(random.choice(state.moves())) if state.moves() else state
        if state.turn is None:
            continue
        result = deepening.search(state, depth=9)
        if result.exact and result.value:
            decided += 1
            assert result.distance is not None
            distances = {}
            for move in state.moves():
                child = state.play(move)
                found = deepening.search(child, depth=9)
                value = found.value if root_seat(child) == root_seat(state) else -found.value
                if found.exact and value == result.value:
                    distances[move] = (found.distance or 0) + 1
            best = min(distances.values()) if result.value > 0 else max(distances.values())
            assert result.distance == best
            assert distances[result.move] == best


def test_a_depth_of_nothing_is_the_evaluation() -> None:
    state = games.start("connect4").play(3)
    result = deepening.search(state, depth=0)
    assert (result.value, result.move) == (state.evaluate(1), None)


@pytest.mark.parametrize("estimate", [1.0, 1000.0, -1.0, float("inf"), float("nan")])
@pytest.mark.parametrize("algorithm", ["pvs", "alphabeta", "mtdf"])
def test_an_evaluation_of_ones_own_never_passes_for_a_proof(estimate: float, algorithm: Any) -> None:
    state = games.start("connect4")
    result = deepening.search(state, depth=3, algorithm=algorithm, evaluate=lambda _state, _seat: estimate)
    assert not result.exact
    assert -1 < result.value < 1
    won = games.load("connect4", "......./......./......./......./ooo..../xxx....")
    found = deepening.search(won, depth=3, algorithm=algorithm, evaluate=lambda _state, _seat: estimate)
    assert (found.value, found.distance, found.exact) == (1, 1, True)


def test_an_evaluation_of_ones_own_is_used() -> None:
    def likes_column_three(state: Any, seat: int) -> float:
        return (1 - 2 * seat) * (0.9 if state.position().endswith("..x....") else 0.1)

    for algorithm in (alphabeta, deepening):
        result = algorithm.search(games.start("connect4"), depth=1, evaluate=likes_column_three)
        assert (result.move, result.value) == (2, 0.9)


@pytest.mark.parametrize(("pile", "value"), [(23, -1), (24, 1), (25, 1)])
def test_without_limits_a_long_proof_is_also_tried_at_once(pile: int, value: int) -> None:
    state = games.start(f"grundy:pile={pile}")
    result = deepening.search(state)
    assert (result.value, result.exact) == (value, True)
    assert len(result.line) == result.distance
    assert result.nodes < 200_000


@pytest.mark.costly
def test_without_limits_a_value_between_the_bounds_is_found_too() -> None:
    result = deepening.search(games.start("dots:rows=2,columns=3"))
    assert (result.value, result.exact, result.distance) == (-2, True, None)


def test_a_budget_of_nothing_has_searched_no_depth() -> None:
    result = deepening.search(games.start("connect4"), budget=Budget(nodes=0))
    assert (result.depth, result.move) == (0, 0)


def test_a_depth_beyond_the_deepest_is_told_as_what_it_was() -> None:
    assert alphabeta.search(games.start("tictactoe"), depth=3000).depth == 250
