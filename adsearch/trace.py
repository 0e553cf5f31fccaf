"""Trace: the events of a search, in the notation of the lecture.

A search with a Trace reports each step down to a child and each return with a value; for a leaf the two are one event.
In searches with MAX and MIN, alpha, beta and values are for MAX, which is seat 0. In negamax they are for the player to
move at the parent of the event's node. A search for several players can report a value for each seat.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf, isfinite, nextafter
from typing import Any, ClassVar

from adsearch.errors import BadSearch
from adsearch.state import State

Value = float | tuple[float, ...]
"""The value of a node: one number, or one for each seat."""

NULL_WINDOW = "5+ is the next floating-point number above 5, 5- the next below: a null window has no number inside"


class EventKind(StrEnum):
    """The kind of an event."""

    INIT = "init"
    DESCEND = "descend"
    LEAF = "leaf"
    """Down to a leaf (or a position whose value was in the table) and back."""
    RETURN = "return"


@dataclass(frozen=True, slots=True)
class Event:
    """One event at the node `path` (labels from the root). alpha and beta are the window of the node that continues:
    the child on the way down, the parent on the way back."""

    kind: EventKind
    path: tuple[str, ...]
    alpha: float | None
    beta: float | None
    value: Value | None = None
    """The returned value; None on the way down."""
    cutoff: bool = False
    """Whether this value causes a cutoff at the parent."""

    @property
    def name(self) -> str:
        """The event as text: "init", "A->B" on the way down and to a leaf, "B->A" on the way back."""
        if self.kind is EventKind.INIT:
            return "init"
        parent, child = self.path[-2:]
        start, end = (child, parent) if self.kind is EventKind.RETURN else (parent, child)
        # A name such as 6-1- would run into the arrow.
        return f"{start} -> {end}" if start.endswith("-") else f"{start}->{end}"

    @property
    def node(self) -> str | None:
        """The root's name, for the event "init"; None for other events, whose name contains the node."""
        return self.path[-1] if self.kind is EventKind.INIT else None

    @property
    def null_window(self) -> bool:
        """Whether the window is a null window: no number between alpha and beta."""
        return is_null(self.alpha, self.beta)


@dataclass(frozen=True, slots=True)
class Call:
    """One visit of the node `path`: the call and its returned value."""

    path: tuple[str, ...]
    alpha: float | None
    beta: float | None
    """The window of the call (alpha, beta); None for a leaf, and in a search without windows."""
    value: Value | None = None
    """The returned value; None at the root, and if the search ended before it returned."""
    cutoff: bool = False
    """Whether the value caused a cutoff at the parent."""


class Trace:
    """The events of one search, in order. Use a new Trace for each search.

    Only the first `keep` events are kept, the others are counted; more than `most` events raise BadSearch. `print`
    shows the events as a table; a notebook also draws the tree."""

    draw_html: ClassVar[Callable[[Trace], str]]
    """Shows a trace in a notebook. Set in `adsearch/__init__.py`, so that searches do not import `pictures`."""

    def __init__(self, *, keep: int | None = None, most: int | None = None) -> None:
        self.events: list[Event] = []
        # The position where the search started; None before that.
        self.state: State[Any] | None = None
        # How many events were not kept.
        self.left_out = 0
        self._path: list[str] = []
        # Whether the last event was a step down: if a return follows, the child is a leaf.
        self._at_child = False
        # Whether the last event was kept.
        self._kept = True
        self._keep = sys.maxsize if keep is None else keep
        self._most = sys.maxsize if most is None else most

    def begin(self, state: State[Any], alpha: float | None = None, beta: float | None = None) -> None:
        """The search starts at `state`; called again for each iteration or repeated search."""
        self.state = state
        self._path = [state.label]
        self._at_child = False
        self._add(EventKind.INIT, alpha, beta)

    def descend(self, label: str, alpha: float | None = None, beta: float | None = None) -> None:
        """The search goes down to the child `label`, with this window."""
        self._path.append(label)
        self._at_child = True
        self._add(EventKind.DESCEND, alpha, beta)

    def back(
        self, value: Value, alpha: float | None = None, beta: float | None = None, *, cutoff: bool = False
    ) -> None:
        """The search returns `value` to the parent, which then has this window."""
        if not self._at_child:
            self._add(EventKind.RETURN, alpha, beta, value, cutoff)
        elif self._kept:
            self.events[-1] = Event(EventKind.LEAF, tuple(self._path), alpha, beta, value, cutoff)
        self._at_child = False
        self._path.pop()

    def calls(self) -> tuple[Call, ...]:
        """The calls, in the order in which the search made them."""
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

    def __repr__(self) -> str:
        count = len(self.events) + self.left_out
        return f"<Trace of {count:,} event{'s' * (count != 1)}; print shows the table>"

    def _repr_html_(self) -> str:
        """The drawn tree and the table of events, as a notebook shows them."""
        return Trace.draw_html(self)

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


COLUMNS = ("event", "alpha", "beta", "returned", "")
"""The titles of the event table of the lecture."""


def as_table(trace: Trace) -> str:
    """The event table, one row per event; "cut-off" marks the return that caused a cutoff."""
    rows = [COLUMNS, *map(row_of, trace.events)]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return "\n".join(_aligned(row, widths) for row in rows)


def row_of(event: Event) -> tuple[str, str, str, str, str]:
    """The event's row in the table."""
    name = event.name if event.node is None else f"{event.name} {event.node}"
    value = "" if event.value is None else written(event.value)
    return name, *ends(event.alpha, event.beta), value, "cut-off" if event.cutoff else ""


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    """`row` as text: the first column aligned left, numbers right."""
    numbers = (f"{cell:>{width}}" for cell, width in zip(row[1:4], widths[1:], strict=True))
    return "  ".join([f"{row[0]:<{widths[0]}}", *numbers, row[4]]).rstrip()


def as_calls(trace: Trace) -> str:
    """The calls in order, one per line, indented by depth: node, window, returned value."""
    return "\n".join(_call_line(call) for call in trace.calls())


def _call_line(call: Call) -> str:
    window = window_text(call.alpha, call.beta)
    value = "" if call.value is None else f"= {written(call.value)}"
    indent = "  " * (len(call.path) - 1)
    return indent + "  ".join(filter(None, (call.path[-1], window, value, "cut-off" if call.cutoff else "")))


def written(value: Value, *, digits: int = 6) -> str:
    """`value` as short text with at most `digits` significant digits; infinities with their sign."""
    if isinstance(value, tuple):
        return f"({', '.join(written(number, digits=digits) for number in value)})"
    if not isfinite(value):
        return f"{value:+}"
    if abs(value) < sys.float_info.min:
        # The end of a null window at 0: the smallest float above or below 0.
        return "0"
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.{digits}g}"


def is_null(alpha: float | None, beta: float | None) -> bool:
    """Whether [alpha, beta] is a null window: no floating-point number is between its ends."""
    return alpha is not None and beta is not None and isfinite(alpha) and nextafter(alpha, inf) == beta


def ends(alpha: float | None, beta: float | None) -> tuple[str, str]:
    """A window's two ends as text; the end of a null window that is next to a number x is written x+ or x-."""
    if alpha is not None and beta is not None and is_null(alpha, beta):
        if len(repr(float(alpha))) <= len(repr(float(beta))):
            return written(alpha), f"{written(alpha)}+"
        return f"{written(beta)}-", written(beta)
    return "" if alpha is None else written(alpha), "" if beta is None else written(beta)


def window_text(alpha: float | None, beta: float | None) -> str:
    """A window as text, "[alpha, beta]"; empty for a search without windows."""
    if alpha is None and beta is None:
        return ""
    return "[{}, {}]".format(*ends(alpha, beta))
