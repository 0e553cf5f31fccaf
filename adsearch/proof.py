"""Proof-number search: the proof, or disproof, that a seat can force its goal, found where it is easiest.

Every position has a proof number, the least number of open positions that must still be proven to prove it, and a
disproof number. Again and again the search opens the position that counts in both. Positions that are reached on
several ways in the same number of plies are one, with several parents, so nothing goes round in circles; the numbers
may then count a position twice, which misleads the choice but never the answer.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import pairwise
from math import inf, nextafter
from typing import Any, Final, Generic, Literal

from adsearch import terms
from adsearch.budget import Budget, Effort, OutOfBudget
from adsearch.errors import BadSearch
from adsearch.result import Bound, Result
from adsearch.state import Move, State
from adsearch.trace import Trace

Goal = Literal["win", "draw"]

NEVER: Final = 1 << 62
"""The proof number of what is disproven, and the disproof number of what is proven."""


def search(
    state: State[Move],
    *,
    seat: int | None = None,
    goal: Goal = "win",
    depth: int | None = None,
    budget: Budget | None = None,
    trace: Trace | None = None,
) -> Result[Move]:
    """Whether `seat`, by default the one to move, can force a win, or with `goal="draw"` at least a draw.

    Told for `seat`, the value is r: if the goal is proven, the seat secures r (> 0, or >= 0 for a draw), a LOWER bound;
    if it is disproven, the other side keeps it to r, an UPPER bound. For the seat to move, if that is the other, both
    are turned round. A bound that no utility is beyond is EXACT. With a depth, what lies beyond it counts as not
    reached. Undecided when the budget ends, the value is the evaluation, `exact` is False and `bound` EXACT.

    Every node counted is a position in memory, so a budget of nodes bounds that too."""
    terms.zero_sum(state, "proof")
    terms.seat_of(state, "proof", seat)
    if goal not in ("win", "draw"):
        raise BadSearch(f"proof: expected goal win or draw, got {goal!r}")
    limit = terms.plies(state, "proof", depth, budget)
    mover = terms.root_seat(state)
    prover = Prover[Move](mover if seat is None else seat, goal, limit, budget, trace)
    return prover.result(state, prover.prove(state), depth, mover)


class Node(Generic[Move]):
    """A position in the graph of those looked at; opened, it has a child for each move, in order."""

    __slots__ = ("best", "children", "disproof", "parents", "ply", "proof", "state", "worth")

    def __init__(self, state: State[Move], ply: int) -> None:
        self.state = state
        self.ply = ply
        self.proof, self.disproof = 1, 1
        self.children: tuple[Node[Move], ...] = ()
        self.parents: list[Node[Move]] = []
        # What the seat secures, or is kept to, once that is known.
        self.worth = 0.0
        # The child that has this worth.
        self.best = 0

    @property
    def decided(self) -> bool:
        """Whether the goal is proven or disproven here."""
        return not (self.proof and self.disproof)

    def decide(self, reached: bool, worth: float) -> None:
        """The goal is proven here, or disproven."""
        self.proof, self.disproof = 0 if reached else NEVER, NEVER if reached else 0
        self.worth = worth


class Prover(Generic[Move]):
    """One proof: that `seat` reaches its goal within `limit` plies."""

    def __init__(self, seat: int, goal: Goal, limit: int, budget: Budget | None, trace: Trace | None) -> None:
        self.seat = seat
        self.limit = limit
        self.trace = trace
        # The least utility that reaches the goal.
        self.least = nextafter(0.0, inf) if goal == "win" else 0.0
        self.effort = Effort(budget)
        self.nodes: dict[tuple[int, Hashable], Node[Move]] = {}

    def prove(self, state: State[Move]) -> Node[Move]:
        """The root, decided unless the budget ended before."""
        root = Node(state, 0)
        if self.trace:
            self.trace.begin(state)
        try:
            self.effort.nodes += 1
            self.effort.check()
            self.look(root)
            while not root.decided:
                path = self.most_proving(root)
                self.open(path[-1])
                self.update(path[-1])
                if self.trace:
                    self.tell(self.trace, path)
        except OutOfBudget:
            pass
        return root

    def most_proving(self, root: Node[Move]) -> list[Node[Move]]:
        """The way to the open position that counts for both the proof and the disproof of the root."""
        path = [node := root]
        while node.children:
            if node.state.turn == self.seat:
                node = next(child for child in node.children if child.proof == node.proof)
            else:
                node = next(child for child in node.children if child.disproof == node.disproof)
            path.append(node)
        return path

    def look(self, node: Node[Move]) -> None:
        """Decides a new position where that needs no search."""
        if node.state.turn is None:
            worth = node.state.utilities()[self.seat]
            node.decide(worth >= self.least, worth)
        elif node.ply == self.limit:
            # All that is known of it is that the goal is not reached so far.
            self.effort.estimates += 1
            node.decide(False, nextafter(self.least, -inf))

    def open(self, node: Node[Move]) -> None:
        """Gives `node` its children."""
        children = []
        for move in node.state.moves():
            state = node.state.play(move)
            key = (node.ply + 1, state.key)
            child = self.nodes.get(key)
            if child is None:
                self.effort.nodes += 1
                if self.effort.limited:
                    self.effort.check()
                child = self.nodes[key] = Node(state, node.ply + 1)
                self.look(child)
            children.append(child)
        for child in children:
            child.parents.append(node)
        node.children = tuple(children)

    def update(self, node: Node[Move]) -> None:
        """New numbers for `node` and, as far as they change, for all that leads to it, ply by ply."""
        changed = [node] if self.count(node) else []
        while changed:
            parents = dict.fromkeys(parent for child in changed for parent in child.parents)
            changed = [parent for parent in parents if self.count(parent)]

    def count(self, node: Node[Move]) -> bool:
        """The numbers of an opened position from those of its children; whether they have changed."""
        if node.decided:
            return False
        before = (node.proof, node.disproof)
        mine = node.state.turn == self.seat
        proofs = [child.proof for child in node.children]
        disproofs = [child.disproof for child in node.children]
        if mine:
            node.proof, node.disproof = min(proofs), all_of(disproofs)
        else:
            node.proof, node.disproof = all_of(proofs), min(disproofs)
        if 0 in (node.proof, node.disproof):
            same = [at for at, proof in enumerate(proofs) if (proof == 0) == (node.proof == 0) and proof in (0, NEVER)]
            node.best = (max if mine else min)(same, key=lambda at: node.children[at].worth)
            node.worth = node.children[node.best].worth
        return (node.proof, node.disproof) != before

    def result(self, state: State[Move], root: Node[Move], depth: int | None, mover: int) -> Result[Move]:
        """What is known when the search ends."""
        reached = depth
        if depth is None and self.effort.estimates:
            reached = self.limit
        if not root.decided:
            line = self.undecided_line(root)
            value, bound, exact = state.evaluate(mover), Bound.EXACT, False
        else:
            line = self.line(root)
            low, high = terms.bounds_for(state, self.seat)
            exact = state.turn is None or root.worth == (high if root.proof == 0 else low)
            value = root.worth if mover == self.seat else 0.0 - root.worth
            lower = (root.proof == 0) == (mover == self.seat)
            bound = Bound.EXACT if exact else Bound.LOWER if lower else Bound.UPPER
        return Result(
            value=value + 0.0,
            move=line[0] if line else None,
            line=line,
            depth=reached,
            nodes=self.effort.nodes,
            exact=exact,
            bound=bound,
            distance=0 if state.turn is None else None,
        )

    def line(self, node: Node[Move]) -> tuple[Move, ...]:
        """A game that ends in the worth of `node`, which is decided."""
        line = []
        while node.children:
            line.append(node.state.moves()[node.best])
            node = node.children[node.best]
        return tuple(line)

    def undecided_line(self, root: Node[Move]) -> tuple[Move, ...]:
        """The move that looks best so far."""
        moves = root.state.moves()
        if not root.children:
            return moves[:1]
        mine = root.state.turn == self.seat
        ranks = [(child.proof, -child.disproof) if mine else (child.disproof, -child.proof) for child in root.children]
        return (moves[ranks.index(min(ranks))],)

    def tell(self, trace: Trace, path: list[Node[Move]]) -> None:
        """Traces the way to a position that was opened, and back with the proof number of each on it."""
        for parent, child in pairwise(path):
            at = next(at for at, other in enumerate(parent.children) if other is child)
            trace.descend(parent.state.to_text(parent.state.moves()[at]))
        for node in reversed(path[1:]):
            trace.back(inf if node.proof == NEVER else float(node.proof))


def all_of(numbers: Iterable[Any]) -> int:
    """The number for proving, or disproving, all of several positions."""
    total = 0
    for number in numbers:
        if number == NEVER:
            return NEVER
        total += number
    return min(total, NEVER - 1)
