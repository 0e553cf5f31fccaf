"""Random trees for lectures, as descriptions that `adsearch/games/tree.py` reads.

The judge uses trees of all kinds, with single children and equal values; an exercise uses a regular tree with a unique
answer. The same seed gives the same tree in every version of Python.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from string import ascii_uppercase
from typing import Any, Final

from adsearch.games.tree import Tree, read
from adsearch.state import CHANCE

Value = int | tuple[int, ...]
"""The value of a leaf: a number for MAX, or one for each seat."""

_MOST_LEAVES: Final = 20
_WIDTH: Final = 3
_ENDS_EARLY: Final = 0.15
"""Probability that a node is a leaf before the greatest depth."""
_IS_CHANCE: Final = 0.4
"""Probability that a node is a chance node."""
_QUARTERS: Final = {2: ((2, 2), (1, 3), (3, 1)), 3: ((2, 1, 1), (1, 2, 1), (1, 1, 2))}
"""Probabilities in quarters, by the number of outcomes."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A node with children, without a name yet."""

    turn: int
    children: tuple[Branch | Value, ...]
    chances: tuple[float, ...] = ()
    estimate: Value | None = None


def described(root: Branch, *, players: int = 2, bounds: tuple[float, float | None]) -> dict[str, Any]:
    """The tree as a JSON document. Nodes are A, B, C ... from the root down, the leaves of B are b1, b2 ..."""
    names = _names(root)

    def node(branch: Branch) -> dict[str, Any]:
        name = names[id(branch)]
        labels = [
            names[id(child)] if isinstance(child, Branch) else f"{name.lower()}{number}"
            for number, child in enumerate(branch.children, 1)
        ]
        described: dict[str, Any] = {"@turn": "chance" if branch.turn == CHANCE else branch.turn}
        if branch.chances:
            described["@chances"] = dict(zip(labels, branch.chances, strict=True))
        if branch.estimate is not None:
            described["@estimate"] = _as_json(branch.estimate)
        for label, child in zip(labels, branch.children, strict=True):
            described[label] = node(child) if isinstance(child, Branch) else _as_json(child)
        return described

    return {"players": players, "bounds": list(bounds), "tree": {names[id(root)]: node(root)}}


def opened(description: dict[str, Any]) -> Tree:
    """The position at the root."""
    drawn = read(description)
    return Tree.at(drawn, drawn.root)


def below(state: Tree, path: Sequence[str]) -> Tree:
    """The position at the end of `path`, which starts with the label of `state`."""
    for label in path[1:]:
        state = state.play(label)
    return state


def leaf_count(branch: Branch | Value) -> int:
    """The number of leaves below."""
    return sum(map(leaf_count, branch.children)) if isinstance(branch, Branch) else 1


def regular(
    depth: int, width: int, turn: Callable[[int], int], chances: Callable[[], tuple[float, ...]], leaves: list[Value]
) -> Branch:
    """A tree of this depth and width with these leaves, from left to right; `turn` gives the seat that moves at a ply,
    `chances` the probabilities of the next chance node."""
    rest = iter(leaves)

    def node(ply: int) -> Branch:
        below = [node(ply + 1) if ply + 1 < depth else next(rest) for _ in range(width)]
        return Branch(turn(ply), tuple(below), chances() if turn(ply) == CHANCE else ())

    return node(0)


def probabilities(random: Random, outcomes: int) -> tuple[float, ...]:
    """Random probabilities of this many outcomes: in quarters if possible, else in tenths."""
    if outcomes in _QUARTERS:
        return tuple(share / 4 for share in random.choice(_QUARTERS[outcomes]))
    shares = [1] * outcomes
    for _ in range(10 - outcomes):
        shares[random.randrange(outcomes)] += 1
    return tuple(share / 10 for share in shares)


def irregular(random: Random, *, depth: int, players: int, chance: bool, agents: int = 0) -> dict[str, Any]:
    """A tree for the judge, of at most this depth and at most 20 leaves. With `agents`, MAX moves first, and in each
    round once; the other agents of the round are MIN.

    With two players, values are small and often equal. With more, all are different: max^n does not define a choice
    between equal values."""
    while True:
        made = _irregular(random, depth=depth, players=players, chance=chance, agents=agents)
        if leaf_count(made) <= _MOST_LEAVES:
            return described(made, players=players, bounds=(-10, 10) if players == 2 else (-1, 1000))


def _irregular(random: Random, *, depth: int, players: int, chance: bool, agents: int) -> Branch:
    most = random.choice((1, 3) if agents else (3, 9))  # what a method must do with equal values decides more often
    pools = [random.sample(range(1000), 1000) for _ in range(players)] if players > 2 else []

    def value() -> Value:
        return tuple(pool.pop() for pool in pools) if pools else random.randint(-most, most)

    def node(left: int, mover: int, *, root: bool = False) -> Branch | Value:
        if left == 0 or (not root and random.random() < _ENDS_EARLY):
            return value()
        width = random.randint(2 if root else 1, _WIDTH)
        if chance and width > 1 and random.random() < _IS_CHANCE:
            # Quarters add up exactly in any order.
            chances = probabilities(random, width)
            return Branch(CHANCE, tuple(node(left - 1, mover) for _ in chances), chances, value())
        after = min(1, (depth - left + 1) % agents) if agents else (mover + 1) % players
        return Branch(mover, tuple(node(left - 1, after) for _ in range(width)), estimate=value())

    made = node(depth, 0 if agents else random.randrange(players), root=True)
    assert isinstance(made, Branch), "a root has children"
    return made


def _names(root: Branch) -> dict[int, str]:
    """The names of all branches, level by level: A to Z, then AA, AB ..."""
    names: dict[int, str] = {}
    waiting = deque([root])
    while waiting:
        branch = waiting.popleft()
        first, second = divmod(len(names), 26)
        names[id(branch)] = (ascii_uppercase[first - 1] if first else "") + ascii_uppercase[second]
        waiting.extend(child for child in branch.children if isinstance(child, Branch))
    return names


def _as_json(value: Value) -> Any:
    return list(value) if isinstance(value, tuple) else value
