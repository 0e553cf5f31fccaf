"""Node: a node of the tree that a path search builds. A place has a node for each path that leads there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from adsearch.path_state import PathState


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A node of the search tree: a position, and the path that leads to it."""

    state: PathState[Any]
    parent: Node | None
    move: Any
    """The move from the parent; None at the root."""
    g: float
    """The cost of the path to this node."""
    h: float
    """The heuristic's estimate of the cost from this node to the goal."""
    depth: int

    @property
    def f(self) -> float:
        """The estimated cost of a path through this node: g + h."""
        return self.g + self.h

    def path(self) -> tuple[Any, ...]:
        """The moves from the root to this node."""
        moves = []
        node = self
        while node.parent is not None:
            moves.append(node.move)
            node = node.parent
        return tuple(reversed(moves))
