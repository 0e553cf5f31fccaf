"""What all path searches share: nodes, the trace, the checks of their arguments, the frontier, and the result.

The value of a path search is the cost of the path that it found; infinite if there is none. Its nodes are those that
were expanded.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf
from typing import Any, Final, Generic, TypeVar, cast

from adsearch.budget import Budget, Effort, OutOfBudget
from adsearch.errors import BadSearch, meant, quote
from adsearch.path_state import Heuristic, PathState
from adsearch.result import Result
from adsearch.state import Move, State
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


# PathTrace: the steps of a search, with the frontier and the explored places after each of them. A step is one node
# that left the frontier. `print` shows the steps as a table; `steps` has everything.


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


# The search.


MOST: Final = 100_000
"""The largest number of expanded nodes without a budget; the nodes stay in memory."""


def zero(_: object) -> float:
    """The heuristic that knows nothing."""
    return 0.0


def run(
    state: State[Move],
    frontier: Callable[[], Frontier[Node]],
    *,
    algorithm: str,
    numbers: tuple[str, ...],
    cheapest: bool,
    graph: bool,
    heuristic: Heuristic = zero,
    depth: int | None,
    budget: Budget | None,
    trace: PathTrace | None,
) -> Result[Move]:
    """The path that this search finds from `state` to a goal. `cheapest`: no other path can cost less."""
    start = path_state(state, algorithm)
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, int) or depth < 0):
        raise BadSearch(f"{algorithm}: expected a depth of 0 or more plies, got {depth!r}")
    if trace is not None:
        trace.begin(numbers, graph=graph)
    effort = Effort(budget)
    if not effort.limited:
        effort = Effort(Budget(nodes=MOST))
    problem = Problem(start, heuristic, inf if depth is None else depth, effort, trace)
    try:
        found = graph_search(problem, frontier()) if graph else tree_search(problem, frontier())
    except OutOfBudget:
        if budget is None or budget == Budget():
            advice = "try a smaller problem" if graph else "try graph=true, or a smaller problem"
            raise BadSearch(f"{algorithm} expanded {MOST:,} nodes and reached no goal; {advice}") from None
        return Result(value=inf, move=None, line=(), depth=0, nodes=effort.nodes, exact=False)
    line = found.path() if found else ()
    return Result(
        value=found.g if found else inf,
        move=line[0] if line else None,
        line=line,
        depth=depth,
        nodes=effort.nodes,
        exact=cheapest and depth is None,
        distance=len(line) if found else None,
    )


def path_state(state: State[Move], algorithm: str) -> PathState[Move]:
    """`state`; BadSearch unless it is a position of a path problem."""
    # Not isinstance, because a position can be wrapped.
    if hasattr(state, "goal") and state.players == 1 and not state.chance:
        return cast("PathState[Move]", state)
    raise BadSearch(
        f"{algorithm} searches path problems: games of one player without chance, such as maze:0 or tree:routes, "
        "or your own game, derived from PathState"
    )


def find_heuristic(state: State[Any], algorithm: str, name: str) -> Heuristic:
    """The heuristic of that name, or the game's first if there is no name."""
    known = {**path_state(state, algorithm).heuristics, "zero": zero}
    if not name:
        return next(iter(known.values()))
    if name not in known:
        raise BadSearch(f"{algorithm}: this game has no heuristic {quote(name)}{meant(name, tuple(known))}")
    return known[name]


# Tree search and graph search, as in the textbook. All path searches are one of these two with another frontier.


@dataclass(frozen=True, slots=True)
class Problem:
    """One search: where it starts, its heuristic, its limits and its trace."""

    start: PathState[Any]
    heuristic: Heuristic
    deepest: float
    """Nodes at this depth are not expanded."""
    effort: Effort
    trace: PathTrace | None

    def root(self) -> Node:
        """The node where the search starts."""
        return Node(self.start, None, None, 0.0, self.heuristic(self.start), 0)

    def expand(self, node: Node) -> Iterator[Node]:
        """The children of `node`, in the order of the moves."""
        if node.depth == self.deepest:
            return
        self.effort.nodes += 1
        self.effort.check()
        for move in node.state.moves():
            child = node.state.play(move)
            g = node.g + node.state.cost(move)
            yield Node(child, node, move, g, self.heuristic(child), node.depth + 1)

    def report(self, node: Node, frontier: Frontier[Node], closed: dict[Hashable, Node], note: str = "") -> None:
        """Write into the trace that `node` was taken from the frontier."""
        if self.trace is not None and self.trace.wants_more():
            limited = "depth limit" if node.depth == self.deepest else ""
            self.trace.add(Step(node, tuple(frontier), tuple(closed.values()), note or limited))


def tree_search(problem: Problem, frontier: Frontier[Node]) -> Node | None:
    """A node with a goal; None if there is none. A place that several paths lead to is searched again for each path."""
    frontier.add([problem.root()])
    while frontier:
        node = frontier.take()
        if node.state.goal:
            problem.report(node, frontier, {}, "goal")
            return node
        frontier.add(problem.expand(node))
        problem.report(node, frontier, {})
    return None


def graph_search(problem: Problem, frontier: Frontier[Node]) -> Node | None:
    """The same, with a closed set: each place is expanded once, for the first path that leaves the frontier.

    With a depth limit it can miss a goal that tree search finds: the first path to a place can be a longer one, with
    too few moves left for the goal."""
    closed: dict[Hashable, Node] = {}
    frontier.add([problem.root()])
    while frontier:
        node = frontier.take()
        if node.state.goal:
            problem.report(node, frontier, closed, "goal")
            return node
        if node.state.place in closed:
            problem.report(node, frontier, closed, "explored before")
            continue
        closed[node.state.place] = node
        frontier.add(problem.expand(node))
        problem.report(node, frontier, closed)
    return None


# Frontiers: the nodes that a path search has found and not yet expanded.


T = TypeVar("T")


class Frontier(ABC, Generic[T]):
    """Nodes that wait. Iterating gives them in the order in which they leave."""

    @abstractmethod
    def add(self, nodes: Iterable[T]) -> None:
        """Add these nodes, the children of one node."""

    @abstractmethod
    def take(self) -> T:
        """Remove the next node and return it."""

    @abstractmethod
    def __iter__(self) -> Iterator[T]: ...

    @abstractmethod
    def __len__(self) -> int: ...


class Queue(Frontier[T]):
    """First in, first out."""

    def __init__(self) -> None:
        self._nodes: deque[T] = deque()

    def add(self, nodes: Iterable[T]) -> None:
        self._nodes.extend(nodes)

    def take(self) -> T:
        return self._nodes.popleft()

    def __iter__(self) -> Iterator[T]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)


class Stack(Frontier[T]):
    """Last in, first out. The first of several children leaves first, so the search goes down on the left."""

    def __init__(self) -> None:
        self._nodes: list[T] = []

    def add(self, nodes: Iterable[T]) -> None:
        self._nodes.extend(reversed([*nodes]))

    def take(self) -> T:
        return self._nodes.pop()

    def __iter__(self) -> Iterator[T]:
        return reversed(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)


class PriorityQueue(Frontier[T]):
    """The node with the smallest priority leaves first; of several, the one that was added first."""

    def __init__(self, priority: Callable[[T], float]) -> None:
        self._priority = priority
        self._heap: list[tuple[float, int, T]] = []
        self._added = 0

    def add(self, nodes: Iterable[T]) -> None:
        for node in nodes:
            heappush(self._heap, (self._priority(node), self._added, node))
            self._added += 1

    def take(self) -> T:
        return heappop(self._heap)[-1]

    def __iter__(self) -> Iterator[T]:
        return (node for _, _, node in sorted(self._heap, key=lambda entry: entry[:2]))

    def __len__(self) -> int:
        return len(self._heap)
