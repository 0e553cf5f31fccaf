"""Uniform-cost search: the node with the cheapest path so far leaves the frontier first, so the path is the cheapest.

On a graph it is Dijkstra's algorithm. The search itself, tree search or graph search, is in `search`.
"""

from __future__ import annotations

from adsearch.budget import Budget
from adsearch.pathfinding.search import Node, PathTrace, PriorityQueue, run
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
    """The cheapest path from `state` to a goal, at most `depth` moves long.

    `graph`: each place is expanded once, so with a `depth` the cheapest path can be missed; without it every path to
    a place is searched."""
    return run(
        state,
        lambda: PriorityQueue[Node](lambda node: node.g),
        algorithm="uniform_cost",
        numbers=("g",),
        cheapest=True,
        graph=graph,
        depth=depth,
        budget=budget,
        trace=trace,
    )
