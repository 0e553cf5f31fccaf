"""MCTS: plays thousands of games at random and remembers in a tree which moves they speak for.

It needs no evaluation and can play every game; where something is hidden it guesses what it may be, each time anew.
"""

from __future__ import annotations

from typing import Any, Unpack

from adsearch import Budget, Result, State, mcts
from agents.agent import Clock
from agents.builtin.thinker import Limits, Thinker, check


class Mcts(Thinker):
    """Plays games at random and remembers which moves they speak for; plays every game."""

    kinds = ("chance", "several", "hidden")

    def __init__(self, *, simulations: int | None = None, exploration: float = 1.4, **limits: Unpack[Limits]) -> None:
        super().__init__(**limits)
        check("simulations", simulations, 1)
        check("exploration", exploration, 0, 1000)
        self.simulations = simulations
        self.exploration = exploration

    def limits(self, clock: Clock, planned: float) -> tuple[int | None, Budget | None]:
        depth, budget = super().limits(clock, planned)
        counted = planned == float("inf") and self.nodes is None
        # Without any limit, as many simulations as the search does by default.
        return depth, None if counted else budget

    def think(self, state: State[Any], depth: int | None, budget: Budget | None) -> Result[Any]:
        return mcts.search(
            state,
            depth=depth,
            budget=budget,
            simulations=self.simulations,
            exploration=self.exploration,
            random=self.random,
        )
