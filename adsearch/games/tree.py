"""Explicit game trees: the lecture's trees by name, and user-supplied trees from a JSON file.

    {"about": "...", "players": 2, "root": "MAX", "bounds": [1, null], "tree": {"A": {"B": {"C": 3, "D": 5}, "E": 4}}}

`tree` has one entry: the root's name and its node. A node is a leaf (a number, its value for MAX, or a list with one
number per seat) or an object with its children in order. Seats alternate from the root (MAX is seat 0) unless a node
has other settings, in keys that start with "@": "@turn" ("MAX", "MIN", "chance" or a seat's number), "@chances" (child:
probability; default: all equal), "@estimate" (the node's evaluation) and "@noisy" (children for quiescence search). All
entries except `tree` are optional.

A tree of one player is a path problem too: nodes of the same name are the same place, leaves with the best value are
goals, "@costs" (child: cost; default: 1) has the costs of the moves and "@heuristic" the estimated cost to a goal.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import Any, ClassVar, Final, Self

from adsearch.errors import BadOption, BadPosition, meant, one_of, quote
from adsearch.games.textfile import read_text
from adsearch.option import Option
from adsearch.path_state import Heuristic, PathState
from adsearch.state import CHANCE

_NAMED: Final = Path(__file__).with_name("trees.json")
_TURNS: Final = {"MAX": 0, "MIN": 1, "chance": CHANCE}
_KEYS: Final = ("@turn", "@chances", "@estimate", "@noisy", "@costs", "@heuristic")
_ENTRIES: Final = ("about", "players", "root", "bounds", "tree")
_MOST: Final = 1e9
"""The largest number, so that adding 1 to it is still exact in floating point."""
_MOST_SEATS: Final = 8
_MOST_BYTES: Final = 10_000_000
_DEEPEST: Final = 200
_MOST_LETTERS: Final = 50_000_000
"""Largest total length of all nodes' paths: deep trees with long names need much more memory than their file."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the tree: a leaf with a value, or an inner node with a turn and children by label."""

    path: str
    """The labels from the root to this node, separated by spaces."""
    turn: int | None
    value: tuple[float, ...] = ()
    children: dict[str, Node] = field(default_factory=dict)
    chances: tuple[tuple[str, float], ...] = ()
    estimate: tuple[float, ...] | None = None
    noisy: tuple[str, ...] = ()
    costs: dict[str, float] = field(default_factory=dict)
    heuristic: float = 0.0

    @property
    def label(self) -> str:
        """The node's own name."""
        return self.path.rpartition(" ")[2]


@dataclass(frozen=True, slots=True)
class DescribedTree:
    """A whole tree with its properties."""

    root: Node
    players: int
    bounds: tuple[float, float]
    zero_sum: bool
    chance: bool
    height: int
    best: float
    """The largest value that a leaf has for seat 0."""


class Reader:
    """Reads one tree; every error says at which node."""

    def __init__(self, players: int) -> None:
        self.players = players
        self.leaves: list[tuple[float, ...]] = []
        self.chance = False
        self.height = 0
        self.letters = 0

    def node(self, value: object, path: str, mover: int, depth: int = 0) -> Node:
        """The node that `value` describes; `mover` moves here unless "@turn" is given."""
        if depth > _DEEPEST:
            raise BadOption(f"node {quote(path)}: expected a tree of at most {_DEEPEST} plies")
        self.height = max(self.height, depth)
        self.letters += len(path)
        if self.letters > _MOST_LETTERS:
            raise BadOption(f"expected a smaller tree: its paths have more than {_MOST_LETTERS} letters together")
        if not isinstance(value, dict):
            leaf = Node(path, None, self.numbers(value, path))
            self.leaves.append(leaf.value)
            return leaf
        turn = self.turn(value["@turn"], path) if "@turn" in value else mover
        after = mover if turn == CHANCE else (turn + 1) % self.players
        self.chance |= turn == CHANCE
        labels = self.labels(value, path)
        children = {label: self.node(value[label], f"{path} {label}", after, depth + 1) for label in labels}
        return Node(
            path,
            turn,
            children=children,
            chances=self.chances(value.get("@chances"), tuple(children), path) if turn == CHANCE else (),
            estimate=self.numbers(value["@estimate"], path) if "@estimate" in value else None,
            noisy=self.noisy(value.get("@noisy", []), tuple(children), path),
            costs=self.costs(value.get("@costs", {}), tuple(children), path),
            heuristic=self.cost(value.get("@heuristic", 0), "a heuristic", path),
        )

    def labels(self, value: dict[str, Any], path: str) -> list[str]:
        """The names of the children; they must differ in more than case, because moves are read without case."""
        labels = [label for label in value if not label.startswith("@")]
        unknown = [label for label in value if label.startswith("@") and label not in _KEYS]
        if unknown:
            raise BadOption(f"node {quote(path)}: no key {quote(unknown[0])}{meant(unknown[0], _KEYS)}")
        if not labels:
            raise BadOption(f"node {quote(path)}: expected a number, or children")
        for label in labels:
            check_label(label, path)
        if len({label.lower() for label in labels}) < len(labels):
            raise BadOption(f"node {quote(path)}: expected children of different names, got {one_of(labels)}")
        return labels

    def turn(self, value: object, path: str) -> int:
        """The seat or CHANCE in "@turn"."""
        if isinstance(value, str) and value in _TURNS and _TURNS[value] < self.players:
            return _TURNS[value]
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < self.players:
            return value
        raise BadOption(
            f"node {quote(path)}: expected MAX, MIN, chance or a seat from 0 to {self.players - 1}, got {quote(value)}"
        )

    def numbers(self, value: object, path: str) -> tuple[float, ...]:
        """One number per seat; a single number is for MAX, and its negative for MIN."""
        numbers = value if isinstance(value, list) else [value]
        if all(map(is_number, numbers)):
            floats = tuple(map(float, numbers))
            if len(floats) == self.players:
                return floats
            if not isinstance(value, list) and self.players == 2:
                return (floats[0], 0.0 - floats[0])
        raise BadOption(
            f"node {quote(path)}: expected a number for each of {self.players} seats, or children, got {quote(value)}"
        )

    def chances(self, given: object, labels: tuple[str, ...], path: str) -> tuple[tuple[str, float], ...]:
        """The probability of each child of a chance node."""
        if given is None:
            return tuple((label, 1.0 / len(labels)) for label in labels)
        if isinstance(given, dict) and set(given) == set(labels):
            chances = [given[label] for label in labels]
            if all(is_number(chance) and chance > 0 for chance in chances) and abs(sum(chances) - 1) < 1e-9:
                return tuple(zip(labels, map(float, chances), strict=True))
        example = json.dumps({label: round(1.0 / len(labels), 3) for label in labels[:3]})
        raise BadOption(
            f"node {quote(path)}: expected a probability for each child, sum 1, such as {example}, got {quote(given)}"
        )

    def noisy(self, given: object, labels: tuple[str, ...], path: str) -> tuple[str, ...]:
        """The children for quiescence search."""
        if isinstance(given, list) and all(label in labels for label in given):
            return tuple(label for label in labels if label in given)
        raise BadOption(f"node {quote(path)}: expected a list of children as @noisy, got {quote(given)}")

    def costs(self, given: object, labels: tuple[str, ...], path: str) -> dict[str, float]:
        """The costs of the moves to children that have one."""
        if isinstance(given, dict) and set(given) <= set(labels):
            return {label: self.cost(cost, "costs", path) for label, cost in given.items()}
        raise BadOption(f"node {quote(path)}: expected a cost for each of its children as @costs, got {quote(given)}")

    def cost(self, given: object, what: str, path: str) -> float:
        """A cost, or an estimated one."""
        if isinstance(given, int | float) and is_number(given) and given >= 0:
            return float(given)
        raise BadOption(f"node {quote(path)}: expected {what} of 0 or more, got {quote(given)}")


def is_number(value: object) -> bool:
    """Whether `value` is a finite number that is not too large."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _MOST


def check_label(label: str, path: str) -> None:
    """Raise BadOption unless `label` is a valid name of a node."""
    if not (label.isascii() and label.isprintable() and " " not in label and 1 <= len(label) <= 64):
        raise BadOption(f"node {quote(path)}: expected a name of 1 to 64 characters without spaces, got {quote(label)}")


def read(description: object) -> DescribedTree:
    """The tree of a JSON document, checked; BadOption says what is wrong and where."""
    if (
        not isinstance(description, dict)
        or not isinstance(description.get("tree"), dict)
        or len(description["tree"]) != 1
    ):
        raise BadOption(
            'expected an object with "tree", itself an object with one entry: the root\'s name and its node'
        )
    unknown = [key for key in description if key not in _ENTRIES]
    if unknown:
        raise BadOption(f"no entry {quote(unknown[0])}{meant(unknown[0], _ENTRIES)}")
    players = description.get("players", 2)
    if not isinstance(players, int) or isinstance(players, bool) or not 1 <= players <= _MOST_SEATS:
        raise BadOption(f"expected 1 to {_MOST_SEATS} players, got {quote(players)}")
    reader = Reader(players)
    name, tree = next(iter(description["tree"].items()))
    check_label(name, "root")
    root = reader.node(tree, name, reader.turn(description.get("root", "MAX"), "root"))
    zero_sum = players == 2 and all(leaf[0] + leaf[1] == 0 for leaf in reader.leaves)
    best = max(leaf[0] for leaf in reader.leaves)
    drawn = DescribedTree(
        root, players, _bounds(description, reader, zero_sum), zero_sum, reader.chance, reader.height, best
    )
    _check_estimates(root, drawn)
    return drawn


def _bounds(description: Mapping[str, Any], reader: Reader, zero_sum: bool) -> tuple[float, float]:
    """The given bounds (null is infinite), else bounds that contain every leaf, for both seats if zero-sum."""
    values = [leaf[0] for leaf in reader.leaves] if zero_sum else [number for leaf in reader.leaves for number in leaf]
    given = description.get("bounds")
    if given is None:
        most = max(1.0, *map(abs, values))
        return (-most, most) if zero_sum else (min(values) - 1.0, max(values) + 1.0)
    if isinstance(given, list) and len(given) == 2 and all(bound is None or is_number(bound) for bound in given):
        low, high = -inf if given[0] is None else float(given[0]), inf if given[1] is None else float(given[1])
        if low < high and low <= min(values) and max(values) <= high:
            return (low, high)
    raise BadOption(f"expected bounds [low, high] around every leaf, null for none, got {quote(given)}")


def _check_estimates(node: Node, drawn: DescribedTree) -> None:
    low, high = drawn.bounds
    for number in (node.estimate or ())[: 1 if drawn.zero_sum else None]:
        if not low < number < high:
            raise BadOption(f"node {quote(node.path)}: expected an @estimate inside {low:g}..{high:g}, got {number:g}")
    for child in node.children.values():
        _check_estimates(child, drawn)


@lru_cache(maxsize=1)
def shipped() -> Mapping[str, Any]:
    """The built-in trees: name -> description."""
    descriptions: Mapping[str, Any] = json.loads(_NAMED.read_text("utf-8"))
    return descriptions


@lru_cache(maxsize=64)
def _shipped_tree(name: str) -> DescribedTree:
    return read(shipped()[name])


def _tree_in(file: str) -> DescribedTree:
    text = read_text(Path(file), most=_MOST_BYTES)
    try:
        return read(json.loads(text, object_pairs_hook=_without_doubles))
    except BadOption as error:
        raise BadOption(f"file {quote(file)}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise BadOption(f"file {quote(file)}: expected JSON: {error}") from None


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise BadOption(f"expected each name once in an object, got {one_of([name for name, _ in pairs])}")
    return found


class Tree(PathState[str]):
    """A game tree drawn by hand: the players move from the root to a leaf, which has the utility.
    With two players MAX moves at the root and maximizes the value, MIN minimizes it. Some trees have chance nodes, one
    player, or more players with a value for each."""

    options = (
        Option(
            "name",
            "professors",
            "the tree",
            choices=tuple(shipped()),
            meanings=tuple(tree["about"] for tree in shipped().values()),
        ),
        Option("file", "", "your own tree instead, a JSON file"),
    )
    notation = "the name of the child"
    position_notation = (("A B C", "the names of the nodes on the way from the root to this node"),)
    attributes = (("label", "the name of this node"),)
    heuristics: ClassVar[Mapping[str, Heuristic]] = {"given": lambda state: state.node.heuristic}
    seats = tuple(range(1, _MOST_SEATS + 1))

    __slots__ = ("node", "tree", "turn")

    tree: DescribedTree
    node: Node

    @classmethod
    def start(cls, *, name: str, file: str) -> Self:
        if file and name != cls.options[0].default:
            raise BadOption(f"expected name or file, got both: {name} and {quote(file)}")
        tree = _tree_in(file) if file else _shipped_tree(name)
        return cls.at(tree, tree.root)

    @classmethod
    def at(cls, tree: DescribedTree, node: Node) -> Self:
        """The position at that node."""
        state = cls()
        state.tree = tree
        state.node = node
        state.turn = node.turn
        return state

    @classmethod
    def load(cls, text: str, *, name: str, file: str) -> Self:
        state = cls.start(name=name, file=file)
        root, *labels = text.split(" ")
        if root != state.node.label:
            raise BadPosition(f"expected the labels from the root, {state.node.label!r}, to a node, got {quote(text)}")
        for label in labels:
            if label not in state.node.children:
                there = one_of(list(state.node.children)) or "none: it is a leaf"
                raise BadPosition(f"expected a child of {state.node.label} ({there}), got {quote(label)}")
            state = state.play(label)
        return state

    @property
    def players(self) -> int:
        return self.tree.players

    @property
    def chance(self) -> bool:
        return self.tree.chance

    @property
    def zero_sum(self) -> bool:
        return self.tree.zero_sum

    @property
    def bounds(self) -> tuple[float, float]:
        return self.tree.bounds

    @property
    def max_plies(self) -> int:
        return self.tree.height

    def moves(self) -> tuple[str, ...]:
        return tuple(self.node.children)

    def chances(self) -> tuple[tuple[str, float], ...]:
        return self.node.chances

    def all_moves(self) -> tuple[str, ...]:
        below = [self.node]
        for node in below:
            below += node.children.values()
        return tuple(dict.fromkeys(label for node in below if node.turn != CHANCE for label in node.children))

    def play(self, move: str) -> Self:
        return self.at(self.tree, self.node.children[move])

    def utilities(self) -> tuple[float, ...]:
        return self.node.value

    def evaluate(self, seat: int) -> float:
        """The node's "@estimate" if it has one, else the default."""
        if self.turn is None:
            return self.node.value[seat]
        if self.node.estimate is not None:
            return self.node.estimate[seat]
        # The default is for seat 0; in a zero-sum tree the value for seat 1 is its negative.
        return -super().evaluate(0) if seat and self.tree.zero_sum else super().evaluate(seat)

    def noisy_moves(self) -> tuple[str, ...]:
        return self.node.noisy

    @property
    def label(self) -> str:
        return self.node.label

    @property
    def short_name(self) -> str:
        return self.node.label

    @property
    def key(self) -> str:
        return self.node.path

    @property
    def goal(self) -> bool:
        return self.turn is None and self.node.value[0] == self.tree.best

    def cost(self, move: str) -> float:
        return self.node.costs.get(move, 1.0)

    @property
    def place(self) -> str:
        return self.node.label

    def position(self) -> str:
        return self.node.path

    def __str__(self) -> str:
        """The tree below this node, one node per line."""
        lines = self._lines(self.node, "", "", "")
        return "\n".join(lines if len(lines) <= 60 else [*lines[:59], f"... and {len(lines) - 59} more"])

    def _lines(self, node: Node, first: str, rest: str, odds: str) -> list[str]:
        """The lines of `node`, with the prefixes `first` for its first line and `rest` for the others."""
        lines = [f"{first}{node.label} {self._tell(node)}{odds}"]
        chances = dict(node.chances)
        for number, (label, child) in enumerate(node.children.items(), 1):
            branch, below = ("└─ ", "   ") if number == len(node.children) else ("├─ ", "│  ")
            odds = f"   p={chances[label]:g}" if chances else ""
            if label in node.costs:
                odds += f"   cost {node.costs[label]:g}"
            lines += self._lines(child, rest + branch, rest + below, odds)
        return lines

    def _tell(self, node: Node) -> str:
        """The value of a leaf; for another node, its heuristic if it has one, or who moves."""
        if node.turn is None:
            return ", ".join(f"{value:g}" for value in (node.value[:1] if self.tree.zero_sum else node.value))
        if node.turn == CHANCE:
            return "chance"
        mover = ("MAX", "MIN")[node.turn] if self.players == 2 else f"seat {node.turn}"
        return f"h={node.heuristic:g}" if node.heuristic else mover
