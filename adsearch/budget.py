"""What a search may spend, and what it has spent.

`Budget` is what a caller gives: a number of nodes, an instant at which to stop on a clock of the caller's, or both.
`Effort` is one search's own account. OutOfBudget stops a search from inside; no caller ever sees it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from adsearch.errors import BadSearch


@dataclass(frozen=True, slots=True)
class Budget:
    """At most `nodes` nodes, and nothing after the instant `until` on `clock`."""

    nodes: int | None = None
    until: float | None = None
    clock: Callable[[], float] | None = None

    def __post_init__(self) -> None:
        if self.nodes is not None and self.nodes < 0:
            raise BadSearch(f"expected a budget of 0 or more nodes, got {self.nodes}")
        if (self.until is None) != (self.clock is None):
            raise BadSearch("expected an instant and the clock it is read on, got one without the other")

    @classmethod
    def seconds(cls, seconds: float, clock: Callable[[], float], *, nodes: int | None = None) -> Budget:
        """What is left of `seconds` from now, now being what `clock` says."""
        return cls(nodes=nodes, until=clock() + seconds, clock=clock)


class OutOfBudget(Exception):
    """Stops a search from inside."""


class Effort:
    """The account of one search: the nodes it has visited, and how many estimates stood in for the end of a game."""

    __slots__ = ("_clock", "_most", "_until", "estimates", "limited", "nodes")

    def __init__(self, budget: Budget | None = None) -> None:
        self.nodes = 0
        self.estimates = 0
        budget = budget or Budget()
        # Whether `check` can ever stop the search; asked first because it is asked at every node.
        self.limited = budget.nodes is not None or budget.until is not None
        self._most = inf if budget.nodes is None else budget.nodes
        self._until = budget.until
        self._clock = budget.clock

    def check(self) -> None:
        """OutOfBudget when the node that was just counted is one too many."""
        if self.nodes > self._most:
            raise OutOfBudget
        if self._clock is not None and self._until is not None and self._clock() >= self._until:
            raise OutOfBudget
