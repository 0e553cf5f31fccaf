"""Built-in agents never lose on time, even on a slow machine.

Time is simulated: each reading of the clock takes some time, and sometimes the machine is slow. `make soak` also plays
in real time.
"""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from adsearch import CHANCE, games
from agents import Agent, Clock, builtin
from arena.match.clock import SECOND, TimeControl
from arena.match.clock import Clock as MatchClock
from tests.kit.effort import tries

GAMES = ("connect4", "tictactoe:m=5,n=7,k=4", "nap:n=60", "othello:size=6", "pig:goal=40", "rps", "dots")
CONTROLS = ("1+0.01", "1+0.01", "0.2", "move=0.05", "10/0.5", "0.1+3x0.05", "0.02+0.02")
BEGIN = 1000.0


class Machine:
    """A slow machine: each look at its clock takes up to 1 ms, and rarely up to 4."""

    def __init__(self, seed: object) -> None:
        self.random = Random(f"machine {seed}")
        self.now = BEGIN

    def __call__(self) -> float:
        slow = self.random.random()
        self.now += 0.004 * self.random.random() if slow < 0.002 else 0.001 * slow
        return self.now


def play(agents: list[Agent], game: str, control: str, now: Callable[[], float], seed: object) -> None:
    """Plays a game, and fails when somebody exceeds its time."""
    state, random = games.start(game), Random(f"chance {seed}")
    clock = MatchClock([TimeControl.parse(control)] * state.players)
    for seat, agent in enumerate(agents):
        agent.begin(state, seat)
    made = 0
    while (turn := state.turn) is not None:
        if turn == CHANCE:
            outcomes, weights = zip(*state.chances(), strict=True)
            state = state.play(random.choices(outcomes, weights)[0])
            continue
        left, budget = clock.left(turn), clock.budget(turn)
        assert left is not None
        assert budget is not None
        seen: Any = games.load(game, state.view(turn)) if state.hidden else state
        since = now()
        told = Clock(left // 10**6 / 1000, budget // 10**6 / 1000, now=now, since=since)
        move = agents[turn].choose(seen, told)
        spent = round((now() - since) * SECOND)
        assert move in state.moves()
        assert spent <= left, f"{game} {control} seat {turn}, move {made}: {spent / 1e6} ms of {left / 1e6}"
        clock.charge(turn, spent)
        state = state.play(move)
        made += 1


@pytest.mark.parametrize("name", builtin.names())
@pytest.mark.parametrize("number", range(tries(10, soak=200)))
def test_no_agent_ever_loses_on_time_on_a_slow_machine(name: str, number: int) -> None:
    fit = [game for game in GAMES if can_play(name, game)]
    game, control = fit[number % len(fit)], CONTROLS[number % len(CONTROLS)]
    agents = [builtin.find(name).make() for _ in range(games.start(game).players)]
    play(agents, game, control, Machine(f"{name} {number}"), number)


def can_play(name: str, game: str) -> bool:
    """Whether the agent plays that game."""
    try:
        builtin.check_can_play(name, games.start(game))
    except ValueError:
        return False
    return True


def test_a_share_is_a_share_of_the_budget() -> None:
    machine = Machine(1)

    def spent(share: float) -> float:
        agent = builtin.find(f"pvs:share={share}").make()
        state = games.start("connect4")
        agent.begin(state, 0)
        since = machine()
        agent.choose(state, Clock(10, 1, now=machine, since=since))
        return machine() - since

    assert 0.88 < spent(0.9) < 0.95
    assert 0.08 < spent(0.1) < 0.15


def test_a_turn_that_took_too_long_makes_the_next_ones_careful() -> None:
    agent = builtin.find("pvs").make()
    state = games.start("connect4")
    agent.begin(state, 0)
    agent.late = 0.1  # type: ignore[attr-defined]
    clock = Clock(1.0, 1.0, now=lambda: 0.0)
    assert agent.planned(clock) == pytest.approx(0.795)  # type: ignore[attr-defined]
    assert agent.planned(Clock(0.1, 0.1, now=lambda: 0.0)) < 0  # type: ignore[attr-defined]


def test_with_no_time_at_all_a_legal_move_is_still_played() -> None:
    for name in builtin.names():
        agent = builtin.find(name).make()
        state = games.load("kuhn", "?Q bet") if name == "cfr" else games.start("connect4")
        agent.begin(state, 0)
        assert agent.choose(state, Clock(0.0, 0.0)) in state.moves()
