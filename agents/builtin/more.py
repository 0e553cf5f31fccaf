"""An agent for each of the other search algorithms, in a few lines each.

Each uses iterative deepening until the time is up, and plays the move of the last completed search.
"""

from __future__ import annotations

from typing import Any, Unpack

from adsearch import Budget, Result, State, expectimax, maxn, negamax, paranoid, selective
from agents.builtin.alphabeta import AlphaBeta
from agents.builtin.thinker import SearchLimits, Thinker, check, deepened


class Negamax(Thinker):
    """Minimax with values from the view of the player to move."""

    def think(self, state: State[Any], depth: int | None, budget: Budget | None) -> Result[Any]:
        return deepened(negamax.search, state, depth, budget, evaluate=self.evaluate)


class Mtdf(AlphaBeta):
    """MTD(f): alpha-beta with null windows only, which bound the value from both sides."""

    algorithm = "mtdf"


class Quiescence(AlphaBeta):
    """Principal variation search that also searches the captures and threats beyond its depth."""

    algorithm = "pvs"
    quiescence = True


class Selective(Thinker):
    """Alpha-beta with only the best few moves of each position, and so deeper (forward pruning)."""

    def __init__(self, *, width: int = 4, **limits: Unpack[SearchLimits]) -> None:
        super().__init__(**limits)
        check("width", width, 1)
        self.width = width

    def think(self, state: State[Any], depth: int | None, budget: Budget | None) -> Result[Any]:
        return deepened(selective.search, state, depth, budget, evaluate=self.evaluate, width=self.width)


class Expectimax(Thinker):
    """Maximizes its expected utility, as if all other players moved at random."""

    kinds = ("chance", "several")

    def think(self, state: State[Any], depth: int | None, budget: Budget | None) -> Result[Any]:
        return deepened(expectimax.search, state, depth, budget, evaluate=self.evaluate)


class Maxn(Thinker):
    """For any number of players: each player maximizes its own utility."""

    kinds = ("chance", "several")

    def think(self, state: State[Any], depth: int | None, budget: Budget | None) -> Result[Any]:
        return deepened(maxn.search, state, depth, budget, evaluate=self.evaluate)


class Paranoid(Thinker):
    """For any number of players: all other players minimize its utility."""

    kinds = ("chance", "several")

    def think(self, state: State[Any], depth: int | None, budget: Budget | None) -> Result[Any]:
        return deepened(paranoid.search, state, depth, budget, evaluate=self.evaluate)
