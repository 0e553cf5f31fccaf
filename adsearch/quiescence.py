"""Quiescence search: alpha-beta that evaluates only quiet positions.

At the horizon the noisy moves (`State.noisy_moves`: captures, boxes to take, threats) are searched until there are
none. This reduces the horizon effect: a loss that is only delayed until it is beyond the horizon.
"""

from __future__ import annotations

from collections.abc import Sequence

from adsearch.alphabeta import WindowSearch
from adsearch.result import Bound
from adsearch.state import Move, State


class Quiescence(WindowSearch[Move]):
    """Alpha-beta with the quiet value of a position instead of its evaluation.

    The quiet value is the best of the evaluation itself (stand pat: no player must play a noisy move) and the quiet
    values after the noisy moves. At depth 0 the quiet value is returned, without a move."""

    name = "quiescence"

    def horizon(self, state: State[Move], alpha: float, beta: float) -> float:
        stand_pat = super().horizon(state, alpha, beta)
        moves = state.noisy_moves()
        if not moves:
            return stand_pat
        if self.trace:
            self.trace.stands_pat(stand_pat)
        quiet = self.max_quiet if state.turn == 0 else self.min_quiet
        return quiet(state, alpha, beta, stand_pat, moves)

    def max_quiet(self, state: State[Move], alpha: float, beta: float, best: float, moves: Sequence[Move]) -> float:
        """MAX stands pat with `best`, or plays a noisy move with a higher value."""
        trace = self.trace
        if best >= beta:
            if trace:
                trace.bounded(Bound.LOWER)
            return best
        alpha = max(alpha, best)
        for move in moves:
            value = self.quiet(state, move, alpha, beta)
            best = max(best, value)
            alpha = max(alpha, best)
            if trace:
                trace.back(value, alpha, beta, cutoff=alpha >= beta and move != moves[-1])
            if alpha >= beta:
                break
        return best

    def min_quiet(self, state: State[Move], alpha: float, beta: float, best: float, moves: Sequence[Move]) -> float:
        """MIN stands pat with `best`, or plays a noisy move with a lower value."""
        trace = self.trace
        if best <= alpha:
            if trace:
                trace.bounded(Bound.UPPER)
            return best
        beta = min(beta, best)
        for move in moves:
            value = self.quiet(state, move, alpha, beta)
            best = min(best, value)
            beta = min(beta, best)
            if trace:
                trace.back(value, alpha, beta, cutoff=alpha >= beta and move != moves[-1])
            if alpha >= beta:
                break
        return best

    def quiet(self, state: State[Move], move: Move, alpha: float, beta: float) -> float:
        """The quiet value of the child after a noisy move."""
        if self.trace:
            self.trace.descend(state.to_text(move), alpha, beta)
        return self.value(state.play(move), 0, alpha, beta)[0]


search = Quiescence.search
