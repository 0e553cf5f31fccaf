"""CFR: solves a small game with hidden information before it starts, and then plays the equilibrium that it found.

An equilibrium mixes moves: in poker it bluffs now and then, so that the other player cannot know. No opponent wins
more than the value of the game against it, on average; but it does not try to exploit the mistakes of others.
"""

from __future__ import annotations

from typing import Any, Final

from adsearch import State, cfr
from adsearch.errors import BadSearch
from agents.agent import Agent, Clock
from agents.builtin.thinker import check

_MOST: Final = 5_000
"""The largest number of nodes of a game that it plays: more cannot be solved before the game starts."""


class Cfr(Agent):
    """Plays an equilibrium of a small game with hidden information, such as poker, and so bluffs."""

    kinds = ("chance", "hidden")

    def __init__(self, *, iterations: int = 200, seed: int | None = None) -> None:
        check("iterations", iterations, 1, 10_000)
        self.iterations = iterations
        self.seed = seed

    @staticmethod
    def refuses(state: State[Any]) -> str:
        """Why it does not play the game of `state`; empty if it does."""
        try:
            cfr.solve(state, iterations=1, most=_MOST)
        except BadSearch as error:
            return str(error)
        return ""

    def begin(self, state: State[Any], seat: int) -> None:
        if self.seed is not None:
            self.random.seed(self.seed)
        self.strategy = cfr.solve(state, iterations=self.iterations, most=_MOST).strategy

    def choose(self, state: State[Any], clock: Clock) -> Any:
        odds = self.strategy[state.position()]
        return self.random.choices(list(odds), weights=list(odds.values()))[0]
