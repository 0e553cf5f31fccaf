"""An agent for each of the other algorithms that can play, in the same few lines.

Each thinks one ply deeper each time until its time is up, and plays what the last whole search said.
"""

from __future__ import annotations

from typing import Any, Unpack

from adsearch import Budget, Result, State, expectimax, maxn, negamax, paranoid, selective
from agents.builtin.alphabeta import AlphaBeta
from agents.builtin.thinker import Limits, Thinker, check, deepened


class Negamax(Thinker):
    """Minimax written for the side to move."""

    def think(self, state: State[Any], depth: int | None, budget: Budget | None) -> Result[Any]:
        return deepened(negamax.search, state, depth, budget)


class Mtdf(AlphaBeta):
    """Alpha-beta with null windows only, each asking on which side of it the value lies."""

    algorithm = "mtdf"


class Selective(Thinker):
    """Alpha-beta that looks at only the best few moves of each position, and so deeper."""

    def __init__(self, *, width: int = 4, **limits: Unpack[Limits]) -> None:
        super().__init__(**limits)
        check("width", width, 1)
        self.width = width

    def think(self, state: State[Any], depth: int | None, budget: Budget | None) -> Result[Any]:
        return deepened(selective.search, state, depth, budget, width=self.width)


class Expectimax(Thinker):
    """Expects all others to play at random, and makes the most of it."""

    kinds = ("chance", "several")

    def think(self, state: State[Any], depth: int | None, budget: Budget | None) -> Result[Any]:
        return deepened(expectimax.search, state, depth, budget)


class Maxn(Thinker):
    """For any number of players, each of whom takes what is best for itself."""

    kinds = ("chance", "several")

    def think(self, state: State[Any], depth: int | None, budget: Budget | None) -> Result[Any]:
        return deepened(maxn.search, state, depth, budget)


class Paranoid(Thinker):
    """For any number of players: expects all others to play against it."""

    kinds = ("chance", "several")

    def think(self, state: State[Any], depth: int | None, budget: Budget | None) -> Result[Any]:
        return deepened(paranoid.search, state, depth, budget)
