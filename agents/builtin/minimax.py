"""Minimax: looks at every line of play, one ply deeper each time until its time is up.

The definition of good play, and the slowest way to it: the agent to measure the others by.
"""

from __future__ import annotations

from typing import Any

from adsearch import Budget, Result, State, minimax
from agents.builtin.thinker import Thinker, deepened


class Minimax(Thinker):
    """Looks at every line of play, a ply deeper each time."""

    def think(self, state: State[Any], depth: int | None, budget: Budget | None) -> Result[Any]:
        return deepened(minimax.search, state, depth, budget)
