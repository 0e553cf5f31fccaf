"""Bisection: the value of a game by null windows at the middle of the interval [lower, upper].

Each null window halves the interval, or more, because alpha-beta is fail-soft. MTD(f) starts from a guess instead.
"""

from __future__ import annotations

from math import inf, isinf, nextafter

from adsearch import terms
from adsearch.alphabeta import AlphaBeta
from adsearch.budget import Budget
from adsearch.form import in_either_form
from adsearch.mtdf import NullWindows
from adsearch.ordering import Arrange, Ordering
from adsearch.result import Result
from adsearch.searcher import Evaluate
from adsearch.state import Move, State
from adsearch.table import Table
from adsearch.trace import Trace


@in_either_form
def search(
    state: State[Move],
    *,
    depth: int | None = None,
    budget: Budget | None = None,
    trace: Trace | None = None,
    evaluate: Evaluate[Move] | None = None,
    table: bool | Table = True,
    ordering: bool | Ordering[Move] | Arrange[Move] = False,
) -> Result[Move]:
    """The minimax value; the first interval is the bounds of the game's utilities."""
    terms.zero_sum(state, "bisection")
    limit = terms.plies(state, "bisection", depth, budget)
    searcher = AlphaBeta(budget=budget, trace=trace, evaluate=evaluate, table=table, ordering=ordering)
    windows = NullWindows(searcher, state, depth, limit)
    while windows.open:
        windows.ask(_above_the_middle(windows.lower, windows.upper))
    return windows.result()


def _above_the_middle(lower: float, upper: float) -> float:
    """A number in (lower, upper], as near the middle as possible."""
    if isinf(lower) and isinf(upper):
        return 0.0
    if isinf(lower):
        return 2.0 * upper if upper < 0 else upper - 1.0
    if isinf(upper):
        return 2.0 * lower if lower > 0 else lower + 1.0
    return min(max((lower + upper) / 2.0, nextafter(lower, inf)), upper)
