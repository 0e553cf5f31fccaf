"""What all depth-first searches share: the account, the trace, the estimate at the horizon, and how a result is made.

An algorithm is a subclass that says what a node is worth. What it finds on the way stays usable when its budget ends.
The `search` of an algorithm without options of its own is the class method `PlainSearch.search`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf, nextafter
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from adsearch import terms
from adsearch.budget import Budget, Effort, OutOfBudget
from adsearch.result import Bound, Line, Result, moves_of
from adsearch.state import CHANCE, Move, State
from adsearch.trace import Trace

Evaluate = Callable[[State[Move], int], float]
"""What a position is worth to a seat, as `State.evaluate` says it."""


F = TypeVar("F", bound=Callable[..., Any])


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
    """One search. Its values are those of the seat `view`: 0 for MAX and MIN, the mover at the root for negamax."""

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
        """The seat whose value the root's value is; the window is for the same seat."""
        return 0

    def run(
        self, state: State[Move], *, depth: int | None, limit: int, alpha: float = -inf, beta: float = inf
    ) -> Result[Move]:
        """The result for `state`, looking `limit` plies ahead, within a window for the seat to move."""
        mirrored = terms.root_seat(state) != self.view(state)
        low, high = (-beta, -alpha) if mirrored else (alpha, beta)
        if self.trace:
            self.trace.begin(state, *(low, high) if self.prunes else ())
        self.root_depth = limit
        self.to_the_end = depth is None
        self.finished = None
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
        trace = self.trace
        self.trace = None
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


def module_function(method: F) -> F:
    """A class method that a module offers as its `search`: an error in a call of it says "search()", as is written."""
    method.__qualname__ = method.__name__
    return method


class PlainSearch(Searcher[Move]):
    """A search without options of its own, for one or two players without chance unless `limit` is replaced."""

    name: ClassVar[str]
    """What errors call the algorithm: its module."""

    @classmethod
    @module_function
    def search(
        cls,
        state: State[Move],
        *,
        depth: int | None = None,
        budget: Budget | None = None,
        trace: Trace | None = None,
        evaluate: Evaluate[Move] | None = None,
    ) -> Result[Move]:
        """What `state` is worth to the seat to move, `depth` plies ahead or to the end, and the first best move.

        At the horizon stands `evaluate(state, seat)`, by default the game's own."""
        limit = cls.limit(state, depth, budget)
        return cls(budget=budget, trace=trace, evaluate=evaluate).within(budget, state, depth, limit)

    @classmethod
    def limit(cls, state: State[Move], depth: int | None, budget: Budget | None) -> int:
        """How many plies to look ahead; BadSearch for games and depths that the algorithm cannot search."""
        terms.zero_sum(state, cls.name)
        return terms.plies(state, cls.name, depth, budget)

    def within(self, budget: Budget | None, state: State[Move], depth: int | None, limit: int) -> Result[Move]:
        """The result, as far as the budget allows."""
        return self.run(state, depth=depth, limit=limit)
