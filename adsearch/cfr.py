"""Counterfactual regret minimisation (CFR): the equilibrium of a small game with hidden information, such as poker.

The positions that the player to move cannot tell apart, because their `view` is the same, are one information set. A
player has the same strategy in all of them: a probability for each move. CFR plays the whole game against itself again
and again. Each time it adds to every move its regret: how much more this move would have won than the strategy did, in
the positions to which chance and the other player lead. The next strategy plays each move in proportion to its regret
(regret matching). The average of all strategies comes as close to an equilibrium as you like.

Vanilla CFR: Zinkevich et al., "Regret Minimization in Games with Incomplete Information" (2007). CFR+ is much faster:
it forgets negative regrets, and later strategies count more in the average. Tammelin, "Solving Large Imperfect
Information Games Using CFR+" (2014). Here both update the two players in turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeAlias

from adsearch import terms
from adsearch.budget import Budget, Effort, OutOfBudget
from adsearch.errors import BadSearch
from adsearch.state import CHANCE, Move, State

ITERATIONS: Final = 1000
MOST: Final = 200_000
"""The largest number of nodes of a game that is solved."""


@dataclass(frozen=True, slots=True)
class Equilibrium(Generic[Move]):
    """A strategy for each seat, and how good they are."""

    strategy: Mapping[str, Mapping[Move, float]]
    """The probability of each move, by the view of the player to move."""
    value: float
    """What seat 0 wins on average if both seats play these strategies."""
    exploitability: float
    """What a perfect opponent, who knows the strategy, wins more than against an equilibrium; the average of both
    seats. It is 0 in an equilibrium."""
    iterations: int
    nodes: int
    """The number of nodes of the game tree."""


def solve(
    state: State[Move],
    *,
    iterations: int = ITERATIONS,
    plus: bool = True,
    budget: Budget | None = None,
    most: int = MOST,
) -> Equilibrium[Move]:
    """The average strategies after this number of iterations of CFR+, or of vanilla CFR without `plus`.

    If the budget ends before, there are fewer iterations. BadSearch if the game is not for two players with hidden
    information, has more than `most` nodes, or if a view does not say what its player has seen and done before."""
    if iterations < 1:
        raise BadSearch(f"cfr: expected 1 iteration or more, got {iterations}")
    game = _Game(state, most)
    effort = Effort(budget)
    done = 0
    try:
        while done < iterations:
            effort.nodes += 2 * game.nodes
            effort.check()
            done += 1
            for seat in (0, 1):
                _add_regrets(game.root, seat, 1.0)
                own = [each for each in game.sets.values() if each.seat == seat]
                for each in own:
                    each.add_to_average(done if plus else 1)
                for each in own:
                    each.match_regrets(forget=plus)
    except OutOfBudget:
        pass
    for each in game.sets.values():
        each.strategy = each.average()
    return Equilibrium(
        strategy={view: dict(zip(each.moves, each.strategy, strict=True)) for view, each in game.sets.items()},
        value=_value(game.root),
        exploitability=game.exploitability(),
        iterations=done,
        nodes=game.nodes,
    )


def exploitability(state: State[Move], strategy: Mapping[str, Mapping[Move, float]]) -> float:
    """How exploitable `strategy` is, the strategies of both seats, as in `Equilibrium`; BadSearch as in `solve`, or if
    a view or a move is missing."""
    game = _Game(state, MOST)
    for view, each in game.sets.items():
        odds = strategy.get(view, {})
        if set(odds) != set(each.moves) or any(chance < 0 for chance in odds.values()):
            expected = f"a probability for each of {each.moves} at the view {view!r}"
            raise BadSearch(f"cfr: expected {expected}, got {dict(odds)}")
        each.strategy = _shares([odds[move] for move in each.moves])
    return game.exploitability()


def _shares(numbers: list[float]) -> list[float]:
    """Each number's share of the sum; equal shares if the sum is 0."""
    total = sum(numbers)
    return [number / total for number in numbers] if total else [1.0 / len(numbers)] * len(numbers)


_Before: TypeAlias = "tuple[_Set[Move], int] | None"
"""The last information set of a seat, and the place of its move there."""


class _Set(Generic[Move]):
    """An information set: whose it is, and the strategy in it."""

    __slots__ = ("before", "moves", "reach", "regrets", "seat", "strategy", "total")

    def __init__(self, seat: int, moves: Sequence[Move], before: _Before[Move]) -> None:
        self.seat = seat
        self.moves = moves
        self.before = before
        # The probability that the seat's own moves lead here.
        self.reach = 1.0
        self.regrets = [0.0] * len(moves)
        # The sum of all strategies, each by its weight.
        self.total = [0.0] * len(moves)
        self.strategy = _shares(self.total)

    def add_to_average(self, weight: int) -> None:
        """Adds the strategy to the average, as often as the seat plays it; the sets before come first."""
        if self.before is not None:
            last, place = self.before
            self.reach = last.reach * last.strategy[place]
        for place, chance in enumerate(self.strategy):
            self.total[place] += weight * self.reach * chance

    def match_regrets(self, *, forget: bool) -> None:
        """Regret matching: the next strategy. CFR+ forgets negative regrets."""
        positive = [max(regret, 0.0) for regret in self.regrets]
        self.strategy = _shares(positive)
        if forget:
            self.regrets = positive

    def average(self) -> list[float]:
        """The average of all strategies so far."""
        return _shares(self.total)


class _Node(Generic[Move]):
    """A node of the game tree."""

    __slots__ = ("chances", "children", "set", "utility")

    def __init__(self) -> None:
        # At a player's node its information set; at a chance node the probability of each child; at the end neither.
        self.set: _Set[Move] | None = None
        self.chances: list[float] = []
        self.children: list[_Node[Move]] = []
        # What seat 0 has won at the end.
        self.utility = 0.0

    @property
    def odds(self) -> list[float]:
        """The probability of each child."""
        return self.chances if self.set is None else self.set.strategy

    def won(self, seat: int) -> float:
        """What the seat has won at the end."""
        return 0.0 - self.utility if seat else self.utility


class _Game(Generic[Move]):
    """The tree of a game, and all information sets by their views."""

    def __init__(self, state: State[Move], most: int) -> None:
        terms.zero_sum(state, "cfr", chance=True)
        if not state.hidden or state.players != 2:
            raise BadSearch("cfr is for two players and hidden information, and this game has not both")
        terms.plies(state, "cfr", None)
        self.most = most
        self.nodes = 0
        self.sets: dict[str, _Set[Move]] = {}
        self.root = self._grow(state, (None, None))

    def exploitability(self) -> float:
        """What the best responses to both seats' strategies win, on average. The utilities of the two seats sum to 0,
        and so does what both win in an equilibrium."""
        return sum(_BestResponse(self.root, seat).value(self.root) for seat in (0, 1)) / 2

    def _grow(self, state: State[Move], before: tuple[_Before[Move], _Before[Move]]) -> _Node[Move]:
        """The tree below `state`; `before`: of each seat."""
        self.nodes += 1
        if self.nodes > self.most:
            raise BadSearch(f"cfr: this game has more than {self.most:,} nodes")
        node = _Node[Move]()
        if state.turn is None:
            node.utility = state.utilities()[0]
        elif state.turn == CHANCE:
            node.chances = [probability for _, probability in state.chances()]
        else:
            node.set = self._set_of(state, state.turn, before[state.turn])
        for place, move in enumerate(state.moves()):
            after = before
            if node.set is not None:
                own = node.set, place
                after = (before[0], own) if node.set.seat else (own, before[1])
            node.children.append(self._grow(state.play(move), after))
        return node

    def _set_of(self, state: State[Move], seat: int, before: _Before[Move]) -> _Set[Move]:
        view = state.view(seat)
        found = self.sets.setdefault(view, _Set(seat, state.moves(), before))
        if found.before != before:
            raise BadSearch(
                f"cfr: the view {view!r} of seat {seat} does not say what this seat has seen and done before"
            )
        return found


def _add_regrets(node: _Node[Move], seat: int, others: float) -> float:
    """What `seat` wins on average below the node. Adds the regrets of its moves there; `others` is the probability that
    chance and the other player lead to the node."""
    if not node.children:
        return node.won(seat)
    odds = node.odds
    if node.set is None or node.set.seat != seat:
        return sum(
            [
                chance * _add_regrets(child, seat, others * chance)
                for chance, child in zip(odds, node.children, strict=True)
                if chance
            ]
        )
    values = [_add_regrets(child, seat, others) for child in node.children]
    value = _mean(odds, values)
    for place, won in enumerate(values):
        node.set.regrets[place] += others * (won - value)
    return value


def _mean(odds: Sequence[float], values: Sequence[float]) -> float:
    return sum([chance * value for chance, value in zip(odds, values, strict=True)])


def _value(node: _Node[Move]) -> float:
    """What seat 0 wins on average below the node."""
    return _mean(node.odds, [_value(child) for child in node.children]) if node.children else node.utility


class _BestResponse(Generic[Move]):
    """The best that `seat` can do against the other seat's strategy."""

    def __init__(self, root: _Node[Move], seat: int) -> None:
        self._seat = seat
        # The nodes of each of the seat's information sets, with the probability that chance and the other seat lead
        # there.
        self._nodes: dict[_Set[Move], list[tuple[_Node[Move], float]]] = {}
        self._moves: dict[_Set[Move], int] = {}
        self._values: dict[_Node[Move], float] = {}
        self._reach(root, 1.0)

    def _reach(self, node: _Node[Move], probability: float) -> None:
        own = node.set if node.set is not None and node.set.seat == self._seat else None
        if own is not None:
            self._nodes.setdefault(own, []).append((node, probability))
        for chance, child in zip(node.odds, node.children, strict=True):
            self._reach(child, probability * (1.0 if own else chance))

    def value(self, node: _Node[Move]) -> float:
        """What the seat wins on average below the node."""
        if not node.children:
            return node.won(self._seat)
        if node not in self._values:
            if node.set in self._nodes:
                self._values[node] = self.value(node.children[self._best(node.set)])
            else:
                self._values[node] = _mean(node.odds, [self.value(child) for child in node.children])
        return self._values[node]

    def _best(self, where: _Set[Move]) -> int:
        """The best move, for all nodes of an information set together."""
        if where not in self._moves:
            self._moves[where] = max(
                range(len(where.moves)),
                key=lambda place: sum(p * self.value(node.children[place]) for node, p in self._nodes[where]),
            )
        return self._moves[where]
