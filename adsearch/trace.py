"""Trace: what a search did, event by event, as lectures write it down.

A search that is given a Trace tells it when it goes down to a child and when it comes back with a value. A child that
was a leaf makes one event of the two. Searches that know MAX and MIN tell alpha, beta and values for MAX, who is seat
0; negamax, which knows only the side to move, tells them for the parent of the event's node.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from adsearch.state import State


class Kind(StrEnum):
    """What happened."""

    INIT = "init"
    DESCEND = "descend"
    LEAF = "leaf"
    """Down to a leaf (or a position whose value was known) and back."""
    RETURN = "return"


@dataclass(frozen=True, slots=True)
class Event:
    """One event at the node `path`, told by the labels from the root; alpha and beta are those of the node that acts
    after it: of the child on the way down, of the parent on the way back."""

    kind: Kind
    path: tuple[str, ...]
    alpha: float | None
    beta: float | None
    value: float | None = None
    """What came back, on the way back."""
    cutoff: bool = False
    """Whether the parent looks at no further child because of it."""

    @property
    def name(self) -> str:
        """The event as it is written: "init", "A->B" on the way down and to a leaf, "B->A" on the way back."""
        if self.kind is Kind.INIT:
            return "init"
        parent, child = self.path[-2:]
        return f"{child}->{parent}" if self.kind is Kind.RETURN else f"{parent}->{child}"


class Trace:
    """The events of one search, in order. A Trace is used once."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._path: list[str] = []

    def begin(self, state: State[Any], alpha: float | None = None, beta: float | None = None) -> None:
        """The search begins at `state`."""
        self._path = [state.label]
        self.events.append(Event(Kind.INIT, (state.label,), alpha, beta))

    def descend(self, label: str, alpha: float | None = None, beta: float | None = None) -> None:
        """The search goes down to the child `label`, which gets this window."""
        self._path.append(label)
        self.events.append(Event(Kind.DESCEND, tuple(self._path), alpha, beta))

    def back(
        self, value: float, alpha: float | None = None, beta: float | None = None, *, cutoff: bool = False
    ) -> None:
        """The search is back at the parent, which has this window now that it knows the child's value."""
        event = Event(Kind.RETURN, tuple(self._path), alpha, beta, value, cutoff)
        last = self.events[-1]
        if last.kind is Kind.DESCEND and last.path == event.path:
            self.events[-1] = replace(event, kind=Kind.LEAF)
        else:
            self.events.append(event)
        self._path.pop()
