"""Alpha-beta that stops only when alpha is greater than beta, not when they are equal.

MAX returns alpha, and MIN returns beta. It looks at more nodes than alpha-beta where two values are equal.
"""

from __future__ import annotations

from adsearch.dialects import Dialect
from adsearch.result import Line
from adsearch.state import Move, State


class StrictAlphaBeta(Dialect[Move]):
    """One search."""

    name = "alphabeta_strict"

    def value(self, state: State[Move], depth: int, alpha: float, beta: float) -> tuple[float, Line[Move]]:
        if self.is_leaf(state, depth):
            return self.leaf_value(state, 0), ()
        if state.turn == 0:
            return self.max_value(state, depth, alpha, beta)
        return self.min_value(state, depth, alpha, beta)

    def max_value(self, state: State[Move], depth: int, alpha: float, beta: float) -> tuple[float, Line[Move]]:
        """MAX raises alpha, stops if alpha > beta, and returns alpha."""
        line: Line[Move] = ()
        moves = state.moves()
        for move in moves:
            self.goes_down(state, move, alpha, beta)
            value, rest = self.value(state.play(move), depth - 1, alpha, beta)
            if value > alpha:
                alpha, line = value, (move, rest)
            self.comes_back(value, alpha, beta, stops=alpha > beta and move != moves[-1])
            if alpha > beta:
                break
        return alpha, line

    def min_value(self, state: State[Move], depth: int, alpha: float, beta: float) -> tuple[float, Line[Move]]:
        """MIN lowers beta, stops if alpha > beta, and returns beta."""
        line: Line[Move] = ()
        moves = state.moves()
        for move in moves:
            self.goes_down(state, move, alpha, beta)
            value, rest = self.value(state.play(move), depth - 1, alpha, beta)
            if value < beta:
                beta, line = value, (move, rest)
            self.comes_back(value, alpha, beta, stops=alpha > beta and move != moves[-1])
            if alpha > beta:
                break
        return beta, line


search = StrictAlphaBeta.search
