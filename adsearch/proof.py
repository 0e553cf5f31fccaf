"""Proof-number search: proves or disproves that a seat can force a goal, expanding the most-proving node first.

The proof number of a position is the smallest number of leaves that must be proven to prove it; the disproof number is
the same for disproving. The search repeatedly expands the most-proving node, which lowers both numbers of the root. A
position that is reached in several ways after the same number of plies is one node with several parents; there are no
cycles. The numbers can then count a leaf twice, which affects only the order of expansion, not the result.
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
from adsearch.trace import Backup, Trace

Goal = Literal["win", "draw"]

NEVER: Final = 1 << 62
"""Infinity: the proof number of a disproven node, and the disproof number of a proven node."""


def search(
    state: State[Move],
    *,
    seat: int | None = None,
    goal: Goal = "win",
    depth: int | None = None,
    budget: Budget | None = None,
    trace: Trace | None = None,
) -> Result[Move]:
    """Whether `seat` (default: the seat to move) can force a win, or with `goal="draw"` at least a draw.

    Let v be the game's value for `seat`. If the goal is proven, the value r is a LOWER bound: v >= r > 0 (for a draw:
    >= 0). If it is disproven, r is an UPPER bound: v <= r. If the other seat is to move, sign and bound are reversed. A
    bound equal to the game's largest or smallest utility is EXACT. With a depth, the goal counts as not reached beyond
    it. If the budget ends first, the value is the evaluation, with `exact` False and `bound` EXACT.

    Every node counted is kept in memory, so a budget of nodes also limits the memory."""
    terms.zero_sum(state, "proof")
    terms.seat_of(state, "proof", seat)
    if goal not in ("win", "draw"):
        raise BadSearch(f"proof: expected goal win or draw, got {goal!r}")
    limit = terms.plies(state, "proof", depth, budget)
    mover = terms.root_seat(state)
    prover = Prover[Move](mover if seat is None else seat, goal, limit, budget, trace)
    return prover.result(state, prover.prove(state), depth, mover)


class Node(Generic[Move]):
    """A position in the search graph. After `open` it has a child for each move, in order."""

    __slots__ = ("best", "children", "disproof", "parents", "ply", "proof", "state", "worth")

    def __init__(self, state: State[Move], ply: int) -> None:
        self.state = state
        self.ply = ply
        self.proof, self.disproof = 1, 1
        self.children: tuple[Node[Move], ...] = ()
        self.parents: list[Node[Move]] = []
        # The bound of the value for the seat, when the node is decided.
        self.worth = 0.0
        # The index of the child with this bound.
        self.best = 0

    @property
    def decided(self) -> bool:
        """Whether the goal is proven or disproven here."""
        return not (self.proof and self.disproof)

    def decide(self, reached: bool, worth: float) -> None:
        """Mark the node as proven or disproven."""
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
        """Search until the root is decided or the budget ends; return the root."""
        root = Node(state, 0)
        if self.trace:
            self.trace.begin(state, seat=self.seat, backup=Backup.PROOF)
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
        """The path from the root to the most-proving node."""
        path = [node := root]
        while node.children:
            if node.state.turn == self.seat:
                node = next(child for child in node.children if child.proof == node.proof)
            else:
                node = next(child for child in node.children if child.disproof == node.disproof)
            path.append(node)
        return path

    def look(self, node: Node[Move]) -> None:
        """Decide a new node if the game is over or the depth limit is reached."""
        if node.state.turn is None:
            worth = node.state.utilities()[self.seat]
            node.decide(worth >= self.least, worth)
        elif node.ply == self.limit:
            # At the depth limit the goal is not reached.
            self.effort.estimates += 1
            node.decide(False, nextafter(self.least, -inf))

    def open(self, node: Node[Move]) -> None:
        """Expand `node`: create its children."""
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
        """Update the numbers of `node` and, while they change, of its ancestors, ply by ply."""
        changed = [node] if self.count(node) else []
        while changed:
            parents = dict.fromkeys(parent for child in changed for parent in child.parents)
            changed = [parent for parent in parents if self.count(parent)]

    def count(self, node: Node[Move]) -> bool:
        """Compute the numbers of an expanded node from those of its children; return whether they changed."""
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
        """The result at the end of the search."""
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
        """A line of play from a decided `node` to an end with its `worth`."""
        line = []
        while node.children:
            line.append(node.state.moves()[node.best])
            node = node.children[node.best]
        return tuple(line)

    def undecided_line(self, root: Node[Move]) -> tuple[Move, ...]:
        """The best move so far: of the children, the easiest to prove (or to disprove)."""
        moves = root.state.moves()
        if not root.children:
            return moves[:1]
        mine = root.state.turn == self.seat
        ranks = [(child.proof, -child.disproof) if mine else (child.disproof, -child.proof) for child in root.children]
        return (moves[ranks.index(min(ranks))],)

    def tell(self, trace: Trace, path: list[Node[Move]]) -> None:
        """Trace the path down to the expanded node, and back up with the proof number of each node."""
        for parent, child in pairwise(path):
            at = next(at for at, other in enumerate(parent.children) if other is child)
            trace.descend(parent.state.to_text(parent.state.moves()[at]))
        for node in reversed(path[1:]):
            trace.back(inf if node.proof == NEVER else float(node.proof))


def all_of(numbers: Iterable[Any]) -> int:
    """The sum of the children's numbers; NEVER if one of them is NEVER."""
    total = 0
    for number in numbers:
        if number == NEVER:
            return NEVER
        total += number
    return min(total, NEVER - 1)
