"""The agent that plays an equilibrium of poker."""

from collections import Counter

import pytest

from adsearch import cfr, games
from agents import builtin
from agents.errors import BadAgent, CannotPlay
from agents.practice import practice


@pytest.mark.parametrize(("view", "seat"), [("Q? check bet", 0), ("?J check", 1), ("K?", 0)])
def test_it_plays_each_move_as_often_as_the_equilibrium(view: str, seat: int) -> None:
    agent = builtin.find("cfr:seed=1").make()
    agent.begin(games.start("kuhn"), seat)
    odds = cfr.solve(games.start("kuhn"), iterations=200).strategy[view]
    state = games.load("kuhn", view)
    played = Counter(agent.choose(state, None) for _ in range(2000))  # type: ignore[arg-type]
    assert {move: played[move] / 2000 for move in odds} == pytest.approx(odds, abs=0.04)


def test_the_same_seed_gives_the_same_game() -> None:
    one, other = (practice("kuhn", "cfr", "cfr", seed=7) for _ in range(2))
    assert one.moves == other.moves
    assert len({tuple(practice("kuhn", "cfr", "cfr", seed=seed).moves) for seed in range(8)}) > 1


@pytest.mark.parametrize("game", ["tictactoe", "ludo", "pig", "rps:rounds=4"])
def test_a_game_that_it_cannot_solve_is_refused_with_those_that_can(game: str) -> None:
    with pytest.raises(CannotPlay, match=r"cfr cannot play .*; these can: random, .*mcts"):
        builtin.check_can_play("cfr", games.start(game))


def test_iterations_are_a_number_from_1() -> None:
    with pytest.raises(BadAgent, match="cfr: iterations: expected from 1 to 10000, got 0"):
        builtin.find("cfr:iterations=0")
