"""Alpha-beta: minimax that leaves out what cannot matter, one ply deeper each time until its time is up.

What it found out about positions and moves it keeps for its next turn: the game goes on where it looked.
"""

from __future__ import annotations

from typing import Any, Unpack

from adsearch import Budget, Result, State, Table, deepening
from adsearch.ordering import Ordering
from agents.builtin.thinker import TABLE_SIZE, Limits, Thinker


class AlphaBeta(Thinker):
    """Minimax without what cannot matter, a ply deeper each time."""

    algorithm: deepening.Algorithm = "alphabeta"

    def __init__(self, *, table: bool = True, ordering: bool = True, **limits: Unpack[Limits]) -> None:
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
            algorithm=self.algorithm,
            table=self.table,
            ordering=self.ordering,
        )
