"""Expectiminimax: minimax for games of chance, in iterative deepening until the time is up.

The value of a chance node is its expected value. In games without chance it is plain minimax.
"""

from __future__ import annotations

from typing import Any, Unpack

from adsearch import Budget, Result, State, expectiminimax
from agents.builtin.thinker import SearchLimits, Thinker, deepened


class Expectiminimax(Thinker):
    """Minimax for games of chance: the value of a chance node is its expected value."""

    kinds = ("chance",)

    def __init__(self, *, pruning: expectiminimax.Pruning = "star1", **limits: Unpack[SearchLimits]) -> None:
        super().__init__(**limits)
        self.pruning = pruning

    def think(self, state: State[Any], depth: int | None, budget: Budget | None) -> Result[Any]:
        return deepened(expectiminimax.search, state, depth, budget, evaluate=self.evaluate, pruning=self.pruning)
