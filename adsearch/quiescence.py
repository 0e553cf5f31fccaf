"""Quiescence: alpha-beta that does not judge a position in the middle of a fight.

At the horizon the noisy moves (`State.noisy_moves`: captures, boxes to take, threats) are still followed until there
are none. Against the horizon effect, in which a loss is not averted but pushed out of sight.
"""

from __future__ import annotations

from adsearch.alphabeta import WindowSearch
from adsearch.state import Move, State


class Quiescence(WindowSearch[Move]):
    """The same as alphabeta, with the quiet value of a position in the place of its estimate.

    The quiet value is the best of the estimate itself (standing pat: nobody is forced to fight) and of what the noisy
    moves lead to. At depth 0 it is what is returned, without a move."""

    name = "quiescence"

    def horizon(self, state: State[Move], alpha: float, beta: float) -> float:
        stand_pat = super().horizon(state, alpha, beta)
        return (
            self.max_quiet(state, alpha, beta, stand_pat)
            if state.turn == 0
            else self.min_quiet(state, alpha, beta, stand_pat)
        )

    def max_quiet(self, state: State[Move], alpha: float, beta: float, best: float) -> float:
        """MAX takes `best` as it stands, or a noisy move that leads to more."""
        for move in state.noisy_moves():
            alpha = max(alpha, best)
            if alpha >= beta:
                break
            best = max(best, self.quiet(state, move, alpha, beta))
        return best

    def min_quiet(self, state: State[Move], alpha: float, beta: float, best: float) -> float:
        """MIN takes `best` as it stands, or a noisy move that leads to less."""
        for move in state.noisy_moves():
            beta = min(beta, best)
            if alpha >= beta:
                break
            best = min(best, self.quiet(state, move, alpha, beta))
        return best

    def quiet(self, state: State[Move], move: Move, alpha: float, beta: float) -> float:
        """The quiet value of the child that a noisy move leads to."""
        if self.trace:
            self.trace.descend(state.to_text(move), alpha, beta)
        value, _ = self.value(state.play(move), 0, alpha, beta)
        if self.trace:
            self.trace.back(value, alpha, beta)
        return value


search = Quiescence.search
