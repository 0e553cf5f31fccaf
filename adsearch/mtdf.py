"""MTD(f): alpha-beta with null windows only; each returns a lower or an upper bound of the value.

The first null window is at a guess of the value, each later one at the bound that the previous one returned, until
lower and upper bound are equal. A transposition table makes the repeated searches cheap.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf, nextafter
from typing import Generic

from adsearch import terms
from adsearch.alphabeta import AlphaBeta
from adsearch.budget import Budget
from adsearch.form import in_either_form
from adsearch.ordering import Arrange, Ordering
from adsearch.result import Bound, Result, line_of, moves_of
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


# Null windows: a lower and an upper bound of a position's value, improved by one null-window search after another.


class NullWindows(Generic[Move]):
    """Bounds of the value v of `state`: lower <= v <= upper."""

    def __init__(self, searcher: AlphaBeta[Move], state: State[Move], depth: int | None, limit: int) -> None:
        self.searcher = searcher
        self.state = state
        self.depth = depth
        self.limit = limit
        self.lower, self.upper = terms.bounds_for(state, terms.root_seat(state))
        self._proven = {Bound.LOWER: True, Bound.UPPER: True}
        self._last: Result[Move] | None = None
        # The last result that failed high: it has the move to play.
        self._best: Result[Move] | None = None

    @property
    def open(self) -> bool:
        """Whether lower < upper and the budget is not used up."""
        return not self.searcher.was_cut() and (self.lower < self.upper or self._last is None)

    def ask(self, beta: float) -> float:
        """Test with a null window whether v >= `beta`; update a bound, and return it."""
        alpha = nextafter(beta, -inf)
        result = self.searcher.run(self.state, depth=self.depth, limit=self.limit, alpha=alpha, beta=beta)
        if not self.searcher.was_cut():
            self._last = result
            self._proven[result.bound] = self.searcher.proven
            if result.bound is Bound.LOWER:
                self._best, self.lower = result, max(self.lower, result.value)
            else:
                self.upper = min(self.upper, result.value)
        elif self._last is None:
            self._last = result
        return result.value

    def result(self) -> Result[Move]:
        """The result so far."""
        known = self._best or self._last
        assert known is not None
        value = self.lower if self._best else known.value
        closed = not self.searcher.was_cut()
        line = self._line(known.line, value) if closed else known.line
        exact = closed and (all(self._proven.values()) or self.searcher.is_final(self.state, value))
        return replace(
            known,
            value=value,
            line=line,
            depth=known.depth if closed else 0,
            nodes=self.searcher.effort.nodes,
            exact=exact,
            bound=Bound.EXACT if closed else known.bound,
        )

    def _line(self, line: tuple[Move, ...], value: float) -> tuple[Move, ...]:
        """A principal variation that leads to `value`.

        With a table, the line of a null-window search can contain a worse reply that has the same bound. Such a line is
        searched again from its second move, with the full window."""
        end = self.state
        searcher = self.searcher
        for move in line:
            end = end.play(move)
        if searcher.table is None or searcher.evaluate(end, terms.root_seat(self.state)) == value:
            return line
        return moves_of(searcher.completed(self.state, line_of(line[:1]), self.limit))
