"""Monte Carlo tree search (UCT): the results of random games are kept in a tree, which guides the next games.

A simulation has four steps: selection (go down the tree by UCB1), expansion (add one node), rollout (play random moves
to the end) and backpropagation (update every node on the path). It needs no evaluation, and supports chance, any number
of players and hidden information. Proven nodes are not selected again (MCTS-Solver).
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
from adsearch.form import in_either_form
from adsearch.result import Result
from adsearch.searcher import Evaluate
from adsearch.state import CHANCE, Move, State
from adsearch.trace import Backup, Trace

SIMULATIONS: Final = 1000
"""Number of simulations if neither their number nor a budget is given."""

LONGEST: Final = 400
"""Longest simulation in plies, if no depth is given."""

Rollout = Callable[[State[Move], Random], Move]
"""A rollout policy: chooses the moves of a simulation after it has left the tree."""


@in_either_form
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
    """The most visited move of `state` after `simulations` simulations (default: 1000, or until the budget ends), and
    its mean utility. If the root is proven, the search ends and its value is exact.

    A simulation is at most `depth` plies long (default 400); if the game is not over then, `evaluate` gives the value.
    The clock is read before each simulation. `exploration` is the constant of UCB1, in units of the range of the
    utilities seen so far. The same `random` (default: seed 0) gives the same result. `nodes` counts every position of
    every simulation; `Result.depth` is the longest path in the tree, None if the root is proven.

    With hidden information, each simulation starts from a random `state.sample` for the seat to move, and each player
    in it chooses by its own information set; then nothing is proven."""
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
    """A node of the tree: the statistics of one move, and its children."""

    __slots__ = ("children", "mean", "proven", "rarity", "seat", "state", "sure", "untried", "visits")

    def __init__(self, seat: int, state: State[Move] | None) -> None:
        # The seat that made the move (after a chance event: the root's seat); `mean` is for this seat.
        self.seat = seat
        # The position; None in games with hidden information.
        self.state = state
        self.visits = 0
        self.mean = 0.0
        # 1 / sqrt(visits).
        self.rarity = 0.0
        self.children: dict[Move, Node[Move]] = {}
        # The moves that have no child yet; None before the first selection here.
        self.untried: list[Move] | None = None
        # The utilities of all seats, if the node is proven.
        self.proven: tuple[float, ...] | None = None
        # The utilities of the best proven child: the seat to move can secure its utility of them.
        self.sure: tuple[float, ...] | None = None

    def add(self, utility: float) -> None:
        """Add one visit with this utility."""
        self.visits += 1
        self.mean += (utility - self.mean) / self.visits
        self.rarity = 1.0 / sqrt(self.visits)

    def prove(self, utilities: tuple[float, ...]) -> None:
        """Mark the node as proven, with these utilities."""
        self.proven, self.mean = utilities, utilities[self.seat]


class Mcts(Generic[Move]):
    """One search: the tree below `state`."""

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
        # With hidden information: the node of each information set, by the seat to move and what it sees.
        self.sets: dict[tuple[int | None, Hashable], Node[Move]] = {}
        self.longest = 0
        low, high = state.bounds
        # The largest possible utility of each seat.
        self.most = [high, -low if state.zero_sum else high, *[high] * (state.players - 2)]
        # Whether the game has one player or is zero-sum, so that one number is enough.
        self.opposed = state.players == 1 or state.zero_sum
        self.lowest = [inf] * state.players
        self.highest = [-inf] * state.players

    def grow(self, simulations: int | None) -> None:
        """Run simulations until their number or the budget is reached, or the root is proven."""
        if self.trace:
            self.trace.begin(self.state, backup=Backup.SIMULATION)
        with suppress(OutOfBudget):
            while self.root.proven is None and simulations != 0:
                self.effort.nodes += 1
                self.effort.check()
                self.simulate()
                if simulations is not None:
                    simulations -= 1

    def simulate(self) -> None:
        """One simulation: selection and expansion, rollout, backpropagation."""
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
        """Go down the tree to a new or proven node or to the limit, and add the nodes to `path`. Return the position
        there and its ply."""
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
        """A random untried move; else the unproven move with the highest upper confidence bound (UCB1)."""
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
        """A random outcome of a chance node, by its probabilities."""
        outcomes = state.chances()
        left = self.random.random()
        for outcome, probability in outcomes:
            left -= probability
            if left < 0:
                return outcome
        return outcomes[-1][0]

    def leaf(self, state: State[Move], seat: int) -> Node[Move]:
        """A new node for `state`, after a move of `seat`."""
        node = Node(seat, None if self.hidden else state)
        if state.turn is None and not self.hidden:
            node.prove(state.utilities())
        return node

    def information_set(self, state: State[Move]) -> Node[Move]:
        """The node of all positions that the seat to move cannot distinguish."""
        seat = terms.root_seat(state)
        seen = (state.turn, state.view(seat) if state.turn == seat else state.key)
        node = self.sets.get(seen)
        if node is None:
            node = self.sets[seen] = Node(seat, None)
        return node

    def play_on(self, state: State[Move], plies: int) -> tuple[float, ...]:
        """Rollout: play random moves to the end, or `plies` plies; return the utilities, or estimates of them."""
        random = self.random
        rollout = self.rollout
        turn = state.turn
        left = plies
        while turn is not None and left > 0:
            if turn == CHANCE:
                move = self.draw(state)
            elif rollout is None:
                move = state.playout_move(random)
            else:
                move = rollout(state, random)
            state = state.play(move)
            turn = state.turn
            left -= 1
        self.effort.nodes += plies - left
        if turn is None:
            return state.utilities()
        return tuple([self.evaluate(state, seat) for seat in range(state.players)])

    def back_up(self, path: list[Node[Move]], utilities: tuple[float, ...]) -> None:
        """Backpropagation: update the nodes of `path`, from the last to the root, and prove nodes where possible."""
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
                # The simulation tried a move that is no better than a proven one: the player would play the proven one.
                utilities = node.sure
            node.add(utilities[node.seat])
            news = news and self.settle(node)
            child = node

    def settle(self, node: Node[Move]) -> bool:
        """Prove `node` if its children allow it, and return whether they do. As in maxn, the first best move counts."""
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
                    # No move is better, but an unproven earlier one can be equal for this seat and not for the others.
                    settled = settled or self.opposed or node is self.root
                    if settled:
                        break
        node.sure = best
        if settled and best is not None:
            node.prove(best)
        return settled

    def settle_chance(self, node: Node[Move], state: State[Move]) -> bool:
        """The same for a chance node: its value is the expected value of its children, when all are proven."""
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
        """The most visited unproven move, or the best proven move if it is not worse; the first one of several."""
        tried = [(move, node.children[move]) for move in state.moves() if move in node.children]
        proven = [(move, child) for move, child in tried if child.proven is not None]
        unproven = [(move, child) for move, child in tried if child.proven is None]
        best = max(proven, key=lambda pair: pair[1].mean, default=None)
        most = max(unproven, key=lambda pair: pair[1].visits, default=None)
        if best is None or (most is not None and most[1].mean > best[1].mean):
            best = most
        return best[0] if best else state.moves()[0]

    def line(self) -> list[Move]:
        """The preferred moves from the root, up to a chance node or hidden information."""
        node = self.root
        moves = []
        while node.children and node.state is not None and node.state.turn != CHANCE:
            moves.append(self.preferred(node, node.state))
            node = node.children[moves[-1]]
        return moves

    def result(self) -> Result[Move]:
        """The result of the simulations so far."""
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
            # No simulation. With hidden information the evaluation may use only what the seat to move sees.
            value = self.evaluate(state.sample(self.seat, self.random) if self.hidden else state, self.seat)
        return Result(
            value=value + 0.0,
            move=moves[0] if moves else None,
            line=moves,
            depth=None if proven else self.longest,
            nodes=max(self.effort.nodes, 1),
            exact=proven is not None,
        )
