"""Parallel search: alpha-beta in which several workers search the children of the root.

It splits the root, and young brothers wait: the first child is searched alone, so that the window is known; then all
other children are searched at the same time with this window. The workers are passed in as a function such as `map`.
The value and the move are those of alpha-beta, but the window of a child is wider than there: some nodes are wasted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Generic

from adsearch import terms
from adsearch.alphabeta import AlphaBeta
from adsearch.budget import Budget, OutOfBudget
from adsearch.result import Line, Result
from adsearch.searcher import Evaluate, Found
from adsearch.state import Move, State
from adsearch.trace import Trace


@dataclass(frozen=True, slots=True)
class Job(Generic[Move]):
    """The search of one child of the root. It can be sent to another process if there is no trace."""

    child: State[Move]
    name: str
    """The move to the child as text."""
    depth: int
    alpha: float
    beta: float
    to_the_end: bool
    evaluate: Evaluate[Move] | None
    budget: Budget | None
    trace: Trace | None


@dataclass(frozen=True, slots=True)
class Answer(Generic[Move]):
    """What the search of a child found."""

    found: tuple[float, Line[Move]] | None
    """Value for MAX and line; None if the budget ended the search."""
    nodes: int
    estimates: int


Workers = Callable[[Callable[[Job[Any]], Answer[Any]], Iterable[Job[Any]]], Iterable[Answer[Any]]]
"""Calls a function for each job, and returns the answers in the order of the jobs, as `map` does."""


def search_child(job: Job[Move]) -> Answer[Move]:
    """The search of one child, with its own counters."""
    searcher = AlphaBeta[Move](budget=job.budget, trace=job.trace, evaluate=job.evaluate)
    searcher.to_the_end = job.to_the_end
    if job.trace:
        job.trace.descend(job.name, job.alpha, job.beta)
    effort = searcher.effort
    try:
        found = searcher.value(job.child, job.depth, job.alpha, job.beta)
    except OutOfBudget:
        return Answer(None, effort.nodes - 1, effort.estimates)  # the last node was not searched
    return Answer(found, effort.nodes, effort.estimates)


def search(
    state: State[Move],
    *,
    depth: int | None = None,
    budget: Budget | None = None,
    trace: Trace | None = None,
    evaluate: Evaluate[Move] | None = None,
    alpha: float = -inf,
    beta: float = inf,
    workers: Workers = map,
) -> Result[Move]:
    """Search `state` with the window [alpha, beta], for the seat to move. Let v be its value.

    Returns r = v if alpha < r < beta; r >= v if r <= alpha (fail low); r <= v if r >= beta (fail high). `workers` calls
    a function for each child, as `map` does; a process pool has such a function. All workers together visit at most the
    nodes of the budget. With a trace, the children are searched one after the other in this process."""
    terms.zero_sum(state, "parallel")
    terms.window(alpha, beta)
    limit = terms.plies(state, "parallel", depth, budget)
    searcher = Parallel(map if trace else workers, budget=budget, trace=trace, evaluate=evaluate)
    return searcher.run(state, depth=depth, limit=limit, alpha=alpha, beta=beta)


class Parallel(AlphaBeta[Move]):
    """One search."""

    def __init__(
        self,
        workers: Workers,
        *,
        budget: Budget | None,
        trace: Trace | None,
        evaluate: Evaluate[Move] | None,
    ) -> None:
        super().__init__(budget=budget, trace=trace, evaluate=evaluate)
        self.workers = workers
        self.budget = budget
        self.given_evaluate = evaluate

    def root(self, state: State[Move], depth: int, alpha: float, beta: float) -> Found[Move]:
        if state.turn is None or depth == 0:
            return super().root(state, depth, alpha, beta)
        self.effort.nodes += 1
        self.effort.check()
        moves = state.moves()
        best = Found[Move](-inf if state.turn == 0 else inf, ())
        cut = False
        for brothers in (moves[:1], moves[1:]):
            jobs = [self.job(state, move, depth, alpha, beta, len(brothers)) for move in brothers]
            for move, answer in zip(brothers, self.workers(search_child, jobs), strict=True):
                self.effort.nodes += answer.nodes
                self.effort.estimates += answer.estimates
                if answer.found is None:
                    cut = True
                    continue
                value, rest = answer.found
                if value > best.value if state.turn == 0 else value < best.value:
                    self.finished = best = Found(value, (move, rest))
                if state.turn == 0:
                    alpha = max(alpha, value)
                else:
                    beta = min(beta, value)
                stops = alpha >= beta and move != moves[-1]
                if self.trace:
                    self.trace.back(value, alpha, beta, cutoff=stops)
                if stops:
                    return best
            if cut:
                raise OutOfBudget
        return best

    def job(self, state: State[Move], move: Move, depth: int, alpha: float, beta: float, jobs: int) -> Job[Move]:
        """The search of the child after `move`, with a part of the nodes left for this number of jobs."""
        budget = self.budget
        if budget is not None and budget.nodes is not None:
            budget = replace(budget, nodes=max(0, budget.nodes - self.effort.nodes) // jobs)
        return Job(
            child=state.play(move),
            name=state.to_text(move),
            depth=depth - 1,
            alpha=alpha,
            beta=beta,
            to_the_end=self.to_the_end,
            evaluate=self.given_evaluate,
            budget=budget,
            trace=self.trace,
        )
