"""Principal variation search, or NegaScout: alpha-beta that bets on its ordering.

The first child is searched with the full window; the others need only be shown to be no better, which a null window
does with fewer nodes. Where one is better after all, the bet is lost and the child is searched again.
"""

from __future__ import annotations

from math import inf, nextafter

from adsearch.alphabeta import WindowSearch
from adsearch.result import Line
from adsearch.state import Move, State


class Pvs(WindowSearch[Move]):
    """The same values as alphabeta failing soft."""

    name = "pvs"

    def child_value(
        self, state: State[Move], move: Move, depth: int, alpha: float, beta: float, first: bool
    ) -> tuple[float, Line[Move]]:
        if first:
            return super().child_value(state, move, depth, alpha, beta, first)
        child = state.play(move)
        trace = self.trace
        # A null window just above alpha, or for MIN just below beta, asks whether the child is any better.
        low, high = (alpha, nextafter(alpha, inf)) if state.turn == 0 else (nextafter(beta, -inf), beta)
        if trace:
            trace.descend(state.to_text(move), low, high)
        value, line = self.value(child, depth - 1, low, high)
        if alpha < value < beta:
            low, high = (value, beta) if state.turn == 0 else (alpha, value)
            if trace:
                trace.back(value, alpha, beta)
                trace.descend(state.to_text(move), low, high)
            value, line = self.value(child, depth - 1, low, high)
        return value, line


search = Pvs.search
