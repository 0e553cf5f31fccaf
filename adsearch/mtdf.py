"""MTD(f): alpha-beta with null windows only; each returns a lower or an upper bound of the value.

The first null window is at a guess of the value, each later one at the bound that the previous one returned, until
lower and upper bound are equal. A transposition table makes the repeated searches cheap.
"""

from __future__ import annotations

from math import inf, nextafter

from adsearch import terms
from adsearch.alphabeta import AlphaBeta
from adsearch.budget import Budget
from adsearch.null_windows import NullWindows
from adsearch.ordering import Arrange, Ordering
from adsearch.result import Result
from adsearch.searcher import Evaluate
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
    guess: float | None = None,
    table: bool | Table = True,
    ordering: bool | Ordering[Move] | Arrange[Move] = False,
) -> Result[Move]:
    """The minimax value. `guess`: where the first null window is, for the seat to move (default: the evaluation)."""
    terms.zero_sum(state, "mtdf")
    limit = terms.plies(state, "mtdf", depth, budget)
    searcher = AlphaBeta(budget=budget, trace=trace, evaluate=evaluate, table=table, ordering=ordering)
    guess = searcher.evaluate(state, terms.root_seat(state)) if guess is None else guess
    return converge(searcher, state, depth, limit, guess)


def converge(
    searcher: AlphaBeta[Move], state: State[Move], depth: int | None, limit: int, guess: float
) -> Result[Move]:
    """The result of `searcher` with null windows, the first at `guess`."""
    windows = NullWindows(searcher, state, depth, limit)
    value = guess
    while windows.open:
        # At a lower bound, test whether the value is larger; else whether it is at least `value`.
        beta = nextafter(value, inf) if value == windows.lower else value
        value = windows.ask(beta)
    return windows.result()
