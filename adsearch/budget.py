"""The limits of a search, and its counters.

A caller passes a `Budget`: a number of nodes, a time at which to stop (on the caller's clock), or both. `Effort` counts
the nodes of one search and raises OutOfBudget to stop it; the search catches that exception.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from adsearch.errors import BadSearch


@dataclass(frozen=True, slots=True)
class Budget:
    """At most `nodes` nodes, and stop at the time `until` on `clock`."""

    nodes: int | None = None
    until: float | None = None
    clock: Callable[[], float] | None = None

    def __post_init__(self) -> None:
        if self.nodes is not None and self.nodes < 0:
            raise BadSearch(f"expected a budget of 0 or more nodes, got {self.nodes}")
        if (self.until is None) != (self.clock is None):
            raise BadSearch("expected both `until` and `clock`, got only one of them")

    @classmethod
    def seconds(cls, seconds: float, clock: Callable[[], float], *, nodes: int | None = None) -> Budget:
        """A budget that ends `seconds` from now, on `clock`."""
        return cls(nodes=nodes, until=clock() + seconds, clock=clock)


class OutOfBudget(Exception):
    """Stops a search from inside."""


class Effort:
    """The counters of one search: nodes visited, and evaluations at the horizon (`estimates`)."""

    __slots__ = ("_clock", "_most", "_until", "estimates", "limited", "nodes")

    def __init__(self, budget: Budget | None = None) -> None:
        self.nodes = 0
        self.estimates = 0
        budget = budget or Budget()
        # Whether `check` can stop the search. Searches test it first, to save the call at every node.
        self.limited = budget.nodes is not None or budget.until is not None
        self._most = inf if budget.nodes is None else budget.nodes
        self._until = budget.until
        self._clock = budget.clock

    def check(self) -> None:
        """Raise OutOfBudget if the last node counted is over the limit, or the time is up."""
        if self.nodes > self._most:
            raise OutOfBudget
        if self._clock is not None and self._until is not None and self._clock() >= self._until:
            raise OutOfBudget
