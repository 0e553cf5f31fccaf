"""Counterfactual regret minimisation: published equilibria, OpenSpiel's numbers, and exploitability by brute force."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any, Self

import pytest

from adsearch import CHANCE, Budget, State, cfr, games
from adsearch.errors import BadSearch

KUHN = cfr.solve(games.start("kuhn"))


def test_kuhn_poker_has_the_value_and_the_equilibrium_that_kuhn_published() -> None:
    """H. W. Kuhn, "A Simplified Two-Person Poker" (1950): the first player loses 1/18. With J it bluffs with any
    probability up to 1/3, with K it bets three times as often, with Q it calls 1/3 more often than it bluffs."""
    assert KUHN.value == pytest.approx(-1 / 18, abs=1e-4)
    bluffs = KUHN.strategy["J?"]["bet"]
    assert 0 <= bluffs <= 1 / 3
    assert KUHN.strategy["K?"]["bet"] == pytest.approx(3 * bluffs, abs=0.01)
    assert KUHN.strategy["Q? check bet"]["call"] == pytest.approx(bluffs + 1 / 3, abs=0.01)
    assert KUHN.strategy["?J check"]["bet"] == pytest.approx(1 / 3, abs=0.01)
    assert KUHN.strategy["?Q bet"]["call"] == pytest.approx(1 / 3, abs=0.01)
    for view, move in (("Q?", "check"), ("?K check", "bet"), ("?K bet", "call"), ("?J bet", "fold")):
        assert KUHN.strategy[view][move] == pytest.approx(1, abs=0.001)


@pytest.mark.parametrize(
    ("plus", "iterations", "value", "exploitability"),
    [
        (True, 100, -0.055584006549269316, 0.0011944041011116846),
        (False, 100, -0.05614724147718669, 0.008225977315915206),
        (True, 1000, -0.05555591758265194, 8.736532252084928e-05),
        (False, 1000, -0.055625031582249296, 0.0009376166469929614),
    ],
)
def test_after_so_many_iterations_it_is_where_openspiel_is(
    plus: bool, iterations: int, value: float, exploitability: float
) -> None:
    """OpenSpiel 2.0.2, open_spiel.python.algorithms: cfr.CFRPlusSolver and cfr.CFRSolver on kuhn_poker."""
    found = cfr.solve(games.start("kuhn"), plus=plus, iterations=iterations)
    assert (found.value, found.exploitability) == pytest.approx((value, exploitability), rel=1e-9)
    assert (found.iterations, found.nodes) == (iterations, 58)


def test_leduc_has_its_published_value() -> None:
    """-0.0856. OpenSpiel 2.0.2's CFRPlusSolver gives -0.08536 and an exploitability of 0.00496 after 200 iterations on
    leduc_poker, in which suits count."""
    found = cfr.solve(games.start("leduc"), iterations=200)
    assert found.value == pytest.approx(-0.0856, abs=0.005)
    assert found.value == pytest.approx(-0.08536, abs=0.00005)
    assert found.exploitability == pytest.approx(0.00496, abs=0.0001)


def won_by_best_reply(strategy: Any, seat: int) -> float:
    """The most that any of the seat's 64 pure strategies of Kuhn poker wins against `strategy`, each played through."""
    views = sorted({view for view in strategy if games.load("kuhn", view).turn == seat})

    @cache
    def mixed(view: str) -> tuple[tuple[str, float], ...]:
        return tuple(strategy[view].items())

    def won(state: Any, pure: dict[str, str]) -> float:
        if state.turn is None:
            return float(state.utilities()[seat])
        if state.turn == CHANCE:
            return sum((chance * won(state.play(card), pure) for card, chance in state.chances()), 0.0)
        view = state.view(state.turn)
        if state.turn == seat:
            return won(state.play(pure[view]), pure)
        return sum((chance * won(state.play(move), pure) for move, chance in mixed(view)), 0.0)

    choices = product(*(games.load("kuhn", view).moves() for view in views))
    return max(won(games.start("kuhn"), dict(zip(views, choice, strict=True))) for choice in choices)


@pytest.mark.parametrize("iterations", [1, 7])
def test_the_exploitability_is_what_the_best_of_all_pure_strategies_wins(iterations: int) -> None:
    found = cfr.solve(games.start("kuhn"), iterations=iterations)
    best = sum(won_by_best_reply(found.strategy, seat) for seat in (0, 1)) / 2
    assert found.exploitability == pytest.approx(best, abs=1e-12)
    assert found.exploitability > 0.01
    assert cfr.exploitability(games.start("kuhn"), found.strategy) == found.exploitability


def test_a_strategy_of_ones_own_needs_every_view_and_move() -> None:
    for at_first in ({}, {"check": 1.0}, {"check": 2.0, "bet": -1.0}):
        strategy = {**KUHN.strategy, "J?": at_first}
        with pytest.raises(BadSearch, match=r"a probability for each of \('check', 'bet'\) at the view 'J\?'"):
            cfr.exploitability(games.start("kuhn"), strategy)


class Pennies(State[str]):
    """Both choose heads or tails. Seat 0 wins 2 with two heads and 1 with two tails, and loses 1 otherwise. By the
    indifference of the other seat, both play heads with 2/5, and seat 0 wins 1/5 on average."""

    hidden = True
    bounds = (-1.0, 2.0)
    max_plies = 2

    def __init__(self, chosen: tuple[str, ...] = ()) -> None:
        self.chosen = chosen
        self.turn = len(chosen) if len(chosen) < 2 else None

    def moves(self) -> tuple[str, ...]:
        return ("heads", "tails") if self.turn is not None else ()

    def play(self, move: str) -> Self:
        return type(self)((*self.chosen, move))

    def utilities(self) -> tuple[float, float]:
        first, second = self.chosen
        won = -1.0 if first != second else 2.0 if first == "heads" else 1.0
        return won, -won

    def view(self, seat: int) -> str:
        return f"seat {seat} chooses"


def test_the_equilibrium_of_a_matrix_is_the_one_by_hand() -> None:
    found = cfr.solve(Pennies(), iterations=3000)
    assert found.value == pytest.approx(1 / 5, abs=0.002)
    assert found.strategy["seat 0 chooses"]["heads"] == pytest.approx(2 / 5, abs=0.01)
    assert found.strategy["seat 1 chooses"]["heads"] == pytest.approx(2 / 5, abs=0.01)


class Forgetful(Pennies):
    """Seat 0 chooses twice, and its view does not say what it chose first."""

    def __init__(self, chosen: tuple[str, ...] = ()) -> None:
        self.chosen = chosen
        self.turn = 0 if len(chosen) < 2 else None


@pytest.mark.costly
@pytest.mark.parametrize(
    ("state", "message"),
    [
        (games.start("tictactoe"), "cfr is for two players and hidden information"),
        (games.start("ludo"), "cfr is for two players, this game has 4"),
        (games.start("rps:rounds=9"), "cfr: this game has more than 200,000 nodes"),
        (Forgetful(), "the view 'seat 0 chooses' of seat 0 does not say what this seat has seen and done before"),
    ],
    ids=["open", "several", "large", "forgetful"],
)
def test_a_game_that_it_cannot_solve_is_refused(state: Any, message: str) -> None:
    with pytest.raises(BadSearch, match=message):
        cfr.solve(state)


def test_a_budget_ends_it_early_with_the_average_so_far() -> None:
    within = cfr.solve(games.start("kuhn"), budget=Budget(nodes=10 * 2 * 58))
    assert within.iterations == 10
    assert within == cfr.solve(games.start("kuhn"), iterations=10)
    none = cfr.solve(games.start("kuhn"), budget=Budget(nodes=0))
    assert (none.iterations, none.strategy["J?"]) == (0, {"check": 0.5, "bet": 0.5})
