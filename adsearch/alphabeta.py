"""Alpha-beta: minimax that prunes subtrees which cannot change the value of the root.

alpha is the value that MAX has secured so far, beta the value that MIN has secured. A node is cut off as soon as its
value is known to be outside [alpha, beta]. MAX is seat 0. Quiescence and selective search are subclasses with another
horizon and another choice of moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from math import inf
from typing import ClassVar, Literal

from adsearch import terms
from adsearch.budget import Budget, OutOfBudget
from adsearch.errors import BadSearch
from adsearch.form import in_either_form
from adsearch.ordering import Arrange, Ordering, ordering_for
from adsearch.result import Bound, Line, Result, line_of, moves_of
from adsearch.searcher import Evaluate, Found, Searcher
from adsearch.state import Move, State
from adsearch.table import Entry, Table, table_for
from adsearch.trace import Trace


@in_either_form
def search(
    state: State[Move],
    *,
    depth: int | None = None,
    budget: Budget | None = None,
    trace: Trace | None = None,
    evaluate: Evaluate[Move] | None = None,
    alpha: float = -inf,
    beta: float = inf,
    fail: Literal["soft", "hard"] = "soft",
    table: bool | Table = False,
    ordering: bool | Ordering[Move] | Arrange[Move] = False,
) -> Result[Move]:
    """Search `state` with the window [alpha, beta], for the seat to move. Let v be the minimax value.

    Returns r = v if alpha < r < beta; r >= v if r <= alpha (fail low); r <= v if r >= beta (fail high). Fail-soft
    returns the tightest such bound that it found, fail-hard returns alpha or beta itself."""
    terms.zero_sum(state, "alphabeta")
    terms.window(alpha, beta)
    limit = terms.plies(state, "alphabeta", depth, budget)
    searcher = AlphaBeta(budget=budget, trace=trace, evaluate=evaluate, fail=fail, table=table, ordering=ordering)
    return searcher.run(state, depth=depth, limit=limit, alpha=alpha, beta=beta)


class AlphaBeta(Searcher[Move]):
    """One search."""

    sound = True
    """Whether it searches every move, so that a win it finds is proven."""

    def __init__(
        self,
        *,
        budget: Budget | None = None,
        trace: Trace | None = None,
        evaluate: Evaluate[Move] | None = None,
        fail: Literal["soft", "hard"] = "soft",
        table: bool | Table = False,
        ordering: bool | Ordering[Move] | Arrange[Move] = False,
    ) -> None:
        super().__init__(budget=budget, trace=trace, evaluate=evaluate)
        if fail not in ("soft", "hard"):
            raise BadSearch(f"expected fail='soft' or 'hard', got {fail!r}")
        self.hard = fail == "hard"
        self.table = table_for(table)
        self.ordering: Ordering[Move] | None = ordering_for(ordering)
        self.bounds = (-inf, inf)
        self.tries_the_best_first = self.table is not None and self.ordering is not None

    def root(self, state: State[Move], depth: int, alpha: float, beta: float) -> Found[Move]:
        self.bounds = state.bounds
        value, line = self.value(state, depth, alpha, beta)
        return Found(value, line if self.table is None else self.completed(state, line, depth))

    def is_final(self, state: State[Move], value: float) -> bool:
        return self.sound and super().is_final(state, value)

    def value(self, state: State[Move], depth: int, alpha: float, beta: float) -> tuple[float, Line[Move]]:
        """r and its principal variation: r = v if alpha < r < beta; v <= r if r <= alpha; v >= r if r >= beta."""
        effort = self.effort
        effort.nodes += 1
        if effort.limited:
            effort.check()
        turn = state.turn
        if turn is None:
            value = state.utilities()[0]
            return (self.clamped(value, alpha, beta) if self.hard else value), ()
        if depth == 0:
            value = self.horizon(state, alpha, beta)
            return (self.clamped(value, alpha, beta) if self.hard else value), ()
        table = self.table
        remembered = None
        if table is not None:
            key = state.key
            entry = table.get(key)
            if entry is not None:
                value, bound, _, proven, remembered = entry
                if (
                    entry.serves(depth, to_the_end=self.to_the_end)
                    and (value >= beta or bound is not Bound.LOWER)
                    and (value <= alpha or bound is not Bound.UPPER)
                ):
                    effort.estimates += not proven
                    if self.trace:
                        self.trace.found(value, bound)
                    value = self.clamped(value, alpha, beta) if self.hard else value
                    return value, () if remembered is None else (remembered, ())
            estimates = effort.estimates
        moves = self.moves(state, depth, remembered)
        if turn == 0:
            best, line = self.max_value(state, depth, alpha, beta, moves)
        elif turn == 1:
            best, line = self.min_value(state, depth, alpha, beta, moves)
        else:
            best, line = self.chance_value(state, depth, alpha, beta), ()
        if table is not None:
            bound = Bound.LOWER if best >= beta else Bound.UPPER if best <= alpha else Bound.EXACT
            proven = effort.estimates == estimates or (best in self.bounds and self.sound)
            table.put(key, Entry(best, bound, depth, proven, line[0] if line else None))
        return best, line

    def clamped(self, value: float, alpha: float, beta: float) -> float:
        """The fail-hard value: `value`, or the end of the window [alpha, beta] that it is beyond."""
        if self.trace and not alpha <= value <= beta:
            self.trace.bounded(Bound.LOWER if value > beta else Bound.UPPER)
        return min(max(value, alpha), beta)

    def max_value(
        self, state: State[Move], depth: int, alpha: float, beta: float, moves: Sequence[Move]
    ) -> tuple[float, Line[Move]]:
        """MAX raises alpha. Beta cutoff when alpha >= beta: MIN has a better alternative higher in the tree."""
        line: Line[Move] = ()
        best = -inf
        trace = self.trace
        for move in moves:
            value, rest = self.child_value(state, move, depth, alpha, beta, not line)
            if value > best:
                best, line = value, (move, rest)
                if depth == self.root_depth:
                    self.finished = Found(best, line)
            if best > alpha:
                alpha = best
            if trace:
                trace.back(value, alpha, beta, cutoff=alpha >= beta and move != moves[-1])
            if alpha >= beta:
                if self.ordering:
                    self.ordering.cut_off(state, move, depth)
                break
        return best, line

    def min_value(
        self, state: State[Move], depth: int, alpha: float, beta: float, moves: Sequence[Move]
    ) -> tuple[float, Line[Move]]:
        """MIN lowers beta. Alpha cutoff when beta <= alpha: MAX has a better alternative higher in the tree."""
        line: Line[Move] = ()
        best = inf
        trace = self.trace
        for move in moves:
            value, rest = self.child_value(state, move, depth, alpha, beta, not line)
            if value < best:
                best, line = value, (move, rest)
                if depth == self.root_depth:
                    self.finished = Found(best, line)
            if best < beta:
                beta = best
            if trace:
                trace.back(value, alpha, beta, cutoff=alpha >= beta and move != moves[-1])
            if alpha >= beta:
                if self.ordering:
                    self.ordering.cut_off(state, move, depth)
                break
        return best, line

    def child_value(
        self, state: State[Move], move: Move, depth: int, alpha: float, beta: float, first: bool
    ) -> tuple[float, Line[Move]]:
        """The value of the child after `move`; `first`: whether it is the node's first child."""
        if self.trace:
            self.trace.descend(state.to_text(move), alpha, beta)
        return self.value(state.play(move), depth - 1, alpha, beta)

    def moves(self, state: State[Move], depth: int, remembered: Move | None) -> Sequence[Move]:
        """The moves to search, in order."""
        return self.ordering.arrange(state, depth, remembered) if self.ordering else state.moves()

    def horizon(self, state: State[Move], alpha: float, beta: float) -> float:
        """The evaluation of `state`, a position at the horizon, for MAX."""
        self.effort.estimates += 1
        return self.evaluate(state, 0)

    def chance_value(self, state: State[Move], depth: int, alpha: float, beta: float) -> float:
        """The value of a chance node; only subclasses support chance."""
        raise BadSearch("alphabeta does not support chance")

    def completed(self, state: State[Move], line: Line[Move], depth: int) -> Line[Move]:
        """`line`, extended where it ends at an entry of the transposition table."""
        played = list(moves_of(line))
        for move in played:
            state = state.play(move)
        with suppress(OutOfBudget), self.untraced():
            while state.turn is not None and len(played) < depth:
                more = moves_of(self.value(state, depth - len(played), -inf, inf)[1])
                if not more:
                    break
                for move in more:
                    state = state.play(move)
                played += more
        whole: Line[Move] = line_of(played)
        return whole


class WindowSearch(AlphaBeta[Move]):
    """Base class of variants of fail-soft alpha-beta with the same options."""

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
        table: bool | Table = False,
        ordering: bool | Ordering[Move] | Arrange[Move] = False,
    ) -> Result[Move]:
        """Search `state` with the window [alpha, beta], for the seat to move. Let v be its value.

        Returns r = v if alpha < r < beta; r >= v if r <= alpha (fail low); r <= v if r >= beta (fail high)."""
        terms.zero_sum(state, cls.name)
        terms.window(alpha, beta)
        limit = terms.plies(state, cls.name, depth, budget)
        searcher = cls(budget=budget, trace=trace, evaluate=evaluate, table=table, ordering=ordering)
        return searcher.run(state, depth=depth, limit=limit, alpha=alpha, beta=beta)
