"""Minimax: searches every line of play, in iterative deepening until the time is up.

Minimax is the definition of optimal play, and the slowest search: the other agents are compared with it.
"""

from __future__ import annotations

from typing import Any

from adsearch import Budget, Result, State, minimax
from agents.builtin.thinker import Thinker, deepened


class Minimax(Thinker):
    """Searches every line of play without pruning, with iterative deepening."""

    def think(self, state: State[Any], depth: int | None, budget: Budget | None) -> Result[Any]:
        return deepened(minimax.search, state, depth, budget, evaluate=self.evaluate)
