"""Monte-Carlo tree search (UCT): games played at random say which move is good, and a tree remembers what they said.

A simulation goes down the tree by the moves that promise most (their mean utility, and more where little was tried),
adds one node, plays on at random to the end, and updates every node on its way. It needs no evaluation, and
copes with chance, any number of players and hidden information. What is proven is not tried again (MCTS-Solver).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from math import inf, log, sqrt
from random import Random
from typing import Final, Generic

from adsearch import terms
from adsearch.budget import Budget, Effort, OutOfBudget
from adsearch.errors import BadSearch
from adsearch.result import Result
from adsearch.searcher import Evaluate
from adsearch.state import CHANCE, Move, State
from adsearch.trace import Trace

SIMULATIONS: Final = 1000
"""How many, where neither their number nor a budget is given."""

LONGEST: Final = 400
"""A simulation goes on for so many plies, where no depth is given."""

Rollout = Callable[[State[Move], Random], Move]
"""Chooses a move, in the part of a simulation that is outside the searcher."""


def search(
    state: State[Move],
    *,
    depth: int | None = None,
    budget: Budget | None = None,
    trace: Trace | None = None,
    evaluate: Evaluate[Move] | None = None,
    simulations: int | None = None,
    exploration: float = 1.4,
    random: Random | None = None,
    rollout: Rollout[Move] | None = None,
) -> Result[Move]:
    """The most visited move of `state` after so many simulations (default 1000, or as many as the budget allows), and
    the mean of what they said of it; a proven root ends the search, and its value is exact.

    A simulation is followed for `depth` plies, or 400, and if that is not the end judged by `evaluate`. The clock is
    read before each simulation. `exploration` weighs curiosity, in units of the range of the utilities seen so far. The
    same `random` (default: seed 0) gives the same result. `nodes` counts every position of every simulation, those in
    the tree too; `Result.depth` is the longest path in the tree, None where the root is proven.

    Where something is hidden, each simulation begins at a `state.sample` of what the mover may see, and whoever moves
    in it chooses by what that seat would see; nothing is proven then."""
    if simulations is not None and simulations < 1:
        raise BadSearch(f"mcts: expected 1 or more simulations, got {simulations}")
    if not 0 <= exploration < inf:
        raise BadSearch(f"mcts: expected an exploration of 0 or more, got {exploration:g}")
    limit = LONGEST if depth is None else terms.plies(state, "mcts", depth)
    searcher = Mcts(
        state,
        limit,
        budget=budget,
        trace=trace,
        evaluate=evaluate,
        exploration=exploration,
        random=random or Random(0),
        rollout=rollout,
    )
    if state.turn is None or limit == 0:
        return searcher.result()
    searcher.grow(SIMULATIONS if simulations is None and not searcher.effort.limited else simulations)
    return searcher.result()


class Node(Generic[Move]):
    """What the simulations said of one move, and of the moves after it."""

    __slots__ = ("children", "mean", "proven", "rarity", "seat", "state", "sure", "untried", "visits")

    def __init__(self, seat: int, state: State[Move] | None) -> None:
        # Who moved here (the root's seat, where chance did), whose mean `mean` is.
        self.seat = seat
        # The position, where nothing is hidden.
        self.state = state
        self.visits = 0
        self.mean = 0.0
        # 1 / sqrt(visits).
        self.rarity = 0.0
        self.children: dict[Move, Node[Move]] = {}
        # The moves without a child, once one was looked for.
        self.untried: list[Move] | None = None
        # The utilities of all seats, where they are known for certain.
        self.proven: tuple[float, ...] | None = None
        # Those of the best child that is proven: the seat to move is sure of as much.
        self.sure: tuple[float, ...] | None = None

    def add(self, utility: float) -> None:
        """One more visit, and what came of it."""
        self.visits += 1
        self.mean += (utility - self.mean) / self.visits
        self.rarity = 1.0 / sqrt(self.visits)

    def prove(self, utilities: tuple[float, ...]) -> None:
        """From now on the utilities are known."""
        self.proven, self.mean = utilities, utilities[self.seat]


class Mcts(Generic[Move]):
    """One search: the tree from `state`, and how it grows."""

    def __init__(
        self,
        state: State[Move],
        limit: int,
        *,
        budget: Budget | None,
        trace: Trace | None,
        evaluate: Evaluate[Move] | None,
        exploration: float,
        random: Random,
        rollout: Rollout[Move] | None,
    ) -> None:
        self.state = state
        self.limit = limit
        self.seat = terms.root_seat(state)
        self.hidden = state.hidden
        self.effort = Effort(budget)
        self.allowed = inf if budget is None or budget.nodes is None else budget.nodes
        self.trace = trace
        self.evaluate: Evaluate[Move] = evaluate or (lambda state, seat: state.evaluate(seat))
        self.exploration = exploration
        self.random = random
        self.rollout = rollout
        self.root: Node[Move] = Node(self.seat, state)
        if state.turn is None:
            self.root.prove(state.utilities())
        # Where something is hidden, the moves from each information set: by the seat to move and what it sees.
        self.sets: dict[tuple[int | None, Hashable], Node[Move]] = {}
        self.longest = 0
        low, high = state.bounds
        # The most that each seat can get.
        self.most = [high, -low if state.zero_sum else high, *[high] * (state.players - 2)]
        # Whether one number says it all, and what is best for one is worst for the other.
        self.opposed = state.players == 1 or state.zero_sum
        self.lowest = [inf] * state.players
        self.highest = [-inf] * state.players

    def grow(self, simulations: int | None) -> None:
        """Runs simulations, as many as are wanted and the budget allows, or until the root is proven."""
        if self.trace:
            self.trace.begin(self.state)
        with suppress(OutOfBudget):
            while self.root.proven is None and simulations != 0:
                self.effort.nodes += 1
                self.effort.check()
                self.simulate()
                if simulations is not None:
                    simulations -= 1

    def simulate(self) -> None:
        """One simulation: down the tree, on at random, and back."""
        limit = int(min(self.limit, self.allowed - self.effort.nodes))
        path = [self.root]
        state, plies = self.descend(path, limit)
        proven = path[-1].proven
        utilities = proven or self.play_on(state, limit - plies)
        self.effort.nodes += plies
        self.longest = max(self.longest, plies)
        self.back_up(path, utilities)
        if self.trace:
            for _ in range(plies):
                self.trace.back(utilities[0] if self.opposed else utilities)

    def descend(self, path: list[Node[Move]], limit: int) -> tuple[State[Move], int]:
        """Goes down the tree to a node that is new, proven or at the limit, adding all on the way to `path`; the
        position there and how many plies away it is."""
        node = self.root
        state = self.state.sample(self.seat, self.random) if self.hidden else self.state
        for plies in range(limit):
            turn = state.turn
            if turn is None or node.proven is not None:
                return state, plies
            move = self.draw(state) if turn == CHANCE else self.choose(node, state.moves(), turn)
            if self.trace:
                self.trace.descend(state.to_text(move))
            child = node.children.get(move)
            if child is None:
                state = state.play(move)
                child = node.children[move] = self.leaf(state, self.seat if turn == CHANCE else turn)
                path.append(child)
                return state, plies + 1
            path.append(child)
            if child.state is None:
                state = state.play(move)
                node = self.information_set(state)
                path.append(node)
            else:
                node, state = child, child.state
        return state, limit

    def choose(self, node: Node[Move], moves: Sequence[Move], seat: int) -> Move:
        """A move that was not tried yet, else of those not proven the one with the highest upper confidence bound."""
        if node.untried is None:
            node.untried = list(moves)
        if node.untried:
            return node.untried.pop(int(self.random.random() * len(node.untried)))
        spread = self.highest[seat] - self.lowest[seat] or 1.0
        curiosity = self.exploration * spread * sqrt(log(node.visits))
        best, chosen = -inf, moves[0]
        for move, child in node.children.items():
            bound = child.mean + curiosity * child.rarity
            if bound > best and child.proven is None:
                best, chosen = bound, move
        return chosen

    def draw(self, state: State[Move]) -> Move:
        """An outcome of chance, by the probabilities."""
        outcomes = state.chances()
        left = self.random.random()
        for outcome, probability in outcomes:
            left -= probability
            if left < 0:
                return outcome
        return outcomes[-1][0]

    def leaf(self, state: State[Move], seat: int) -> Node[Move]:
        """A new node for `state`, into which `seat` moved."""
        node = Node(seat, None if self.hidden else state)
        if state.turn is None and not self.hidden:
            node.prove(state.utilities())
        return node

    def information_set(self, state: State[Move]) -> Node[Move]:
        """The node of all positions that look the same to the seat to move."""
        seat = terms.root_seat(state)
        seen = (state.turn, state.view(seat) if state.turn == seat else state.key)
        node = self.sets.get(seen)
        if node is None:
            node = self.sets[seen] = Node(seat, None)
        return node

    def play_on(self, state: State[Move], plies: int) -> tuple[float, ...]:
        """Plays at random to the end, or so many plies; the utilities, or estimates of them."""
        random = self.random.random
        rollout = self.rollout
        turn = state.turn
        left = plies
        while turn is not None and left > 0:
            if turn == CHANCE:
                move = self.draw(state)
            elif rollout is None:
                moves = state.moves()
                move = moves[int(random() * len(moves))]
            else:
                move = rollout(state, self.random)
            state = state.play(move)
            turn = state.turn
            left -= 1
        self.effort.nodes += plies - left
        if turn is None:
            return state.utilities()
        return tuple([self.evaluate(state, seat) for seat in range(state.players)])

    def back_up(self, path: list[Node[Move]], utilities: tuple[float, ...]) -> None:
        """Tells the nodes of `path`, from the last to the root, how the simulation went and what it proves."""
        for seat, utility in enumerate(utilities):
            if utility < self.lowest[seat]:
                self.lowest[seat] = utility
            if utility > self.highest[seat]:
                self.highest[seat] = utility
        child = path[-1]
        child.add(utilities[child.seat])
        news = child.proven is not None and child.visits == 1
        for node in reversed(path[:-1]):
            if node.sure is not None and node.sure[child.seat] >= child.mean:
                # The simulation looked for something better, but the mover would play what is proven.
                utilities = node.sure
            node.add(utilities[node.seat])
            news = news and self.settle(node)
            child = node

    def settle(self, node: Node[Move]) -> bool:
        """Whether the children of `node` prove what it is worth: as in maxn, the first best move counts."""
        state = node.state
        if state is None or state.turn is None:
            return False
        if state.turn == CHANCE:
            return self.settle_chance(node, state)
        seat = state.turn
        best = None
        settled = True
        for move in state.moves():
            child = node.children.get(move)
            if child is None or child.proven is None:
                settled = False
            elif best is None or child.proven[seat] > best[seat]:
                best = child.proven
                if best[seat] >= self.most[seat]:
                    # No other move is better, but an earlier one may be as good for the mover and not for the others.
                    settled = settled or self.opposed or node is self.root
                    if settled:
                        break
        node.sure = best
        if settled and best is not None:
            node.prove(best)
        return settled

    def settle_chance(self, node: Node[Move], state: State[Move]) -> bool:
        """The same for a chance node: its worth is the mean of its children, once they are all proven."""
        means = [0.0] * state.players
        for outcome, probability in state.chances():
            child = node.children.get(outcome)
            if child is None or child.proven is None:
                return False
            for seat, utility in enumerate(child.proven):
                means[seat] += probability * utility
        node.prove(tuple(means))
        return True

    def preferred(self, node: Node[Move], state: State[Move]) -> Move:
        """The most visited move, or the best of those that are proven if that is no worse; the first such in order."""
        tried = [(move, node.children[move]) for move in state.moves() if move in node.children]
        proven = [(move, child) for move, child in tried if child.proven is not None]
        unproven = [(move, child) for move, child in tried if child.proven is None]
        best = max(proven, key=lambda pair: pair[1].mean, default=None)
        most = max(unproven, key=lambda pair: pair[1].visits, default=None)
        if best is None or (most is not None and most[1].mean > best[1].mean):
            best = most
        return best[0] if best else state.moves()[0]

    def line(self) -> list[Move]:
        """The preferred moves from the root, up to where chance or a secret decides."""
        node = self.root
        moves = []
        while node.children and node.state is not None and node.state.turn != CHANCE:
            moves.append(self.preferred(node, node.state))
            node = node.children[moves[-1]]
        return moves

    def result(self) -> Result[Move]:
        """What the simulations so far have found."""
        state = self.state
        root = self.root
        proven = root.proven
        moves = tuple(self.line())
        if not moves and state.turn not in (None, CHANCE) and self.limit:
            moves = state.moves()[:1]
        child = root.children.get(moves[0], root) if moves else root
        if child.visits or proven:
            value = child.mean
        else:
            # Nothing was tried, and of a position with secrets the mover may judge only what it sees.
            value = self.evaluate(state.sample(self.seat, self.random) if self.hidden else state, self.seat)
        return Result(
            value=value + 0.0,
            move=moves[0] if moves else None,
            line=moves,
            depth=None if proven else self.longest,
            nodes=max(self.effort.nodes, 1),
            exact=proven is not None,
        )
