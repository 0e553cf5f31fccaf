"""Quiescence search: alpha-beta that evaluates only quiet positions.

At the horizon the noisy moves (`State.noisy_moves`: captures, boxes to take, threats) are searched until there are
none. This reduces the horizon effect: a loss that is only delayed until it is beyond the horizon.
"""

from __future__ import annotations

from adsearch.alphabeta import WindowSearch
from adsearch.state import Move, State


class Quiescence(WindowSearch[Move]):
    """Alpha-beta with the quiet value of a position instead of its evaluation.

    The quiet value is the best of the evaluation itself (stand pat: no player must play a noisy move) and the quiet
    values after the noisy moves. At depth 0 the quiet value is returned, without a move."""

    name = "quiescence"

    def horizon(self, state: State[Move], alpha: float, beta: float) -> float:
        stand_pat = super().horizon(state, alpha, beta)
        return (
            self.max_quiet(state, alpha, beta, stand_pat)
            if state.turn == 0
            else self.min_quiet(state, alpha, beta, stand_pat)
        )

    def max_quiet(self, state: State[Move], alpha: float, beta: float, best: float) -> float:
        """MAX stands pat with `best`, or plays a noisy move with a higher value."""
        for move in state.noisy_moves():
            alpha = max(alpha, best)
            if alpha >= beta:
                break
            best = max(best, self.quiet(state, move, alpha, beta))
        return best

    def min_quiet(self, state: State[Move], alpha: float, beta: float, best: float) -> float:
        """MIN stands pat with `best`, or plays a noisy move with a lower value."""
        for move in state.noisy_moves():
            beta = min(beta, best)
            if alpha >= beta:
                break
            best = min(best, self.quiet(state, move, alpha, beta))
        return best

    def quiet(self, state: State[Move], move: Move, alpha: float, beta: float) -> float:
        """The quiet value of the child after a noisy move."""
        if self.trace:
            self.trace.descend(state.to_text(move), alpha, beta)
        value, _ = self.value(state.play(move), 0, alpha, beta)
        if self.trace:
            self.trace.back(value, alpha, beta)
        return value


search = Quiescence.search
