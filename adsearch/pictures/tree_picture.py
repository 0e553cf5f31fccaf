"""Picture: a game tree, or what a search saw of it, with all that is to be shown of every node.

`game_tree` and `search_tree` make one; `tree_drawing` shows it as text, DOT or SVG. A tree that is too large to be
looked at is refused.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from adsearch.errors import BadSearch
from adsearch.result import Result
from adsearch.state import CHANCE, State
from adsearch.trace import Trace, Value, window_text, written

MOST: Final = 2000
"""So many nodes can still be read, or at least scrolled through."""
DEEPEST: Final = 200

Path = tuple[str, ...]
"""A node, by the root's label and the texts of the moves to it."""


class Shape(StrEnum):
    """What a node is."""

    MAX = "MAX"
    MIN = "MIN"
    CHANCE = "chance"
    SEAT = "seat"
    """One of several players."""
    END = "end"


@dataclass(frozen=True, slots=True)
class Node:
    """A node as it is shown."""

    label: str
    """The move that leads here; of the root, its name."""
    shape: Shape
    seat: int | None = None
    """Who moves, where that is a player."""
    value: Value | None = None
    """For MAX where there is one, else for every seat; or as the search reported it."""
    window: str = ""
    probability: float | None = None
    """Of the outcome that leads here."""
    visits: int = 1
    """How often a search was here; 0: it never was."""
    cut: bool = False
    """Whether it was left out because of a cut-off."""
    best: bool = False
    """Whether it is on the line of best play."""
    more: int = 0
    """How many children are not shown, because the picture ends here."""
    children: tuple[Node, ...] = ()

    @property
    def player(self) -> str:
        """Who moves, in a word; nothing at the end."""
        return f"seat {self.seat}" if self.shape is Shape.SEAT else "" if self.shape is Shape.END else self.shape.value

    def walk(self) -> Iterator[Node]:
        """This node and all below it, each before its children."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class Picture:
    """A tree to be shown."""

    root: Node
    title: str

    @property
    def description(self) -> str:
        """The picture in a few sentences."""
        nodes = list(self.root.walk())
        seen = sum(node.visits > 0 for node in nodes)
        parts = [f"{seen:,} {'node' if seen == 1 else 'nodes'}."]
        if self.root.value is not None:
            parts.append(f"The value of {self.root.label} is {written(self.root.value)}.")
        line = [node.label for node in nodes[1:] if node.best]
        if line:
            parts.append(f"Best play: {', '.join(line)}.")
        left_out = [node.label for node in nodes if not node.visits]
        if len(left_out) > 3:
            parts.append(f"{len(left_out):,} branches were not visited.")
        elif left_out:
            parts.append(f"Not visited: {', '.join(left_out)}.")
        return " ".join(parts)


@dataclass(slots=True)
class Known:
    """What is known of a node before it is drawn."""

    value: Value | None = None
    window: str = ""
    visits: int = 1
    cutoff: bool = False
    """Whether its last visited child was the last to be looked at."""
    children: dict[str, None] = field(default_factory=dict)
    """The moves that are drawn in full, in order."""


def game_tree(state: State[Any], *, depth: int | None = None, title: str = "Game tree") -> Picture:
    """The tree below `state`, whole or `depth` plies of it.

    A whole tree has the value of every node under best play (of several players: when each looks after itself, and
    takes the first of equals); in games with hidden information, where that is not how they are played, only of the
    ends. BadSearch for a tree of more than MOST nodes."""
    if depth is not None and depth < 0:
        raise BadSearch(f"expected a depth of 0 or more plies to draw, got {depth}")
    whole = _is_whole(state, depth)
    known: dict[Path, Known] = {}
    best: dict[Path, str] = {}

    def look(state: State[Any], path: Path) -> tuple[float, ...] | None:
        """Fills in what is known below `state`; its utilities under best play."""
        here = known[path] = Known()
        if state.turn is None:
            utilities: tuple[float, ...] | None = state.utilities()
        elif depth is None or len(path) <= depth:
            here.children = {state.to_text(move): None for move in state.moves()}
            below = [look(state.play(move), (*path, state.to_text(move))) for move in state.moves()]
            worths = [worth for worth in below if worth is not None]
            utilities = _backed_up(state, worths) if whole and not state.hidden else None
            if utilities is not None and state.turn != CHANCE:
                best[path] = list(here.children)[worths.index(utilities)]
        else:
            utilities = None
        if utilities is not None:
            here.value = utilities
        return utilities

    look(state, (state.label,))
    line: list[str] = []
    while (path := (state.label, *line)) in best:
        line.append(best[path])
    return Picture(_node(state, (state.label,), known, _prefixes(state, line)), title)


def search_tree(
    state: State[Any], trace: Trace, result: Result[Any] | None = None, *, title: str = "Search tree"
) -> Picture:
    """What the search of `state` that filled `trace` has visited, and beside it the children that it has not.

    A node shows what it returned last, as the trace has it; `result` adds the line of best play and the root's
    value. BadSearch for a tree of more than MOST nodes, or a trace of another position."""
    known: dict[Path, Known] = {}
    for call in trace.calls():
        here = known.setdefault(call.path, Known(visits=0))
        here.visits += 1
        here.value = here.value if call.value is None else call.value
        here.window = window_text(call.alpha, call.beta) or here.window
        if call.path[:-1]:
            parent = known[call.path[:-1]]
            parent.children[call.path[-1]] = None
            parent.cutoff = call.cutoff
    root = (state.label,)
    if root not in known or any(path[:1] != root for path in known):
        raise BadSearch(f"expected the trace of a search that began at {state.label!r}")
    if len(known) > MOST or trace.left_out or max(map(len, known)) > DEEPEST + 1:
        raise BadSearch(_TOO_LARGE)
    line = texts(state, () if result is None else result.line)
    if result is not None:
        known[root].value = _value_at_root(state, result, known.get((*root, *line[:1])))
    picture = Picture(_node(state, root, known, _prefixes(state, line)), title)
    if sum(1 for _ in picture.root.walk()) > MOST:
        raise BadSearch(_TOO_LARGE)
    return picture


def _value_at_root(state: State[Any], result: Result[Any], first: Known | None) -> Value:
    """The value of the root as an event of the trace would give it: that of the first move played."""
    if result.values is not None:
        return result.values
    if first is not None and first.value in (result.value, -result.value):
        return first.value
    return -result.value if state.turn == 1 and _has_max(state) else result.value


_TOO_LARGE: Final = f"expected a tree of at most {MOST:,} nodes and {DEEPEST} plies to draw; limit its depth (--depth)"


def _is_whole(state: State[Any], depth: int | None) -> bool:
    """Whether the tree ends within `depth` plies everywhere; BadSearch where it is too large."""
    queue = deque([(state, 0)])
    nodes = 1
    whole = True
    while queue:
        state, ply = queue.popleft()
        if ply == depth:
            whole &= state.turn is None
            continue
        moves = state.moves()
        nodes += len(moves)
        if nodes > MOST or (moves and ply == DEEPEST):
            raise BadSearch(_TOO_LARGE)
        queue.extend((state.play(move), ply + 1) for move in moves)
    return whole


def _backed_up(state: State[Any], below: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    """What `state` is worth to every seat when its children are worth `below`."""
    if state.turn == CHANCE:
        chances = [chance for _, chance in state.chances()]
        return tuple(
            sum(chance * worth for chance, worth in zip(chances, worths, strict=True))
            for worths in zip(*below, strict=True)
        )
    return max(below, key=lambda worths: worths[state.turn or 0])


def _shown(state: State[Any], utilities: tuple[float, ...]) -> Value:
    return utilities[0] if _has_max(state) else utilities


def _has_max(state: State[Any]) -> bool:
    """Whether one number, for seat 0, says what a position is worth."""
    return state.players == 1 or state.zero_sum


def texts(state: State[Any], moves: Sequence[Any]) -> list[str]:
    """What `moves`, played one after the other from `state`, are called."""
    called = []
    for move in moves:
        called.append(state.to_text(move))
        state = state.play(move)
    return called


def _prefixes(state: State[Any], line: Sequence[str]) -> set[Path]:
    """The nodes on the line from `state`."""
    return {(state.label, *line[:plies]) for plies in range(len(line) + 1)} if line else set()


def _node(
    state: State[Any], path: Path, known: dict[Path, Known], line: set[Path], probability: float | None = None
) -> Node:
    """The node at `path`, which is `state`, and all below it."""
    here = known[path]
    moves = {state.to_text(move): move for move in state.moves()}
    chances = {state.to_text(outcome): chance for outcome, chance in state.chances()}
    children = []
    for text in here.children:
        if text not in moves:
            raise BadSearch(f"expected the trace of a search from this position, in which {text!r} is no move")
        children.append(_node(state.play(moves[text]), (*path, text), known, line, chances.get(text)))
    if children:
        for text in [text for text in moves if text not in here.children]:
            shape, seat = _shape(state.play(moves[text]))
            children.append(Node(text, shape, seat, probability=chances.get(text), visits=0, cut=here.cutoff))
    shape, seat = _shape(state)
    return Node(
        label=path[-1],
        shape=shape,
        seat=seat,
        value=_shown(state, here.value) if isinstance(here.value, tuple) else here.value,
        window=here.window,
        probability=probability,
        visits=here.visits,
        best=path in line,
        more=0 if children else len(moves),
        children=tuple(children),
    )


def _shape(state: State[Any]) -> tuple[Shape, int | None]:
    if state.turn is None:
        return Shape.END, None
    if state.turn == CHANCE:
        return Shape.CHANCE, None
    if _has_max(state):
        return (Shape.MIN if state.turn else Shape.MAX), state.turn
    return Shape.SEAT, state.turn
