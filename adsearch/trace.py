"""Trace: what a search did, event by event, as lectures write it down.

A search that is given a Trace reports when it goes down to a child and when it comes back with a value. For a leaf the
two make one event. In searches that know MAX and MIN, alpha, beta and values are those of MAX, who is seat 0. In
negamax, which knows only the side to move, they are those of the parent of the event's node. A search for several
players may report a value for each.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf, isfinite, nextafter
from typing import Any

from adsearch.errors import BadSearch
from adsearch.state import State

Value = float | tuple[float, ...]
"""What a node is worth: one number, or one for each seat."""

NULL_WINDOW = "5+ stands for the next number above 5, 5- for the next below it: such a window is empty inside"


class EventKind(StrEnum):
    """What happened."""

    INIT = "init"
    DESCEND = "descend"
    LEAF = "leaf"
    """Down to a leaf (or a position whose value was known) and back."""
    RETURN = "return"


@dataclass(frozen=True, slots=True)
class Event:
    """One event at the node `path`, the labels from the root; alpha and beta are those of the node that acts
    after it: of the child on the way down, of the parent on the way back."""

    kind: EventKind
    path: tuple[str, ...]
    alpha: float | None
    beta: float | None
    value: Value | None = None
    """What came back, on the way back."""
    cutoff: bool = False
    """Whether the parent looks at no further child because of it."""

    @property
    def name(self) -> str:
        """The event as it is written: "init", "A->B" on the way down and to a leaf, "B->A" on the way back."""
        if self.kind is EventKind.INIT:
            return "init"
        parent, child = self.path[-2:]
        return f"{child}->{parent}" if self.kind is EventKind.RETURN else f"{parent}->{child}"

    @property
    def node(self) -> str | None:
        """The node where the search begins; the other events name theirs."""
        return self.path[-1] if self.kind is EventKind.INIT else None

    @property
    def null_window(self) -> bool:
        """Whether no number lies between alpha and beta."""
        return is_null(self.alpha, self.beta)


@dataclass(frozen=True, slots=True)
class Call:
    """One visit of the node `path`, from going down to coming back."""

    path: tuple[str, ...]
    alpha: float | None
    beta: float | None
    """The window that the node was given; none is kept of a leaf, nor of a search without one."""
    value: Value | None = None
    """What it returned; None at the root, and where the search never came back."""
    cutoff: bool = False
    """Whether its parent looked at no further child."""


class Trace:
    """The events of one search, in order. A Trace is used once.

    Only the first `keep` events are kept, the others counted; a search of more than `most` is ended by BadSearch."""

    def __init__(self, *, keep: int | None = None, most: int | None = None) -> None:
        self.events: list[Event] = []
        # How many events were not kept.
        self.left_out = 0
        self._path: list[str] = []
        # Whether the search has just gone down, so that coming back makes a leaf of the child.
        self._at_child = False
        # Whether the last event was kept.
        self._kept = True
        self._keep = sys.maxsize if keep is None else keep
        self._most = sys.maxsize if most is None else most

    def begin(self, state: State[Any], alpha: float | None = None, beta: float | None = None) -> None:
        """The search begins at `state`; one that starts over begins again."""
        self._path = [state.label]
        self._at_child = False
        self._add(EventKind.INIT, alpha, beta)

    def descend(self, label: str, alpha: float | None = None, beta: float | None = None) -> None:
        """The search goes down to the child `label`, which gets this window."""
        self._path.append(label)
        self._at_child = True
        self._add(EventKind.DESCEND, alpha, beta)

    def back(
        self, value: Value, alpha: float | None = None, beta: float | None = None, *, cutoff: bool = False
    ) -> None:
        """The search is back at the parent, which has this window now that it knows the child's value."""
        if not self._at_child:
            self._add(EventKind.RETURN, alpha, beta, value, cutoff)
        elif self._kept:
            self.events[-1] = Event(EventKind.LEAF, tuple(self._path), alpha, beta, value, cutoff)
        self._at_child = False
        self._path.pop()

    def calls(self) -> tuple[Call, ...]:
        """The visits in the order in which the search went down to them."""
        calls: list[Call] = []
        open_calls: list[int] = []
        for event in self.events:
            if event.kind is EventKind.RETURN:
                number = open_calls.pop()
                calls[number] = replace(calls[number], value=event.value, cutoff=event.cutoff)
            elif event.kind is EventKind.LEAF:
                calls.append(Call(event.path, None, None, event.value, event.cutoff))
            else:
                if event.kind is EventKind.INIT:
                    open_calls.clear()
                open_calls.append(len(calls))
                calls.append(Call(event.path, event.alpha, event.beta))
        return tuple(calls)

    def __str__(self) -> str:
        return as_table(self)

    def _add(
        self,
        kind: EventKind,
        alpha: float | None,
        beta: float | None,
        value: Value | None = None,
        cutoff: bool = False,
    ) -> None:
        self._kept = len(self.events) < self._keep
        if self._kept:
            self.events.append(Event(kind, tuple(self._path), alpha, beta, value, cutoff))
        else:
            self.left_out += 1
        if len(self.events) + self.left_out > self._most:
            raise BadSearch(f"expected a search of at most {self._most:,} events to trace; limit its depth (--depth)")


def as_table(trace: Trace) -> str:
    """The event table of the lecture, a row an event; a cut-off marks the row of the return that made it."""
    rows = [("event", "alpha", "beta", "returned", "")]
    for event in trace.events:
        name = event.name if event.node is None else f"{event.name} {event.node}"
        alpha, beta = ends(event.alpha, event.beta)
        value = "" if event.value is None else written(event.value)
        rows.append((name, alpha, beta, value, "cut-off" if event.cutoff else ""))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return "\n".join(_aligned(row, widths) for row in rows)


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    """`row`, its first column to the left, the numbers to the right, its last as it is."""
    numbers = (f"{cell:>{width}}" for cell, width in zip(row[1:4], widths[1:], strict=True))
    return "  ".join([f"{row[0]:<{widths[0]}}", *numbers, row[4]]).rstrip()


def as_calls(trace: Trace) -> str:
    """The calls in order, each on a line that is indented by its depth: node, window, what it returned."""
    return "\n".join(_call_line(call) for call in trace.calls())


def _call_line(call: Call) -> str:
    window = window_text(call.alpha, call.beta)
    value = "" if call.value is None else f"= {written(call.value)}"
    indent = "  " * (len(call.path) - 1)
    return indent + "  ".join(filter(None, (call.path[-1], window, value, "cut-off" if call.cutoff else "")))


def written(value: Value, *, digits: int = 6) -> str:
    """`value` as short as it is, with so many significant digits at most; infinities with their sign."""
    if isinstance(value, tuple):
        return f"({', '.join(written(number, digits=digits) for number in value)})"
    if not isfinite(value):
        return f"{value:+}"
    if abs(value) < sys.float_info.min:
        # Next to 0, with digits that mean nothing: an end of a null window.
        return "0"
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.{digits}g}"


def is_null(alpha: float | None, beta: float | None) -> bool:
    """Whether [alpha, beta] is a null window: between its ends there is no number."""
    return alpha is not None and beta is not None and isfinite(alpha) and nextafter(alpha, inf) == beta


def ends(alpha: float | None, beta: float | None) -> tuple[str, str]:
    """A window's two ends; of a null window, the one that is only next to a number has that number with a sign."""
    if alpha is not None and beta is not None and is_null(alpha, beta):
        if len(repr(float(alpha))) <= len(repr(float(beta))):
            return written(alpha), f"{written(alpha)}+"
        return f"{written(beta)}-", written(beta)
    return "" if alpha is None else written(alpha), "" if beta is None else written(beta)


def window_text(alpha: float | None, beta: float | None) -> str:
    """A window on one line; nothing for a search that has none."""
    if alpha is None and beta is None:
        return ""
    return "[{}, {}]".format(*ends(alpha, beta))
