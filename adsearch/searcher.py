"""What all depth-first searches share: the account, the trace, the estimate at the horizon, and how a result is told.

An algorithm is a subclass that says what a node is worth. What it finds on the way stays usable when its budget ends.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf, nextafter
from typing import Generic, NamedTuple

from adsearch import terms
from adsearch.budget import Budget, Effort, OutOfBudget
from adsearch.result import Bound, Line, Result, moves_of
from adsearch.state import CHANCE, Move, State
from adsearch.trace import Trace

Evaluate = Callable[[State[Move], int], float]
"""What a position is worth to a seat, as `State.evaluate` says it."""


def inside(evaluate: Evaluate[Move]) -> Evaluate[Move]:
    """`evaluate`, whatever it says brought strictly inside the bounds: no estimate may pass for a proven win."""
    ends: dict[int, tuple[float, float]] = {}

    def estimate(state: State[Move], seat: int) -> float:
        value = evaluate(state, seat)
        if seat not in ends:
            low, high = terms.bounds_for(state, seat)
            ends[seat] = nextafter(low, inf), nextafter(high, -inf)
        least, most = ends[seat]
        if least <= value <= most:
            return value
        return most if value > most else least

    return estimate


class Found(NamedTuple, Generic[Move]):
    """What a search knows of a node."""

    value: float
    line: Line[Move]
    distance: int | None = None
    """Plies to the end, where the algorithm minds them."""


class Searcher(ABC, Generic[Move]):
    """One search. `view` is the seat it tells values for: 0 for MAX and MIN, the mover at the root for negamax."""

    prunes = True
    """Whether it minds a window."""

    def __init__(
        self,
        *,
        budget: Budget | None = None,
        trace: Trace | None = None,
        evaluate: Evaluate[Move] | None = None,
    ) -> None:
        self.effort = Effort(budget)
        self.trace = trace
        self.evaluate: Evaluate[Move] = inside(evaluate) if evaluate else lambda state, seat: state.evaluate(seat)
        self.root_depth = -1
        self.to_the_end = False
        # After a search: whether its value, or bound, is the game's own.
        self.proven = False
        self._cut = False
        # Whether a search begins with the best move of the one before it.
        self.tries_the_best_first = False
        # At the root, the best of the moves whose values are known so far.
        self.finished: Found[Move] | None = None

    @abstractmethod
    def root(self, state: State[Move], depth: int, alpha: float, beta: float) -> Found[Move]:
        """The value of `state`, which is not over, for `view(state)`, looking `depth` plies ahead."""

    def view(self, state: State[Move]) -> int:
        """The seat for which the root's value, and the window, are told."""
        return 0

    def search(
        self, state: State[Move], *, depth: int | None, limit: int, alpha: float = -inf, beta: float = inf
    ) -> Result[Move]:
        """The result for `state`, looking `limit` plies ahead, within a window for the seat to move."""
        mirrored = terms.root_seat(state) != self.view(state)
        low, high = (-beta, -alpha) if mirrored else (alpha, beta)
        if self.trace:
            self.trace.begin(state, *(low, high) if self.prunes else ())
        self.root_depth, self.to_the_end, self.finished = limit, depth is None, None
        estimates = self.effort.estimates
        try:
            value, line, distance = self.root(state, limit, low, high)
            self._cut = False
        except OutOfBudget:
            value, line, distance = self.finished or self._first_move(state)
            self._cut = True
        value = 0.0 - value if mirrored else value + 0.0
        bound = Bound.LOWER if value >= beta else Bound.UPPER if value <= alpha else Bound.EXACT
        self.proven = not self._cut and (self.effort.estimates == estimates or self.is_final(state, value))
        exact = self.proven and bound is Bound.EXACT
        moves = moves_of(line)
        return Result(
            value=value,
            move=moves[0] if moves else None,
            line=moves,
            depth=0 if self._cut else None if depth is None else limit,
            nodes=self.effort.nodes,
            exact=exact,
            bound=bound,
            distance=0 if state.turn is None else distance if exact else None,
        )

    @contextmanager
    def untraced(self) -> Iterator[None]:
        """Nothing that is looked up inside is traced: it is not the search itself."""
        trace, self.trace = self.trace, None
        try:
            yield
        finally:
            self.trace = trace

    def was_cut(self) -> bool:
        """Whether its budget ended the last search."""
        return self._cut

    def is_final(self, state: State[Move], value: float) -> bool:
        """Whether `value`, for the seat to move, is one that no estimate reaches: a bound of the game."""
        return value in terms.bounds_for(state, terms.root_seat(state))

    def _first_move(self, state: State[Move]) -> Found[Move]:
        """What to answer when there was no time for anything."""
        line: Line[Move] = () if state.turn in (None, CHANCE) else (state.moves()[0], ())
        return Found(self.evaluate(state, self.view(state)), line)
