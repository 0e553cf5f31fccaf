"""Breadth-first search: the frontier is a queue, so a path with the fewest moves is found first.

It does not look at costs. The search itself, tree search or graph search, is in `search`.
"""

from __future__ import annotations

from adsearch.budget import Budget
from adsearch.pathfinding.search import PathTrace, Queue, run
from adsearch.result import Result
from adsearch.state import Move, State


def search(
    state: State[Move],
    *,
    depth: int | None = None,
    budget: Budget | None = None,
    trace: PathTrace | None = None,
    graph: bool = True,
) -> Result[Move]:
    """The path with the fewest moves from `state` to a goal, at most `depth` moves long.

    `graph`: each place is expanded once; without it every path to a place is searched."""
    return run(
        state,
        Queue,
        algorithm="breadth_first",
        numbers=("g",),
        cheapest=False,
        graph=graph,
        depth=depth,
        budget=budget,
        trace=trace,
    )
