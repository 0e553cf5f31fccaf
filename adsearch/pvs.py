"""Principal variation search, or NegaScout: alpha-beta that bets on its ordering.

The first child is searched with the full window; the others need only be shown to be no better, which a null window
does with fewer nodes. Where one is better after all, the bet is lost and the child is searched again.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nextafter

from adsearch import terms
from adsearch.alphabeta import AlphaBeta
from adsearch.budget import Budget
from adsearch.ordering import Arrange, Ordering
from adsearch.result import Line, Result
from adsearch.searcher import Evaluate, Found
from adsearch.state import Move, State
from adsearch.table import Table
from adsearch.trace import Trace


def search(
    state: State[Move],
    *,
    depth: int | None = None,
    budget: Budget | None = None,
    trace: Trace | None = None,
    evaluate: Evaluate[Move] | None = None,
    alpha: float = -inf,
    beta: float = inf,
    table: bool | Table = False,
    ordering: bool | Ordering[Move] | Arrange[Move] = False,
) -> Result[Move]:
    """The same as alphabeta failing soft: v if it is within the window, else a bound of it."""
    terms.zero_sum(state, "pvs")
    terms.window(alpha, beta)
    limit = terms.plies(state, "pvs", depth, budget)
    searcher = Pvs(budget=budget, trace=trace, evaluate=evaluate, table=table, ordering=ordering)
    return searcher.search(state, depth=depth, limit=limit, alpha=alpha, beta=beta)


class Pvs(AlphaBeta[Move]):
    """One search."""

    def max_value(
        self, state: State[Move], depth: int, alpha: float, beta: float, moves: Sequence[Move]
    ) -> tuple[float, Line[Move]]:
        """MAX shows with null windows just above alpha that no later child is better than the first."""
        line: Line[Move] = ()
        best, trace = -inf, self.trace
        for move in moves:
            child = state.play(move)
            scout = nextafter(alpha, inf) if line else beta
            if trace:
                trace.descend(state.to_text(move), alpha, scout)
            value, rest = self.value(child, depth - 1, alpha, scout)
            if alpha < value < beta and scout < beta:
                if trace:
                    trace.back(value, alpha, beta)
                    trace.descend(state.to_text(move), value, beta)
                value, rest = self.value(child, depth - 1, value, beta)
            if value > best:
                best, line = value, (move, rest)
                if depth == self.root_depth:
                    self.finished = Found(best, line)
            if best > alpha:
                alpha = best
            if trace:
                trace.back(value, alpha, beta, cutoff=alpha >= beta)
            if alpha >= beta:
                if self.ordering:
                    self.ordering.cut_off(state, move, depth)
                break
        return best, line

    def min_value(
        self, state: State[Move], depth: int, alpha: float, beta: float, moves: Sequence[Move]
    ) -> tuple[float, Line[Move]]:
        """MIN shows with null windows just below beta that no later child is better than the first."""
        line: Line[Move] = ()
        best, trace = inf, self.trace
        for move in moves:
            child = state.play(move)
            scout = nextafter(beta, -inf) if line else alpha
            if trace:
                trace.descend(state.to_text(move), scout, beta)
            value, rest = self.value(child, depth - 1, scout, beta)
            if alpha < value < beta and scout > alpha:
                if trace:
                    trace.back(value, alpha, beta)
                    trace.descend(state.to_text(move), alpha, value)
                value, rest = self.value(child, depth - 1, alpha, value)
            if value < best:
                best, line = value, (move, rest)
                if depth == self.root_depth:
                    self.finished = Found(best, line)
            if best < beta:
                beta = best
            if trace:
                trace.back(value, alpha, beta, cutoff=alpha >= beta)
            if alpha >= beta:
                if self.ordering:
                    self.ordering.cut_off(state, move, depth)
                break
        return best, line
