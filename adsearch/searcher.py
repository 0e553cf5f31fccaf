"""Searcher, the base class of all depth-first searches: nodes and budget, trace, evaluation at the horizon, and result.

An algorithm is a subclass that computes the value of a node. When the budget ends, the result is the best move that was
completely searched. `PlainSearch.search` is the `search` function of algorithms without options of their own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf, nextafter
from typing import ClassVar, Generic, NamedTuple

from adsearch import terms
from adsearch.budget import Budget, Effort, OutOfBudget
from adsearch.form import in_either_form
from adsearch.result import Bound, Line, Result, moves_of
from adsearch.state import CHANCE, Move, State
from adsearch.trace import Backup, Trace

Evaluate = Callable[[State[Move], int], float]
"""An evaluation function such as `State.evaluate`: a position and a seat -> a value for that seat."""


def inside(evaluate: Evaluate[Move]) -> Evaluate[Move]:
    """`evaluate` with its values clamped strictly inside the game's bounds: an estimate must not look like a proven
    win."""
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
    """The backed-up value of a node, with its principal variation."""

    value: float
    line: Line[Move]
    distance: int | None = None
    """Plies to the end, if the algorithm computes them."""


class Searcher(ABC, Generic[Move]):
    """One search. Its values are for the seat `view`: seat 0 (MAX) in minimax, the seat to move at the root in
    negamax."""

    prunes = True
    """Whether it uses a window [alpha, beta]."""
    backup: ClassVar[Backup] = Backup.MINIMAX
    """How a node's value comes from those of its children, as a trace says it."""

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
        # After a search: whether its value, or bound, is one of the game itself, without estimates.
        self.proven = False
        self._cut = False
        # Whether a search starts with the best move of the previous one.
        self.tries_the_best_first = False
        # At the root: the best move among those that are completely searched.
        self.finished: Found[Move] | None = None

    @abstractmethod
    def root(self, state: State[Move], depth: int, alpha: float, beta: float) -> Found[Move]:
        """The value of `state` for the seat `view(state)`, searched `depth` plies deep."""

    def view(self, state: State[Move]) -> int:
        """The seat that the root's value and window are for."""
        return 0

    def run(
        self, state: State[Move], *, depth: int | None, limit: int, alpha: float = -inf, beta: float = inf
    ) -> Result[Move]:
        """The result for `state`, searched `limit` plies deep, with a window for the seat to move."""
        mirrored = terms.root_seat(state) != self.view(state)
        low, high = (-beta, -alpha) if mirrored else (alpha, beta)
        if self.trace:
            self.trace.begin(state, *(low, high) if self.prunes else (), seat=self.view(state), backup=self.backup)
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
        """Switch the trace off in this block: what is searched there is not part of the search itself."""
        trace = self.trace
        self.trace = None
        try:
            yield
        finally:
            self.trace = trace

    def was_cut(self) -> bool:
        """Whether the budget ended the last search."""
        return self._cut

    def is_final(self, state: State[Move], value: float) -> bool:
        """Whether `value` (for the seat to move) is a bound of the game's utilities, which no estimate can be."""
        return value in terms.bounds_for(state, terms.root_seat(state))

    def _first_move(self, state: State[Move]) -> Found[Move]:
        """The first move with an estimate, for a budget too small to search any move."""
        line: Line[Move] = () if state.turn in (None, CHANCE) else (state.moves()[0], ())
        return Found(self.evaluate(state, self.view(state)), line)


class PlainSearch(Searcher[Move]):
    """A search without options of its own, for one or two players without chance unless `limit` is overridden."""

    name: ClassVar[str]
    """The algorithm's name in errors."""

    @classmethod
    @in_either_form
    def search(
        cls,
        state: State[Move],
        *,
        depth: int | None = None,
        budget: Budget | None = None,
        trace: Trace | None = None,
        evaluate: Evaluate[Move] | None = None,
    ) -> Result[Move]:
        """The value of `state` for the seat to move, searched `depth` plies deep or to the end, and the best move.

        Positions at the horizon get the value `evaluate(state, seat)` (default: the game's own)."""
        limit = cls.limit(state, depth, budget)
        return cls(budget=budget, trace=trace, evaluate=evaluate).within(budget, state, depth, limit)

    @classmethod
    def limit(cls, state: State[Move], depth: int | None, budget: Budget | None) -> int:
        """The search depth in plies; BadSearch for games and depths that the algorithm cannot search."""
        terms.zero_sum(state, cls.name)
        return terms.plies(state, cls.name, depth, budget)

    def within(self, budget: Budget | None, state: State[Move], depth: int | None, limit: int) -> Result[Move]:
        """The result within the budget."""
        return self.run(state, depth=depth, limit=limit)
