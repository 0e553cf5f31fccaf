"""Expectiminimax: minimax for games of chance, one ply deeper each time until its time is up.

A throw is worth the average of what may come of it. In games without chance it is plain minimax.
"""

from __future__ import annotations

from typing import Any, Unpack

from adsearch import Budget, Result, State, expectiminimax
from agents.builtin.thinker import Limits, Thinker, deepened


class Expectiminimax(Thinker):
    """Minimax for games of chance: a throw is worth its average."""

    kinds = ("chance",)

    def __init__(self, *, pruning: expectiminimax.Pruning = "star1", **limits: Unpack[Limits]) -> None:
        super().__init__(**limits)
        self.pruning = pruning

    def think(self, state: State[Any], depth: int | None, budget: Budget | None) -> Result[Any]:
        return deepened(expectiminimax.search, state, depth, budget, pruning=self.pruning)
