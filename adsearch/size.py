"""Size: how large a game is, and how much of it a search has to look at.

All nodes of a position have the same subtree, so that each position is measured once and remembered: the tree of
nap:20 has 39,692,669 nodes, but only 20,944 positions. What alpha-beta visits is remembered in the same way, for each
window: the number is that of the real search, which visits all these nodes.
"""

from __future__ import annotations

from collections.abc import Hashable
from math import exp, inf, log
from typing import Any, NamedTuple

from adsearch.budget import Budget, Effort
from adsearch.errors import BadSearch
from adsearch.state import State
from adsearch.terms import DEEPEST


class CountedTree(NamedTuple):
    """A whole game tree, or the part of it below a position."""

    nodes: int
    """Number of nodes, with the root and the leaves. Minimax visits all of them."""
    leaves: int
    height: int
    """The length of the longest game in plies."""
    value: float | None
    """The minimax value for seat 0; None in games with chance, hidden information or more than two sides."""
    nimber: int | None
    """In an impartial game the nimber: 0 if the player to move loses, otherwise the smallest number that no child has.
    None in other games."""


class Size(NamedTuple):
    """The size of a game."""

    tree: CountedTree
    positions: int
    """Number of positions: nodes with equal keys are one."""
    up_to_symmetry: int
    """Number of positions, those that are equal up to symmetry counted once."""

    @property
    def mean_moves(self) -> float | None:
        """The mean number of moves at an inner node; None if there is none."""
        inner = self.tree.nodes - self.tree.leaves
        return (self.tree.nodes - 1) / inner if inner else None


def size(state: State[Any], budget: Budget | None = None) -> Size:
    """The size of the game from `state` on; OutOfBudget if it has more positions than the budget allows."""
    _refuse_endless(state)
    measure = _Measure(state, budget)
    tree = measure.below(state)
    return Size(tree, len(measure.known), len(measure.canonical))


def alphabeta_nodes(state: State[Any], budget: Budget | None = None) -> int | None:
    """The number of nodes that plain alpha-beta visits to find the value of `state`, in the game's order of moves; None
    in games that it cannot search. OutOfBudget if that cannot be counted within the budget."""
    _refuse_endless(state)
    return _Pruned(budget).below(state, -inf, inf)[1] if _is_for_minimax(state) else None


def effective_branching(nodes: int, depth: int) -> float | None:
    """The b for which 1 + b + b^2 + ... + b^depth is `nodes`; None without a depth."""
    if depth == 0:
        return None
    # b^depth is at most `nodes`. A larger interval would not be halved to the last digits of b.
    low, high = 0.0, exp(log(max(nodes, 1)) / depth)
    for _ in range(100):
        middle = (low + high) / 2
        # From the inside out: the sum of a large tree becomes inf, and no power raises OverflowError.
        total = 1.0
        for _ in range(depth):
            total = 1.0 + middle * total
        low, high = (middle, high) if total < nodes else (low, middle)
    return round(high, 4)


def uniform_leaves(branching: float, height: int) -> float:
    """The leaves of a tree in which each node has `branching` children: minimax looks at all of them."""
    return branching**height


def best_case_leaves(branching: float, height: int) -> float:
    """The leaves of that tree that alpha-beta looks at if the best move always comes first."""
    half = height // 2
    return branching ** (height - half) + branching**half - 1


def _refuse_endless(state: State[Any]) -> None:
    if state.turn is not None and (state.max_plies is None or state.max_plies > DEEPEST):
        raise BadSearch(f"size: a game that can last longer than {DEEPEST} plies cannot be measured")


def _is_for_minimax(state: State[Any]) -> bool:
    return not (state.chance or state.hidden) and (state.players == 1 or state.zero_sum)


class _Measure:
    """Measures all positions from one on."""

    def __init__(self, state: State[Any], budget: Budget | None) -> None:
        self.effort = Effort(budget)
        self.known: dict[Hashable, CountedTree] = {}
        self.canonical: set[Hashable] = set()
        self._minimax = _is_for_minimax(state)

    def below(self, state: State[Any]) -> CountedTree:
        """The tree below `state`."""
        key = state.key
        if key in self.known:
            return self.known[key]
        self.effort.nodes += 1
        if self.effort.limited:
            self.effort.check()
        trees = [self.below(state.play(move)) for move in state.moves()]
        tree = self._joined(state, trees) if trees else self._end(state)
        self.known[key] = tree
        self.canonical.add(state.canonical)
        return tree

    def _end(self, state: State[Any]) -> CountedTree:
        """The tree of a finished game."""
        return CountedTree(1, 1, 0, state.utilities()[0] if self._minimax else None, 0 if state.impartial else None)

    def _joined(self, state: State[Any], trees: list[CountedTree]) -> CountedTree:
        """The tree of `state`, from those of its children."""
        values = [tree.value for tree in trees if tree.value is not None]
        nimbers = {tree.nimber for tree in trees}
        return CountedTree(
            nodes=1 + sum(tree.nodes for tree in trees),
            leaves=sum(tree.leaves for tree in trees),
            height=1 + max(tree.height for tree in trees),
            value=None if not values else min(values) if state.turn == 1 else max(values),
            nimber=next(n for n in range(len(trees) + 1) if n not in nimbers) if state.impartial else None,
        )


class _Pruned:
    """Counts what alpha-beta visits."""

    def __init__(self, budget: Budget | None) -> None:
        self.effort = Effort(budget)
        self._known: dict[tuple[Hashable, float, float], tuple[float, int]] = {}

    def below(self, state: State[Any], alpha: float, beta: float) -> tuple[float, int]:
        """What fail-soft alpha-beta returns for `state` in this window, and the number of nodes that it visits."""
        if state.turn is None:
            return state.utilities()[0], 1
        key = (state.key, alpha, beta)
        if key not in self._known:
            self.effort.nodes += 1
            if self.effort.limited:
                self.effort.check()
            self._known[key] = self._searched(state, alpha, beta)
        return self._known[key]

    def _searched(self, state: State[Any], alpha: float, beta: float) -> tuple[float, int]:
        """The same, from the children."""
        best, nodes = (inf if state.turn == 1 else -inf), 1
        for move in state.moves():
            value, visited = self.below(state.play(move), alpha, beta)
            nodes += visited
            if state.turn == 1:
                best = min(best, value)
                beta = min(beta, best)
            else:
                best = max(best, value)
                alpha = max(alpha, best)
            if alpha >= beta:
                break
        return best, nodes
