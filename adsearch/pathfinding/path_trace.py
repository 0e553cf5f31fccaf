"""PathTrace: the steps of a path search, with the frontier and the explored places after each of them.

A step is one node that left the frontier. `print` shows the steps as a table; `steps` has everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from adsearch.trace import written

_WIDE_FRONTIER, _WIDE_EXPLORED = 30, 16
"""Largest number of characters in these columns; what does not fit is counted."""


class Entry(NamedTuple):
    """A node as the trace shows it."""

    place: str
    parent: str | None
    """The place of the node's parent; None for the root."""
    g: float
    h: float

    @property
    def f(self) -> float:
        """The estimated cost of a path through this node."""
        return self.g + self.h


@dataclass(frozen=True, slots=True)
class Step:
    """One node that left the frontier."""

    node: Entry
    frontier: tuple[Entry, ...]
    """What is in the frontier after this step, the next node first."""
    explored: tuple[str, ...]
    """The places in the closed set after this step, in the order in which they were explored; empty in tree search."""
    note: str
    """"goal", or why the node was not expanded; "" if it was."""


class PathTrace:
    """The steps of one search, in order. Use a new PathTrace for each search. Only the first `keep` steps are kept, the
    others are counted."""

    def __init__(self, *, keep: int | None = None) -> None:
        self.steps: list[Step] = []
        # How many steps were not kept.
        self.left_out = 0
        # The columns of the table: which numbers the strategy uses, and whether there is a closed set.
        self.numbers: tuple[str, ...] = ("g",)
        self.graph = True
        self._keep = keep

    def begin(self, numbers: tuple[str, ...], *, graph: bool) -> None:
        """A search starts. Its nodes have these numbers, of g, h and f; `graph`: it has a closed set."""
        self.numbers, self.graph = numbers, graph

    def wants_more(self) -> bool:
        """Whether the next step will be kept; if not, it is counted here."""
        kept = self._keep is None or len(self.steps) < self._keep
        self.left_out += not kept
        return kept

    def add(self, node: Entry, frontier: Iterable[Entry], explored: Iterable[str], note: str) -> None:
        """The search took `node` from the frontier and has expanded it, unless there is a note."""
        self.steps.append(Step(node, tuple(frontier), tuple(explored), note))

    def __str__(self) -> str:
        return as_table(self)

    def __repr__(self) -> str:
        count = len(self.steps) + self.left_out
        return f"<PathTrace of {count:,} step{'s' * (count != 1)}; print shows the table>"


def as_table(trace: PathTrace) -> str:
    """One row for each step. In the frontier the number beside a node is the last of `numbers`, which orders it."""
    titles = ["step", "node", "from", *trace.numbers, "frontier", *["explored"] * trace.graph]
    rows = [titles, *(_row(number, step, trace) for number, step in enumerate(trace.steps, 1))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(titles))]
    return "\n".join(_aligned(row, widths, numbers=len(trace.numbers)) for row in rows)


def _row(number: int, step: Step, trace: PathTrace) -> list[str]:
    waiting = [f"{entry.place} {written(getattr(entry, trace.numbers[-1]))}" for entry in step.frontier]
    shown = _fitting(waiting, _WIDE_FRONTIER)
    frontier = "; ".join([*shown, *_more(waiting, shown)]) or "empty"
    latest = _fitting(step.explored[::-1], _WIDE_EXPLORED)
    explored = " ".join([*_more(step.explored, latest), *latest[::-1]])
    values = [written(getattr(step.node, column)) for column in trace.numbers]
    return [
        str(number),
        step.node.place,
        step.node.parent or "",
        *values,
        step.note or frontier,
        *[explored] * trace.graph,
    ]


def _fitting(names: Sequence[str], width: int) -> list[str]:
    """The first of these names, as many as fit into `width` characters with two between them; at least one."""
    shown: list[str] = []
    for name in names:
        width -= len(name)
        if width < 0 and shown:
            break
        shown.append(name)
        width -= 2
    return shown


def _more(names: Sequence[str], shown: Sequence[str]) -> list[str]:
    """The number of names that are not shown, if there are any."""
    rest = len(names) - len(shown)
    return [f"{rest} more"] * (rest > 0)


def _aligned(row: Sequence[str], widths: Sequence[int], *, numbers: int) -> str:
    """`row` as text: numbers are aligned right, names left."""
    right = {0, *range(3, 3 + numbers)}
    cells = (
        f"{cell:>{width}}" if column in right else f"{cell:<{width}}"
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join(cells).rstrip()
