"""Depth-first search: the frontier is a stack, so the search follows one path down before it tries another.

It does not look at costs. The search itself, tree search or graph search, is in `search`.
"""

from __future__ import annotations

from adsearch.budget import Budget
from adsearch.pathfinding.search import PathTrace, Stack, run
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
    """The first path from `state` to a goal that is found on the way down, at most `depth` moves long.

    `graph`: each place is expanded once, so with a `depth` a path can be missed; without it every path to a place
    is searched."""
    return run(
        state,
        Stack,
        algorithm="depth_first",
        numbers=("g",),
        cheapest=False,
        graph=graph,
        depth=depth,
        budget=budget,
        trace=trace,
    )
