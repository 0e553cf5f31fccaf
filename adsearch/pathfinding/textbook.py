"""Tree search and graph search, as in the textbook. All path searches are one of these two with another frontier.

A strategy is only the order in which nodes leave the frontier. The goal is tested when a node leaves the frontier, not
when it enters; otherwise uniform-cost search and A* could return a path that is not the cheapest.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from adsearch.budget import Effort
from adsearch.path_state import Heuristic, PathState
from adsearch.pathfinding.frontier import Frontier
from adsearch.pathfinding.node import Node
from adsearch.pathfinding.path_trace import PathTrace, Step


@dataclass(frozen=True, slots=True)
class Problem:
    """One search: where it starts, its heuristic, its limits and its trace."""

    start: PathState[Any]
    heuristic: Heuristic
    deepest: float
    """Nodes at this depth are not expanded."""
    effort: Effort
    trace: PathTrace | None

    def root(self) -> Node:
        """The node where the search starts."""
        return Node(self.start, None, None, 0.0, self.heuristic(self.start), 0)

    def expand(self, node: Node) -> Iterator[Node]:
        """The children of `node`, in the order of the moves."""
        if node.depth == self.deepest:
            return
        self.effort.nodes += 1
        self.effort.check()
        for move in node.state.moves():
            child = node.state.play(move)
            g = node.g + node.state.cost(move)
            yield Node(child, node, move, g, self.heuristic(child), node.depth + 1)

    def report(self, node: Node, frontier: Frontier[Node], closed: dict[Hashable, Node], note: str = "") -> None:
        """Write into the trace that `node` was taken from the frontier."""
        if self.trace is not None and self.trace.wants_more():
            limited = "depth limit" if node.depth == self.deepest else ""
            self.trace.add(Step(node, tuple(frontier), tuple(closed.values()), note or limited))


def tree_search(problem: Problem, frontier: Frontier[Node]) -> Node | None:
    """A node with a goal; None if there is none. A place that several paths lead to is searched again for each path."""
    frontier.add([problem.root()])
    while frontier:
        node = frontier.take()
        if node.state.goal:
            problem.report(node, frontier, {}, "goal")
            return node
        frontier.add(problem.expand(node))
        problem.report(node, frontier, {})
    return None


def graph_search(problem: Problem, frontier: Frontier[Node]) -> Node | None:
    """The same, with a closed set: each place is expanded once, for the first path that leaves the frontier.

    With a depth limit it can miss a goal that tree search finds: the first path to a place can be a longer one, with
    too few moves left for the goal."""
    closed: dict[Hashable, Node] = {}
    frontier.add([problem.root()])
    while frontier:
        node = frontier.take()
        if node.state.goal:
            problem.report(node, frontier, closed, "goal")
            return node
        if node.state.place in closed:
            problem.report(node, frontier, closed, "explored before")
            continue
        closed[node.state.place] = node
        frontier.add(problem.expand(node))
        problem.report(node, frontier, closed)
    return None
