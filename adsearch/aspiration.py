"""Aspiration windows: alpha-beta that starts with a narrow window around a guess of the value.

A narrow window gives more cutoffs. If the value is outside, the search returns only a bound and is repeated with the
window open on that side.
"""

from __future__ import annotations

from math import inf

from adsearch import terms
from adsearch.alphabeta import AlphaBeta
from adsearch.budget import Budget
from adsearch.errors import BadSearch
from adsearch.form import in_either_form
from adsearch.ordering import Arrange, Ordering
from adsearch.result import Bound, Result
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
    guess: float | None = None,
    margin: float | None = None,
    table: bool | Table = False,
    ordering: bool | Ordering[Move] | Arrange[Move] = False,
) -> Result[Move]:
    """The minimax value, the same as alpha-beta with the full window returns.

    The first window is [guess - margin, guess + margin]. `guess` is for the seat to move (default: the evaluation of
    `state`); the default of `margin` is a tenth of the range of the utilities, at most 2."""
    terms.zero_sum(state, "aspiration")
    limit = terms.plies(state, "aspiration", depth, budget)
    searcher = AlphaBeta(budget=budget, trace=trace, evaluate=evaluate, table=table, ordering=ordering)
    guess = searcher.evaluate(state, terms.root_seat(state)) if guess is None else guess
    low, high = state.bounds
    margin = (min(high - low, 20.0) / 10.0) if margin is None else margin
    if not margin > 0:
        raise BadSearch(f"aspiration: expected a margin above 0, got {margin:g}")
    return widened(searcher, state, depth, limit, guess, margin)


def widened(
    searcher: AlphaBeta[Move], state: State[Move], depth: int | None, limit: int, guess: float, margin: float
) -> Result[Move]:
    """The result of `searcher`; the first window is `guess` plus and minus `margin`."""
    alpha, beta = guess - margin, guess + margin
    result = searcher.run(state, depth=depth, limit=limit, alpha=alpha, beta=beta)
    while result.bound is not Bound.EXACT and not searcher.was_cut():
        # In fail-soft search the returned bound itself can be the value: the new window must contain it.
        alpha, beta = (result.value - margin, inf) if result.bound is Bound.LOWER else (-inf, result.value + margin)
        result = searcher.run(state, depth=depth, limit=limit, alpha=alpha, beta=beta)
    return result
