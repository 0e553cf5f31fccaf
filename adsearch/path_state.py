"""PathState: a position of a path problem, which is a game of one player without chance.

The searches of `adsearch.pathfinding` ask these things, besides what State has: where the goal is, what a move costs,
which positions are the same place, and how far away the goal may be. `maze:0` and trees are path problems; a
user-supplied game becomes one when its class derives from PathState instead of State.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, ClassVar

from adsearch.state import Move, State

Heuristic = Callable[[Any], float]
"""An estimate of the cost from a position to the nearest goal: 0 or more, and 0 at a goal."""


class PathState(State[Move]):
    """A position of a path problem. With the defaults every move costs 1, and the goal is an end of the game with the
    best possible utility."""

    __slots__ = ()

    heuristics: ClassVar[Mapping[str, Heuristic]] = {}
    """The heuristics by name; A* takes the first if none is named. "zero" is always there."""

    @property
    def goal(self) -> bool:
        """Whether this position is a goal."""
        return self.turn is None and self.utilities()[0] == self.bounds[1]

    def cost(self, move: Move) -> float:
        """The cost of the legal `move`: 0 or more."""
        return 1.0

    @property
    def place(self) -> Hashable:
        """Positions with equal places have the same goals below them at the same costs. Graph search explores a place
        once. It leaves out what a path does not need, such as the score and the round. In a trace, a place is named by
        `short_name`."""
        return self.key
