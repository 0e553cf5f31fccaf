"""Principal variation search (NegaScout): alpha-beta that relies on good move ordering.

The first child is searched with the full window. Each later child is searched with a null window, which needs fewer
nodes and only tests whether the child is better. If it is, the child is searched again with the full window.
"""

from __future__ import annotations

from math import inf, nextafter

from adsearch.alphabeta import WindowSearch
from adsearch.result import Line
from adsearch.state import Move, State


class Pvs(WindowSearch[Move]):
    """Returns the same values as fail-soft alpha-beta."""

    name = "pvs"

    def child_value(
        self, state: State[Move], move: Move, depth: int, alpha: float, beta: float, first: bool
    ) -> tuple[float, Line[Move]]:
        if first:
            return super().child_value(state, move, depth, alpha, beta, first)
        child = state.play(move)
        trace = self.trace
        # The null window is just above alpha (for MIN: just below beta). It tests whether the child is better.
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
