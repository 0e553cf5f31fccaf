"""A*: the node with the smallest f = g + h leaves the frontier first: the cost so far and the estimate of the rest.

If the heuristic is admissible (never more than the true cost to the goal), tree search finds the cheapest path. Graph
search finds it if the heuristic is consistent too: no move lowers h by more than the move costs.
"""

from __future__ import annotations

from adsearch.budget import Budget
from adsearch.pathfinding.search import Node, PathTrace, PriorityQueue, find_heuristic, run
from adsearch.result import Result
from adsearch.state import Move, State


def search(
    state: State[Move],
    *,
    depth: int | None = None,
    budget: Budget | None = None,
    trace: PathTrace | None = None,
    graph: bool = True,
    heuristic: str = "",
) -> Result[Move]:
    """A path from `state` to a goal, at most `depth` moves long; the cheapest if the heuristic allows it.

    `graph`: each place is expanded once, so with a `depth` the cheapest path can be missed; without it every path to
    a place is searched. `heuristic`: a name out of the game's `heuristics`, or "zero" (default: the game's first)."""
    return run(
        state,
        lambda: PriorityQueue[Node](lambda node: node.f),
        algorithm="astar",
        numbers=("g", "h", "f"),
        cheapest=False,
        graph=graph,
        heuristic=find_heuristic(state, "astar", heuristic),
        depth=depth,
        budget=budget,
        trace=trace,
    )
