"""Count: the size of the game tree, without visiting all of it.

A tree has a node for every sequence of moves: 549,946 for tic-tac-toe, which has 5,478 positions. All nodes of a
position have the same subtree, so that it is counted once. Utilities are not used: it works for any game.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

from adsearch import terms
from adsearch.budget import Budget, Effort, OutOfBudget
from adsearch.result import Bound, Result
from adsearch.state import CHANCE, Move, State
from adsearch.trace import Trace


class Count(NamedTuple):
    """The size of a game tree."""

    nodes: int
    """Number of nodes, with the root and the leaves."""
    leaves: int
    """Number of leaves: nodes where the game is over, or at the depth limit."""


def count(state: State[Any], depth: int | None = None) -> Count:
    """The size of the game tree of `state`, or of its first `depth` plies. Chance events are plies."""
    limit = terms.plies(state, "count", depth)
    return Counter(None, None).count(state, limit)


def search(
    state: State[Move], *, depth: int | None = None, budget: Budget | None = None, trace: Trace | None = None
) -> Result[Move]:
    """The number of leaves of the game tree, as `value`, and of its nodes, as `nodes`; the move is just the first one.

    `exact` says whether the whole tree was counted. The budget limits the nodes visited, which are fewer than those
    counted. If it ends, both numbers are those of the largest subtree that was completed, and the value is a LOWER
    bound."""
    limit = terms.plies(state, "count", depth, budget)
    counter = Counter(budget, trace)
    if trace:
        trace.begin(state)
    try:
        size, bound = counter.count(state, limit), Bound.EXACT
    except OutOfBudget:
        size, bound = counter.finished, Bound.LOWER
    line = () if state.turn == CHANCE else state.moves()[:1]
    return Result(
        value=float(size.leaves),
        move=line[0] if line else None,
        line=line,
        depth=depth,
        nodes=size.nodes,
        exact=bound is Bound.EXACT and not counter.effort.estimates,
        bound=bound,
    )


class Counter:
    """One count."""

    def __init__(self, budget: Budget | None, trace: Trace | None) -> None:
        self.effort = Effort(budget)
        self.trace = trace
        # The largest subtree that was completely counted.
        self.finished = Count(0, 0)
        self._known: dict[tuple[Hashable, int], Count] = {}

    def count(self, state: State[Any], depth: int) -> Count:
        """The size of the first `depth` plies below `state`."""
        self.effort.nodes += 1
        if self.effort.limited:
            self.effort.check()
        if state.turn is None:
            return Count(1, 1)
        if depth == 0:
            self.effort.estimates += 1
            return Count(1, 1)
        key = (state.key, depth)
        if key not in self._known:
            size = self._known[key] = self.children(state, depth)
            self.finished = max(self.finished, size)
        return self._known[key]

    def children(self, state: State[Any], depth: int) -> Count:
        """The same, from the children."""
        nodes, leaves = 1, 0
        for move in state.moves():
            if self.trace:
                self.trace.descend(state.to_text(move))
            below = self.count(state.play(move), depth - 1)
            if self.trace:
                self.trace.back(float(below.leaves))
            nodes, leaves = nodes + below.nodes, leaves + below.leaves
        return Count(nodes, leaves)
