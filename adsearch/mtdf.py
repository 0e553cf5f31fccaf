"""MTD(f): alpha-beta with null windows only, each of which says on which side of it the value lies.

From a first guess the null windows walk towards the value, each at the bound that the last one gave, until the bounds
meet. A table makes the many searches cheap, for each remembers what those before it found.
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
    """The minimax value, from a first `guess` for the seat to move, by default the evaluation of `state`."""
    terms.zero_sum(state, "mtdf")
    limit = terms.plies(state, "mtdf", depth, budget)
    searcher = AlphaBeta(budget=budget, trace=trace, evaluate=evaluate, table=table, ordering=ordering)
    guess = searcher.evaluate(state, terms.root_seat(state)) if guess is None else guess
    return converge(searcher, state, depth, limit, guess)


def converge(
    searcher: AlphaBeta[Move], state: State[Move], depth: int | None, limit: int, guess: float
) -> Result[Move]:
    """The result of `searcher` by null windows, the first of them at `guess`."""
    windows = NullWindows(searcher, state, depth, limit)
    value = guess
    while windows.open:
        # At a lower bound, ask whether there is more; else, whether there is as much as this.
        beta = nextafter(value, inf) if value == windows.lower else value
        value = windows.ask(beta)
    return windows.result()
