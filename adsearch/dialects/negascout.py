"""NegaScout for utilities that are whole numbers, written for MAX and MIN.

The first child is searched with the whole window. Each later child of MAX is searched with [alpha, alpha + 1], in which
there is no other whole number, and once more if it is better. MAX returns alpha, and MIN returns beta.
`adsearch.pvs` is the same idea for all numbers.
"""

from __future__ import annotations

from adsearch.dialects import Dialect
from adsearch.errors import BadSearch
from adsearch.result import Line
from adsearch.state import Move, State


class NegaScout(Dialect[Move]):
    """One search."""

    name = "negascout"

    def value(self, state: State[Move], depth: int, alpha: float, beta: float) -> tuple[float, Line[Move]]:
        if self.is_leaf(state, depth):
            return self.leaf_value(state, 0), ()
        if state.turn == 0:
            return self.max_value(state, depth, alpha, beta)
        return self.min_value(state, depth, alpha, beta)

    def max_value(self, state: State[Move], depth: int, alpha: float, beta: float) -> tuple[float, Line[Move]]:
        """MAX raises alpha, stops if beta <= alpha, and returns alpha."""
        line: Line[Move] = ()
        moves = state.moves()
        high = beta
        for move in moves:
            child = state.play(move)
            self.goes_down(state, move, alpha, high)
            value, rest = self.value(child, depth - 1, alpha, high)
            if alpha < value < beta and move != moves[0]:
                self.comes_back(value, alpha, beta)
                self.goes_down(state, move, value, beta)
                value, rest = self.value(child, depth - 1, value, beta)
            if value > alpha:
                alpha, line = value, (move, rest)
            self.comes_back(value, alpha, beta, stops=beta <= alpha and move != moves[-1])
            if beta <= alpha:
                break
            high = alpha + 1
        return alpha, line

    def min_value(self, state: State[Move], depth: int, alpha: float, beta: float) -> tuple[float, Line[Move]]:
        """MIN lowers beta, stops if beta <= alpha, and returns beta."""
        line: Line[Move] = ()
        moves = state.moves()
        low = alpha
        for move in moves:
            child = state.play(move)
            self.goes_down(state, move, low, beta)
            value, rest = self.value(child, depth - 1, low, beta)
            if alpha < value < beta and move != moves[0]:
                self.comes_back(value, alpha, beta)
                self.goes_down(state, move, alpha, value)
                value, rest = self.value(child, depth - 1, alpha, value)
            if value < beta:
                beta, line = value, (move, rest)
            self.comes_back(value, alpha, beta, stops=beta <= alpha and move != moves[-1])
            if beta <= alpha:
                break
            low = beta - 1
        return beta, line

    def leaf_value(self, state: State[Move], seat: int) -> float:
        value = super().leaf_value(state, seat)
        if value != round(value):
            kind = "utilities" if state.turn is None else "estimates"
            raise BadSearch(f"negascout needs {kind} that are whole numbers, got {value:g}; try pvs")
        return value


search = NegaScout.search
