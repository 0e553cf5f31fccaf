"""MCTS: Monte Carlo tree search, which plays thousands of random games and keeps their results in a tree.

It needs no evaluation and can play every game. In games with hidden information each simulation starts from a random
state that the agent considers possible (a determinization).
"""

from __future__ import annotations

from typing import Any, Unpack

from adsearch import Budget, Result, State, mcts
from agents.agent import Clock
from agents.builtin.thinker import SearchLimits, Thinker, check


class Mcts(Thinker):
    """Monte Carlo tree search: plays random games and prefers moves that won; can play every game."""

    kinds = ("chance", "several", "hidden")

    def __init__(
        self, *, simulations: int | None = None, exploration: float = 1.4, **limits: Unpack[SearchLimits]
    ) -> None:
        super().__init__(**limits)
        check("simulations", simulations, 1)
        check("exploration", exploration, 0, 1000)
        self.simulations = simulations
        self.exploration = exploration

    def limits(self, clock: Clock, planned: float) -> tuple[int | None, Budget | None]:
        depth, budget = super().limits(clock, planned)
        counted = planned == float("inf") and self.nodes is None
        # Without any limit, the search does its default number of simulations.
        return depth, None if counted else budget

    def think(self, state: State[Any], depth: int | None, budget: Budget | None) -> Result[Any]:
        return mcts.search(
            state,
            depth=depth,
            budget=budget,
            evaluate=self.evaluate,
            simulations=self.simulations,
            exploration=self.exploration,
            random=self.random,
        )
