"""Alpha-beta: minimax with pruning, in iterative deepening until the time is up.

The transposition table and the move ordering are kept for the agent's next turn, because the game continues in the tree
that was searched.
"""

from __future__ import annotations

from typing import Any, Unpack

from adsearch import Budget, Result, State, Table, deepening
from adsearch.ordering import Ordering
from agents.builtin.thinker import TABLE_SIZE, SearchLimits, Thinker


class AlphaBeta(Thinker):
    """Minimax with alpha-beta pruning and iterative deepening."""

    algorithm: deepening.Algorithm = "alphabeta"
    quiescence = False

    def __init__(self, *, table: bool = True, ordering: bool = True, **limits: Unpack[SearchLimits]) -> None:
        super().__init__(**limits)
        self.table: bool | Table = table
        self.ordering: bool | Ordering[Any] = ordering

    def begin(self, state: State[Any], seat: int) -> None:
        super().begin(state, seat)
        self.table = Table(TABLE_SIZE) if self.table else False
        self.ordering = Ordering() if self.ordering else False

    def think(self, state: State[Any], depth: int | None, budget: Budget | None) -> Result[Any]:
        return deepening.search(
            state,
            depth=depth,
            budget=budget,
            evaluate=self.evaluate,
            algorithm=self.algorithm,
            table=self.table,
            ordering=self.ordering,
            quiescence=self.quiescence,
        )
