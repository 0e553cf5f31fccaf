"""Picture: a game tree or a search tree, with the data to show for every node.

`game_tree` and `search_tree` create a Picture; `tree_drawing` draws it as text, DOT or SVG. A tree that is too large to
draw is refused.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, ClassVar, Final

from adsearch.errors import BadSearch, TooLarge
from adsearch.games.tree import Tree
from adsearch.result import Bound, Result
from adsearch.state import CHANCE, State, texts
from adsearch.trace import Trace, Value, window_text, written
from adsearch.trace_calls import Nodes, check, name_of, visits

MOST: Final = 2000
"""Largest number of nodes of a picture."""
DEEPEST: Final = 200

Path = tuple[str, ...]
"""A node's path: the root's label and the texts of the moves to the node."""


class Shape(StrEnum):
    """The kind of a node, drawn as its shape."""

    MAX = "MAX"
    MIN = "MIN"
    CHANCE = "chance"
    SEAT = "seat"
    """One of several players."""
    END = "end"


@dataclass(frozen=True, slots=True)
class Node:
    """A node with the data to show."""

    label: str
    """The move that leads to this node; for the root, its name."""
    shape: Shape
    seat: int | None = None
    """The seat to move, if a player moves."""
    value: Value | None = None
    """The value for MAX if there is one, else for every seat; or as the search reported it."""
    bound: Bound = Bound.EXACT
    """Whether the true value is `value`, or only known to be at least or at most `value`."""
    table: bool = False
    """Whether the search found the value in its table at its last visit."""
    window: str = ""
    room: str = ""
    """The widest window that is shown here later: there must be room for it."""
    probability: float | None = None
    """The probability of the outcome that leads to this node."""
    visits: int = 1
    """How often the search visited this node."""
    cut: bool = False
    """Whether the node was pruned by a cutoff."""
    best: bool = False
    """Whether the node is on the principal variation."""
    more: int = 0
    """The number of children that are not shown, because the picture ends here."""
    alike: int = 1
    """The number of moves of the parent that this node stands for: their positions are equal up to symmetry."""
    name: str = ""
    """The name of the position, if it is shown."""
    problem: bool = False
    """Whether the name is a question, with OR and AND instead of MAX and MIN."""
    position: State[Any] | None = None
    """The position, if its board is shown."""
    children: tuple[Node, ...] = ()

    @property
    def player(self) -> str:
        """Who moves, as text; empty at the end of the game."""
        if self.problem and self.shape in _GATES:
            return _GATES[self.shape]
        return f"seat {self.seat}" if self.shape is Shape.SEAT else "" if self.shape is Shape.END else self.shape.value

    def walk(self) -> Iterator[Node]:
        """This node and all nodes below it, in preorder."""
        yield self
        for child in self.children:
            yield from child.walk()


_GATES: Final = {Shape.MAX: "OR", Shape.MIN: "AND"}


@dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """A tree to draw. A notebook draws it."""

    draw_svg: ClassVar[Callable[[Picture], str]]
    """Draws the tree. Set in `adsearch/pictures/__init__.py`, because `tree_drawing` imports this module."""

    root: Node
    title: str

    def _repr_svg_(self) -> str:
        """The tree as a notebook shows it."""
        return Picture.draw_svg(self)

    def __repr__(self) -> str:
        return f"<Picture {self.title}: {self.description}>"

    @property
    def description(self) -> str:
        """The picture in a few sentences."""
        nodes = list(self.root.walk())
        seen = sum(node.visits > 0 for node in nodes)
        parts = [f"{seen:,} {'node' if seen == 1 else 'nodes'}."]
        if self.root.value is not None:
            least = {Bound.EXACT: "", Bound.LOWER: "at least ", Bound.UPPER: "at most "}[self.root.bound]
            parts.append(f"The value of {self.root.label} is {least}{written(self.root.value)}.")
        line = [node.label for node in nodes[1:] if node.best]
        if line:
            parts.append(f"Best play: {', '.join(line)}.")
        if any(node.alike > 1 for node in nodes):
            parts.append("Positions of one parent that are equal up to symmetry are drawn once.")
        left_out = [node.label for node in nodes if not node.visits]
        if len(left_out) > 3:
            parts.append(f"{len(left_out):,} branches were not visited.")
        elif left_out:
            parts.append(f"Not visited: {', '.join(left_out)}.")
        return " ".join(parts)


@dataclass(slots=True)
class Known:
    """The data of a node, collected before it is drawn."""

    value: Value | None = None
    bound: Bound = Bound.EXACT
    table: bool = False
    window: str = ""
    visits: int = 1
    cutoff: bool = False
    """Whether the children that were not visited are pruned."""
    children: dict[str, int] = field(default_factory=dict)
    """The moves whose subtrees are drawn, in order, with the number of moves that each stands for."""


def game_tree(
    state: State[Any],
    *,
    depth: int | None = None,
    nodes: Nodes = Nodes.MOVES,
    fold: bool = False,
    title: str = "Game tree",
) -> Picture:
    """The game tree of `state`, whole or its first `depth` plies.

    A node has its minimax value (for several players: max^n) if the tree below it is drawn or is small enough to be
    solved. With hidden information only the ends have values, because minimax is not optimal there. `fold`: draw
    positions of one parent that are equal up to symmetry once. BadSearch for a tree of more than MOST nodes."""
    if depth is not None and depth < 0:
        raise BadSearch(f"expected a depth of 0 or more plies to draw, got {depth}")
    _check_nodes(state, nodes)
    _check_size(state, depth, fold)
    solver = Solver()
    known: dict[Path, Known] = {}
    best: dict[Path, str] = {}

    def look(state: State[Any], path: Path) -> Utilities | None:
        """Collect the data below `state`; return its backed-up utilities."""
        here = known[path] = Known()
        if state.turn is None or (depth is not None and len(path) > depth):
            utilities = solver.solve(state, DEEPEST - len(path))
        else:
            branches = _branches(state, fold)
            here.children = {text: alike for text, _, alike in branches}
            below = [look(child, (*path, text)) for text, child, _ in branches]
            worths = [worth for worth in below if worth is not None]
            utilities = None if state.hidden or len(worths) < len(below) else backed_up(state, worths)
            if utilities is not None and state.turn != CHANCE:
                best[path] = list(here.children)[worths.index(utilities)]
        here.value = utilities
        return utilities

    look(state, (state.label,))
    line: list[str] = []
    while (path := (state.label, *line)) in best:
        line.append(best[path])
    return Picture(_node(state, (state.label,), known, _prefixes(state, line), nodes), title)


def search_tree(
    state: State[Any],
    trace: Trace,
    result: Result[Any] | None = None,
    *,
    nodes: Nodes = Nodes.MOVES,
    title: str = "Search tree",
) -> Picture:
    """The tree that a search of `state` visited, from its `trace`, with the children that it did not visit.

    A node has the value that it returned last; `result` adds the principal variation and the root's value. BadSearch
    for a tree of more than MOST nodes, or a trace of another position."""
    _check_nodes(state, nodes)
    paths = {event.path for event in trace.events}
    root = (state.label,)
    if root not in paths or any(path[:1] != root for path in paths):
        raise BadSearch(f"expected the trace of a search that started at {state.label!r}")
    if len(paths) > MOST or trace.left_out or max(map(len, paths)) > DEEPEST + 1:
        raise TooLarge(_TOO_LARGE)
    known: dict[Path, Known] = {}
    for visit in (each for root in visits(trace, result) for each in root.walk()):
        call = visit.call
        here = known.setdefault(call.path, Known(visits=0))
        here.visits += 1
        if visit.children:
            # What no visit after a probe looks at was pruned by the bound that the probe found.
            here.cutoff = visit.cut or visit.probed
        if visit.value is not None and (call.path[1:] or result is not None):
            here.value, here.bound, here.table = visit.value, visit.bound or Bound.EXACT, call.table
        here.window = window_text(call.alpha, call.beta) or here.window
        if call.path[:-1]:
            known[call.path[:-1]].children[call.path[-1]] = 1
    line = texts(state, () if result is None else result.line)
    picture = Picture(_node(state, root, known, _prefixes(state, line), nodes), title)
    if sum(1 for _ in picture.root.walk()) > MOST:
        raise TooLarge(_TOO_LARGE)
    return picture


_TOO_LARGE: Final = f"expected a tree of at most {MOST:,} nodes and {DEEPEST} plies to draw; limit its depth (--depth)"


def _check_nodes(state: State[Any], nodes: Nodes) -> None:
    """Raise BadSearch if the nodes of this game cannot be shown so."""
    check(state, nodes)
    if nodes is Nodes.BOARDS and isinstance(state, Tree):
        raise BadSearch("nodes as boards: expected a game with a board; the nodes of an explicit tree have only names")


def _check_size(state: State[Any], depth: int | None, fold: bool) -> None:
    """Raise TooLarge if the tree is too large."""
    queue = deque([(state, 0)])
    nodes = 1
    while queue:
        state, ply = queue.popleft()
        if ply == depth:
            continue
        moves = state.moves()
        if nodes + len(moves) > MOST and not fold:
            raise TooLarge(_TOO_LARGE)
        children = [child for _, child, _ in _branches(state, fold)]
        nodes += len(children)
        if nodes > MOST or (moves and ply == DEEPEST):
            raise TooLarge(_TOO_LARGE)
        queue.extend((child, ply + 1) for child in children)


def _branches(state: State[Any], fold: bool) -> list[tuple[str, State[Any], int]]:
    """The children to draw: the text of the move, the position after it, and the number of moves that it stands for.
    With `fold`, the first of the moves of a player whose positions are equal up to symmetry stands for all of them."""
    first: dict[Hashable, tuple[str, State[Any], int]] = {}
    for move in state.moves():
        text, child = state.to_text(move), state.play(move)
        key = child.canonical if fold and state.turn != CHANCE else text
        drawn = first.get(key, (text, child, 0))
        first[key] = (*drawn[:2], drawn[2] + 1)
    return [*first.values()]


def shown(state: State[Any], value: Value) -> Value:
    """A value as a node shows it: of a value for every seat only MAX's, where that determines the others."""
    return value[0] if isinstance(value, tuple) and _has_max(state) else value


def _has_max(state: State[Any]) -> bool:
    """Whether one number (for seat 0) is the value of a position."""
    return state.players == 1 or state.zero_sum


def _prefixes(state: State[Any], line: Sequence[str]) -> set[Path]:
    """The nodes on the line from `state`."""
    return {(state.label, *line[:plies]) for plies in range(len(line) + 1)} if line else set()


def _node(
    state: State[Any],
    path: Path,
    known: dict[Path, Known],
    line: set[Path],
    nodes: Nodes,
    probability: float | None = None,
    alike: int = 1,
) -> Node:
    """The node of `state` at `path`, with its subtree."""
    here = known[path]
    moves = {state.to_text(move): move for move in state.moves()}
    chances = {state.to_text(outcome): chance for outcome, chance in state.chances()}
    for text in here.children:
        if text not in moves:
            raise BadSearch(f"expected the trace of a search from this position, where {text!r} is not a legal move")
    folded = sum(here.children.values()) > len(here.children)
    # In the game's order, whatever the order in which the search visited them.
    children = []
    for text, move in moves.items() if here.children else ():
        if text in here.children:
            below = _node(state.play(move), (*path, text), known, line, nodes, chances.get(text), here.children[text])
            children.append(below)
        elif not folded:
            child = state.play(move)
            shape, seat = _shape(child)
            unseen = Node(text, shape, seat, probability=chances.get(text), visits=0, cut=here.cutoff)
            children.append(_showing(unseen, child, nodes))
    shape, seat = _shape(state)
    node = Node(
        label=path[-1],
        shape=shape,
        seat=seat,
        value=None if here.value is None else shown(state, here.value),
        bound=here.bound,
        table=here.table,
        window=here.window,
        probability=probability,
        visits=here.visits,
        best=path in line,
        more=0 if children else len(moves),
        alike=alike,
        children=tuple(children),
    )
    return _showing(node, state, nodes)


def _showing(node: Node, state: State[Any], nodes: Nodes) -> Node:
    """The node with what it shows of its position."""
    if nodes is Nodes.MOVES:
        return node
    if nodes is Nodes.BOARDS:
        return replace(node, position=state)
    return replace(node, name=name_of(state, nodes), problem=nodes is Nodes.PROBLEMS)


def _shape(state: State[Any]) -> tuple[Shape, int | None]:
    if state.turn is None:
        return Shape.END, None
    if state.turn == CHANCE:
        return Shape.CHANCE, None
    if _has_max(state):
        return (Shape.MIN if state.turn else Shape.MAX), state.turn
    return Shape.SEAT, state.turn


# Solved: the values of positions by minimax, for the nodes of a drawn game tree whose subtree is not drawn.


MOST_SOLVED: Final = 50_000
"""Largest number of positions that are looked at for one picture: at most a second or two."""

Utilities = tuple[float, ...]
"""A value for each seat."""


class Solver:
    """Solves positions of one game until it has looked at `most` of them; then it gives up for good."""

    def __init__(self, *, most: int = MOST_SOLVED) -> None:
        self.known: dict[Hashable, Utilities] = {}
        self.left = most

    def solve(self, state: State[Any], plies: int) -> Utilities | None:
        """The utilities of `state` with best play (for several players: max^n); None if a game can last longer than
        `plies`, if the limit is reached, or if information is hidden, where minimax is not optimal."""
        if state.turn is None:
            return state.utilities()
        if state.hidden or plies <= 0:
            return None
        key = state.key
        if key not in self.known:
            if not self.left:
                return None
            self.left -= 1
            below = []
            for move in state.moves():
                utilities = self.solve(state.play(move), plies - 1)
                if utilities is None:
                    return None
                below.append(utilities)
            self.known[key] = backed_up(state, below)
        return self.known[key]


def backed_up(state: State[Any], below: Sequence[Utilities]) -> Utilities:
    """The utilities of `state` for every seat, from those of its children, `below`."""
    if state.turn == CHANCE:
        chances = [chance for _, chance in state.chances()]
        return tuple(
            sum(chance * worth for chance, worth in zip(chances, worths, strict=True))
            for worths in zip(*below, strict=True)
        )
    return max(below, key=lambda utilities: utilities[state.turn or 0])
