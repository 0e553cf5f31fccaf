"""What all path searches share: the checks of their arguments, and the result.

The value of a path search is the cost of the path that it found; infinite if there is none. Its nodes are those that
were expanded.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, Final, cast

from adsearch.budget import Budget, Effort, OutOfBudget
from adsearch.errors import BadSearch, meant, quote
from adsearch.path_state import Heuristic, PathState
from adsearch.pathfinding.frontier import Frontier
from adsearch.pathfinding.node import Node
from adsearch.pathfinding.path_trace import PathTrace
from adsearch.pathfinding.textbook import Problem, graph_search, tree_search
from adsearch.result import Result
from adsearch.state import Move, State

MOST: Final = 100_000
"""The largest number of expanded nodes without a budget; the nodes stay in memory."""


def zero(_: object) -> float:
    """The heuristic that knows nothing."""
    return 0.0


def run(
    state: State[Move],
    frontier: Callable[[], Frontier[Node]],
    *,
    algorithm: str,
    numbers: tuple[str, ...],
    cheapest: bool,
    graph: bool,
    heuristic: Heuristic = zero,
    depth: int | None,
    budget: Budget | None,
    trace: PathTrace | None,
) -> Result[Move]:
    """The path that this search finds from `state` to a goal. `cheapest`: no other path can cost less."""
    start = path_state(state, algorithm)
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, int) or depth < 0):
        raise BadSearch(f"{algorithm}: expected a depth of 0 or more plies, got {depth!r}")
    if trace is not None:
        trace.begin(numbers, graph=graph)
    effort = Effort(budget)
    if not effort.limited:
        effort = Effort(Budget(nodes=MOST))
    problem = Problem(start, heuristic, inf if depth is None else depth, effort, trace)
    try:
        found = graph_search(problem, frontier()) if graph else tree_search(problem, frontier())
    except OutOfBudget:
        if budget is None or budget == Budget():
            advice = "try a smaller problem" if graph else "try graph=true, or a smaller problem"
            raise BadSearch(f"{algorithm} expanded {MOST:,} nodes and reached no goal; {advice}") from None
        return Result(value=inf, move=None, line=(), depth=0, nodes=effort.nodes, exact=False)
    line = found.path() if found else ()
    return Result(
        value=found.g if found else inf,
        move=line[0] if line else None,
        line=line,
        depth=depth,
        nodes=effort.nodes,
        exact=cheapest and depth is None,
        distance=len(line) if found else None,
    )


def path_state(state: State[Move], algorithm: str) -> PathState[Move]:
    """`state`; BadSearch unless it is a position of a path problem."""
    # Not isinstance, because a position can be wrapped.
    if hasattr(state, "goal") and state.players == 1 and not state.chance:
        return cast(PathState[Move], state)
    raise BadSearch(
        f"{algorithm} searches path problems: games of one player without chance, such as maze:0 or tree:routes, "
        "or your own game, derived from PathState"
    )


def find_heuristic(state: State[Any], algorithm: str, name: str) -> Heuristic:
    """The heuristic of that name, or the game's first if there is no name."""
    known = {**path_state(state, algorithm).heuristics, "zero": zero}
    if not name:
        return next(iter(known.values()))
    if name not in known:
        raise BadSearch(f"{algorithm}: this game has no heuristic {quote(name)}{meant(name, tuple(known))}")
    return known[name]
