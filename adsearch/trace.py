"""Trace: the events of a search, in the notation of the lecture.

A search with a Trace reports each step down to a child and each return with a value; for a leaf the two are one event.
In searches with MAX and MIN, alpha, beta and values are for MAX (`Trace.seat`). In negamax a value is for the player to
move at the node that returns it, and a window is for the player to move at its node. A search for several players can
report a value for each seat. `trace_calls.py` makes the tree of calls from the events.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf, isfinite, nextafter
from typing import Any, Final

from adsearch.errors import BadSearch
from adsearch.notebook import ShownInNotebook
from adsearch.result import Bound
from adsearch.state import State

Value = float | tuple[float, ...]
"""The value of a node: one number, or one for each seat."""

SIGNS: Final = {Bound.EXACT: "=", Bound.LOWER: "≥", Bound.UPPER: "≤"}
"""What stands before a value, or a bound of it."""

NULL_WINDOW = "5+ is the next floating-point number above 5, 5- the next below: a null window has no number inside"


class EventKind(StrEnum):
    """The kind of an event."""

    INIT = "init"
    DESCEND = "descend"
    LEAF = "leaf"
    """Down to a leaf (or a position whose value was in the table) and back."""
    RETURN = "return"


class Backup(StrEnum):
    """What the numbers of a trace are: how a search computes the value of a node from the values of its children."""

    MINIMAX = "minimax"
    """Trace.seat takes the largest value, every other player the smallest."""
    NEGAMAX = "negamax"
    """The player to move takes the largest value; each value is for the player to move at its node."""
    MODEL = "model"
    """Trace.seat takes the largest value; the other players' moves have probabilities."""
    MAXN = "maxn"
    """A number for each seat; the player to move takes the values with the largest number for itself."""
    PROOF = "proof"
    """No values: the proof numbers of the nodes on the path to the expanded node."""
    ITERATION = "iteration"
    """The final values of the root's moves, from value iteration."""
    SIMULATION = "simulation"
    """No values of nodes: the result of each simulated game, and one more node of it."""


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
    """Whether this value causes a cutoff at the parent: the search leaves it, and leaves out at least one child."""
    table: bool = False
    """Whether the value was found in the transposition table."""
    bound: Bound | None = None
    """What the search itself says about the value: for a value from the table, and for one that was not computed from
    the children's values. None: see `trace_calls.py`."""
    stand_pat: float | None = None
    """In quiescence search: the evaluation of a position with noisy moves, which the player to move can choose."""

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
    """Whether the value caused a cutoff at the parent: at least one child of the parent was left out."""
    table: bool = False
    """Whether the value was found in the transposition table."""
    began: int = 0
    """The index of the event of the call."""
    ended: int | None = None
    """The index of the event of its return; for a leaf the same; None if it has none."""


@dataclass(slots=True)
class _Note:
    """What a search said about a node before it returned."""

    table: bool = False
    bound: Bound | None = None
    stand_pat: float | None = None


class Trace(ShownInNotebook):
    """The events of one search, in order. Use a new Trace for each search.

    Only the first `keep` events are kept, the others are counted; more than `most` events raise BadSearch. `print`
    shows the events as a table; a notebook draws the tree, and if `arena` is imported also shows the table."""

    def __init__(self, *, keep: int | None = None, most: int | None = None) -> None:
        self.events: list[Event] = []
        # The position where the search started; None before that.
        self.state: State[Any] | None = None
        # How many events were not kept.
        self.left_out = 0
        # The seat that the values are for.
        self.seat = 0
        self.backup = Backup.MINIMAX
        self._path: list[str] = []
        # One for each node of the path.
        self._notes: list[_Note] = []
        # Whether the last event was a step down: if a return follows, the child is a leaf.
        self._at_child = False
        # Whether the last event was kept.
        self._kept = True
        self._keep = sys.maxsize if keep is None else keep
        self._most = sys.maxsize if most is None else most

    def begin(
        self,
        state: State[Any],
        alpha: float | None = None,
        beta: float | None = None,
        *,
        seat: int = 0,
        backup: Backup = Backup.MINIMAX,
    ) -> None:
        """The search starts at `state`, with values for `seat`; called again for each iteration or repeated search."""
        self.state = state
        self.seat = seat
        self.backup = backup
        self._path = [state.label]
        self._notes = [_Note()]
        self._at_child = False
        self._add(EventKind.INIT, alpha, beta)

    def descend(self, label: str, alpha: float | None = None, beta: float | None = None) -> None:
        """The search goes down to the child `label`, with this window."""
        self._path.append(label)
        self._notes.append(_Note())
        self._at_child = True
        self._add(EventKind.DESCEND, alpha, beta)

    def back(
        self, value: Value, alpha: float | None = None, beta: float | None = None, *, cutoff: bool = False
    ) -> None:
        """The search returns `value` to the parent, which then has this window."""
        if not self._at_child:
            self._add(EventKind.RETURN, alpha, beta, value, cutoff)
        elif self._kept:
            self.events[-1] = self._event(EventKind.LEAF, alpha, beta, value, cutoff)
        self._at_child = False
        self._path.pop()
        self._notes.pop()

    def found(self, value: float, bound: Bound) -> None:
        """The current node returns `value`, found in the table, which is `bound` of the true value."""
        self._notes[-1].table = True
        self.bounded(bound)
        if len(self._path) == 1 and self._kept:
            # The root has no return.
            self.events[-1] = replace(self.events[-1], value=value, table=True, bound=bound)

    def bounded(self, bound: Bound) -> None:
        """What the current node returns next is `bound` of its true value, whatever its children returned."""
        self._notes[-1].bound = bound

    def stands_pat(self, value: float) -> None:
        """The player to move at the current node can choose the evaluation `value` instead of a noisy move."""
        self._notes[-1].stand_pat = value
        if len(self._path) == 1 and self._kept:
            self.events[-1] = replace(self.events[-1], stand_pat=value)

    def calls(self) -> tuple[Call, ...]:
        """The calls, in the order in which the search made them."""
        calls: list[Call] = []
        open_calls: list[int] = []
        for at, event in enumerate(self.events):
            if event.kind is EventKind.RETURN:
                number = open_calls.pop()
                call = calls[number]
                calls[number] = replace(call, value=event.value, cutoff=event.cutoff, table=event.table, ended=at)
            elif event.kind is EventKind.LEAF:
                calls.append(Call(event.path, None, None, event.value, event.cutoff, event.table, at, ended=at))
            else:
                if event.kind is EventKind.INIT:
                    open_calls.clear()
                open_calls.append(len(calls))
                calls.append(Call(event.path, event.alpha, event.beta, event.value, table=event.table, began=at))
        return tuple(calls)

    def __str__(self) -> str:
        return as_table(self)

    def __repr__(self) -> str:
        count = len(self.events) + self.left_out
        return f"<Trace of {count:,} event{'s' * (count != 1)}; print shows the table>"

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
            self.events.append(self._event(kind, alpha, beta, value, cutoff))
        else:
            self.left_out += 1
        if len(self.events) + self.left_out > self._most:
            raise BadSearch(f"expected a search of at most {self._most:,} events to trace; limit its depth (--depth)")

    def _event(
        self, kind: EventKind, alpha: float | None, beta: float | None, value: Value | None, cutoff: bool
    ) -> Event:
        note = self._notes[-1]
        path = tuple(self._path)
        return Event(kind, path, alpha, beta, value, cutoff, note.table, note.bound, note.stand_pat)


COLUMNS = ("event", "alpha", "beta", "returned", "")
"""The titles of the event table of the lecture."""


def as_table(trace: Trace) -> str:
    """The event table, one row per event; "cut-off" marks the return that caused a cutoff, "table" a value from the
    transposition table."""
    rows = [COLUMNS, *map(row_of, trace.events)]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return "\n".join(_aligned(row, widths) for row in rows)


def row_of(event: Event) -> tuple[str, str, str, str, str]:
    """The event's row in the table."""
    name = event.name if event.node is None else f"{event.name} {event.node}"
    value = "" if event.value is None else written(event.value)
    marks = ("table" if event.table else "", "cut-off" if event.cutoff else "")
    return name, *ends(event.alpha, event.beta), value, ", ".join(filter(None, marks))


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    """`row` as text: the first column aligned left, numbers right."""
    numbers = (f"{cell:>{width}}" for cell, width in zip(row[1:4], widths[1:], strict=True))
    return "  ".join([f"{row[0]:<{widths[0]}}", *numbers, row[4]]).rstrip()


def written(value: Value, *, digits: int = 6) -> str:
    """`value` as short text with at most `digits` significant digits; infinities with their sign."""
    if isinstance(value, tuple):
        return f"({', '.join(written(number, digits=digits) for number in value)})"
    if not isfinite(value):
        return f"{value:+}"
    if abs(value) < sys.float_info.min:
        # The end of a null window at 0: the smallest float above or below 0.
        return "0"
    return f"{value + 0.0:.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.{digits}g}"


def signed(value: Value, bound: Bound | None, *, digits: int = 6) -> str:
    """`value` as text with its sign: "= 3", or "≥ 3" and "≤ 3" if it is only a bound of the true value."""
    return f"{SIGNS[bound or Bound.EXACT]} {written(value, digits=digits)}"


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
