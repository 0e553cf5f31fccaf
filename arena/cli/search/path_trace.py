"""`arena search trace` for path searches: a table of the steps, with frontier and explored places after each."""

from typing import Any

from adsearch import State
from adsearch.registry import Search, pathfinding
from adsearch.result import Result
from adsearch.state import texts
from adsearch.trace import written

STEPS = 1_000
"""Largest number of steps that are printed."""


def is_path_search(algorithm: str) -> bool:
    """Whether this text names a path search, which `arena search trace` shows in another table."""
    return algorithm.partition(":")[0] in pathfinding


def print_steps(search: Search, options: dict[str, Any], state: State[Any]) -> None:
    """Search `state` with a path search and these options; print its steps and the path."""
    from adsearch.pathfinding.path_trace import PathTrace, as_table

    trace = PathTrace(keep=STEPS)
    result = search(state, trace=trace, **options)
    print(as_table(trace))
    if trace.left_out:
        print(f"... and {trace.left_out:,} more steps; limit the depth (--depth) to see them all")
    if result.distance is not None:
        print(summary(state, result))
        return
    # The first path to a place can be longer than a later one, but not in breadth-first search.
    can_miss = options.get("depth") is not None and options.get("graph", True)
    can_miss = can_miss and search is not pathfinding["breadth_first"].search
    advice = " within the depth; graph=false may find one" * can_miss
    print(f"no path found{advice}  expanded {result.nodes:,}")


def summary(state: State[Any], result: Result[Any]) -> str:
    """The path that was found, its cost and the number of expanded nodes, on one line."""
    path = " ".join(texts(state, result.line)) or "none"
    return f"cost {written(result.value)}  moves {result.distance}  path {path}  expanded {result.nodes:,}"
