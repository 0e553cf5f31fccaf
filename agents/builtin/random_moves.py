"""Random: chooses a legal move at random, all with the same probability.

It is the simplest agent, and the first that every other agent should beat. It can play every game.
"""

from __future__ import annotations

from typing import Any

from adsearch import State
from agents.agent import Agent, Clock


class RandomMoves(Agent):
    """Plays a random legal move; all are equally likely."""

    def __init__(self, *, seed: int | None = None) -> None:
        self.seed = seed

    def begin(self, state: State[Any], seat: int) -> None:
        if self.seed is not None:
            self.random.seed(self.seed)

    def choose(self, state: State[Any], clock: Clock) -> Any:
        return self.random.choice(state.moves())
