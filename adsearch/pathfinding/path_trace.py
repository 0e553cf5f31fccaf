"""The nodes that a path search builds, and `PathTrace`: its steps, with the frontier and the explored places after each
of them.

A step is one node that left the frontier. `print` shows the steps as a table; `steps` has everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from adsearch.path_state import PathState
from adsearch.trace import written

# Node: a node of the tree that a path search builds. A place has a node for each path that leads there.


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


_WIDE_FRONTIER, _WIDE_EXPLORED = 30, 16
"""Largest number of characters in these columns; what does not fit is counted."""


@dataclass(frozen=True, slots=True)
class Step:
    """One node that left the frontier."""

    node: Node
    frontier: tuple[Node, ...]
    """What is in the frontier after this step, the next node first."""
    explored: tuple[Node, ...]
    """The nodes whose places are in the closed set after this step, oldest first; empty in tree search."""
    note: str
    """"goal", or why the node was not expanded; empty if it was."""


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

    def add(self, step: Step) -> None:
        """The search took a node from the frontier, and has expanded it unless there is a note."""
        self.steps.append(step)

    def __str__(self) -> str:
        return as_table(self)

    def __repr__(self) -> str:
        count = len(self.steps) + self.left_out
        return f"<PathTrace of {count:,} step{'s' * (count != 1)}; print shows the table>"


def as_table(trace: PathTrace) -> str:
    """One row for each step. The number beside a node of the frontier is the last of `numbers`: g, or f in A*."""
    titles = ["step", "node", "from", *trace.numbers, "frontier", *["explored"] * trace.graph]
    rows = [titles, *(_row(number, step, trace) for number, step in enumerate(trace.steps, 1))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(titles))]
    return "\n".join(_aligned(row, widths, numbers=len(trace.numbers)) for row in rows)


def _row(number: int, step: Step, trace: PathTrace) -> list[str]:
    node, order = step.node, trace.numbers[-1]
    waiting = (f"{other.state.short_name} {written(getattr(other, order))}" for other in step.frontier)
    shown = _fitting(waiting, _WIDE_FRONTIER)
    frontier = "; ".join([*shown, *_more(step.frontier, shown)]) or "empty"
    latest = _fitting((other.state.short_name for other in reversed(step.explored)), _WIDE_EXPLORED)
    explored = " ".join([*_more(step.explored, latest), *reversed(latest)])
    names = [node.state.short_name, "" if node.parent is None else node.parent.state.short_name]
    values = [written(getattr(node, column)) for column in trace.numbers]
    return [str(number), *names, *values, step.note or frontier, *[explored] * trace.graph]


def _fitting(names: Iterable[str], width: int) -> list[str]:
    """The first of these names, as many as fit into `width` characters with two between them; at least one."""
    shown: list[str] = []
    for name in names:
        width -= len(name)
        if width < 0 and shown:
            break
        shown.append(name)
        width -= 2
    return shown


def _more(nodes: Sequence[Node], shown: Sequence[str]) -> list[str]:
    """The number of nodes that are not shown, if there are any."""
    rest = len(nodes) - len(shown)
    return [f"{rest} more"] * (rest > 0)


def _aligned(row: Sequence[str], widths: Sequence[int], *, numbers: int) -> str:
    """`row` as text: numbers are aligned right, names left."""
    right = {0, *range(3, 3 + numbers)}
    cells = (
        f"{cell:>{width}}" if column in right else f"{cell:<{width}}"
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join(cells).rstrip()
