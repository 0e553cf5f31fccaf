"""Algorithms as lectures write them, for study: the same values as alpha-beta, but other visits and returned values.

Each module reads like its lecture and shares with the others only `Dialect`, which has what no lecture writes down.
They have no table and no move ordering, and no agent plays with them; `adsearch.registry` lists them apart from the
others.
"""

from __future__ import annotations

from abc import abstractmethod
from math import inf
from typing import ClassVar

from adsearch import terms
from adsearch.budget import Budget
from adsearch.form import in_either_form
from adsearch.result import Line, Result
from adsearch.searcher import Evaluate, Found, Searcher
from adsearch.state import Move, State
from adsearch.trace import Trace


class Dialect(Searcher[Move]):
    """Base class of the dialects: their `search` function, leaves and trace. The algorithm itself is in the
    subclass."""

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
        alpha: float = -inf,
        beta: float = inf,
    ) -> Result[Move]:
        """Search `state` with the window [alpha, beta], for the seat to move. Let v be its value.

        Returns r = v if alpha < r < beta; r >= v if r <= alpha (fail low); r <= v if r >= beta (fail high). If the
        budget ends the search, the move is the first one and the value an estimate."""
        terms.zero_sum(state, cls.name)
        terms.window(alpha, beta)
        limit = terms.plies(state, cls.name, depth, budget)
        searcher = cls(budget=budget, trace=trace, evaluate=evaluate)
        return searcher.run(state, depth=depth, limit=limit, alpha=alpha, beta=beta)

    def root(self, state: State[Move], depth: int, alpha: float, beta: float) -> Found[Move]:
        value, line = self.value(state, depth, alpha, beta)
        if not line and state.turn is not None and depth > 0:
            line = (state.moves()[0], ())  # fail low: no move is better than another
        return Found(value, line)

    @abstractmethod
    def value(self, state: State[Move], depth: int, alpha: float, beta: float) -> tuple[float, Line[Move]]:
        """The value of `state` or a bound of it, and the principal variation; the line can end early."""

    def is_leaf(self, state: State[Move], depth: int) -> bool:
        """Count the node; whether the game is over or the horizon is reached."""
        self.effort.nodes += 1
        if self.effort.limited:
            self.effort.check()
        return state.turn is None or depth == 0

    def leaf_value(self, state: State[Move], seat: int) -> float:
        """The utility of a finished game, or the evaluation at the horizon, for `seat`."""
        if state.turn is None:
            return state.utilities()[seat]
        self.effort.estimates += 1
        return self.evaluate(state, seat)

    def goes_down(self, state: State[Move], move: Move, alpha: float, beta: float) -> None:
        """The child after `move` will be searched with the window [alpha, beta]."""
        if self.trace:
            self.trace.descend(state.to_text(move), alpha, beta)

    def comes_back(self, value: float, alpha: float, beta: float, *, stops: bool = False) -> None:
        """The child returned `value`; its parent, with the window [alpha, beta], leaves out children if it `stops`."""
        if self.trace:
            self.trace.back(value, alpha, beta, cutoff=stops)
