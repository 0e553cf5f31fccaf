"""Negamax with bounds: alpha-beta in one case instead of two.

Every value and every window is for the player to move at its node: the child's window is [-beta, -alpha]. If the same
player moves again, nothing is negated.
"""

from __future__ import annotations

from math import inf

from adsearch import terms
from adsearch.dialects import Dialect
from adsearch.result import Line
from adsearch.state import Move, State
from adsearch.trace import Backup


class NegamaxWithBounds(Dialect[Move]):
    """One search."""

    name = "negamax_bounds"
    backup = Backup.NEGAMAX

    def view(self, state: State[Move]) -> int:
        return terms.root_seat(state)

    def value(self, state: State[Move], depth: int, alpha: float, beta: float) -> tuple[float, Line[Move]]:
        return self.value_for(self.view(state), state, depth, alpha, beta)

    def value_for(
        self, seat: int, state: State[Move], depth: int, alpha: float, beta: float
    ) -> tuple[float, Line[Move]]:
        """The value for `seat`, which is to move (in a finished game: would be)."""
        if self.is_leaf(state, depth):
            return self.leaf_value(state, seat), ()
        best = -inf
        line: Line[Move] = ()
        moves = state.moves()
        for move in moves:
            child = state.play(move)
            if child.turn == seat or state.players == 1:
                self.goes_down(state, move, alpha, beta)
                returned, rest = self.value_for(seat, child, depth - 1, alpha, beta)
                value = returned
            else:
                self.goes_down(state, move, -beta, -alpha)
                returned, rest = self.value_for(1 - seat, child, depth - 1, -beta, -alpha)
                value = -returned
            if value > best:
                best, line = value, (move, rest)
            alpha = max(alpha, best)
            self.comes_back(returned, alpha, beta, stops=beta <= alpha and move != moves[-1])
            if beta <= alpha:
                break
        return best, line


search = NegamaxWithBounds.search
