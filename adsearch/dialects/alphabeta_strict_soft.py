"""Alpha-beta that stops only when a value is beyond the window, not when it is equal to an end of it.

MAX stops if value > beta, MIN if value < alpha, and both return the best value that they found: a bound, where they
stopped. `alphabeta_strict` stops in the same way, but returns alpha or beta, and so looks at other nodes.
"""

from __future__ import annotations

from math import inf

from adsearch.dialects.alphabeta_strict import StrictAlphaBeta
from adsearch.result import Line
from adsearch.state import Move, State


class SoftStrictAlphaBeta(StrictAlphaBeta[Move]):
    """One search."""

    name = "alphabeta_strict_soft"

    def max_value(self, state: State[Move], depth: int, alpha: float, beta: float) -> tuple[float, Line[Move]]:
        """MAX stops if its best value is greater than beta, raises alpha, and returns its best value."""
        best = -inf
        line: Line[Move] = ()
        moves = state.moves()
        for move in moves:
            self.goes_down(state, move, alpha, beta)
            value, rest = self.value(state.play(move), depth - 1, alpha, beta)
            if value > best:
                best, line = value, (move, rest)
            alpha = max(alpha, best)
            self.comes_back(value, alpha, beta, stops=best > beta and move != moves[-1])
            if best > beta:
                break
        return best, line

    def min_value(self, state: State[Move], depth: int, alpha: float, beta: float) -> tuple[float, Line[Move]]:
        """MIN stops if its best value is less than alpha, lowers beta, and returns its best value."""
        best = inf
        line: Line[Move] = ()
        moves = state.moves()
        for move in moves:
            self.goes_down(state, move, alpha, beta)
            value, rest = self.value(state.play(move), depth - 1, alpha, beta)
            if value < best:
                best, line = value, (move, rest)
            beta = min(beta, best)
            self.comes_back(value, alpha, beta, stops=best < alpha and move != moves[-1])
            if best < alpha:
                break
        return best, line


search = SoftStrictAlphaBeta.search
