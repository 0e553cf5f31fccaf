"""Value iteration: the exact value of games whose positions can repeat, such as Pig, where a search would never end.

All positions start with the value 0. Sweeps compute each value from the values of its children, until no value changes.
Strongly connected components are solved one after another, each after the components that it leads to; a position that
cannot repeat is computed once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from operator import mul
from typing import Final, Generic

from adsearch import terms
from adsearch.budget import Budget, Effort, OutOfBudget
from adsearch.errors import BadSearch
from adsearch.garbage import rare_collection
from adsearch.result import Result
from adsearch.state import CHANCE, Move, State
from adsearch.trace import Backup, Trace

MOST: Final = 3_000_000
"""The largest number of positions of a game that is solved; they need one or two gigabytes of memory."""
SAME: Final = 1e-9
"""Moves whose values differ by less are equal, because the difference can be rounding. Like the tolerance, it is
multiplied by the largest utility if that is more than 1."""
_SWEEPS: Final = 100_000
_ROUNDS: Final = 100
_FAST: Final = 0.75
"""The limit of the values is estimated only if changes shrink at least by this factor: then it is accurate."""
_SAME_FACTOR: Final = 1e-4
"""The limit is estimated after two sweeps whose factors differ by less."""


@dataclass(frozen=True, slots=True)
class Solution(Generic[Move]):
    """The solution of a game from one position on. Positions are given by their keys."""

    values: dict[Hashable, float]
    """The value of each position, for seat 0."""
    policy: dict[Hashable, Move]
    """The best move of each position where a player moves; the first of equal ones, unless it would repeat for ever."""
    sweeps: int
    """The largest number of sweeps of a component."""


def solve(state: State[Move], *, tolerance: float = 1e-12, most: int = MOST) -> Solution[Move]:
    """The value and the best move of every position that can follow `state`, with an error of about `tolerance`.

    A game that never ends has the value 0. For example, if both players can pass for ever, passing is a draw: a player
    that can secure more will not pass. BadSearch if there are more than `most` positions, or the values do not
    converge."""
    return _solve(state, tolerance, most, Effort())


def search(
    state: State[Move],
    *,
    depth: int | None = None,
    budget: Budget | None = None,
    trace: Trace | None = None,
    tolerance: float = 1e-12,
    most: int = MOST,
) -> Result[Move]:
    """The value of `state` from `solve`; `nodes` is the number of positions of the game.

    There is no depth: the whole game is solved, or if the budget ends first, the value is the evaluation. The line ends
    at a chance node, or where a position repeats. A trace shows the moves at the root with their values."""
    if depth is not None:
        raise BadSearch("iteration solves the whole game and has no depth; leave the depth out")
    effort = Effort(budget)
    seat = terms.root_seat(state)
    line: tuple[Move, ...]
    try:
        solution = _solve(state, tolerance, most, effort)
    except OutOfBudget:
        value, line, exact = state.evaluate(seat), () if state.turn == CHANCE else state.moves()[:1], False
    else:
        value, line, exact = solution.values[state.key], best_line(state, solution), True
        value = (0.0 - value if seat else value) + 0.0
        if trace:
            trace.begin(state, backup=Backup.ITERATION)
            for move in state.moves():
                trace.descend(state.to_text(move))
                trace.back(solution.values[state.play(move).key])
    return Result(
        value=value,
        move=line[0] if line else None,
        line=line,
        depth=None,
        nodes=effort.nodes,
        exact=exact,
        distance=0 if state.turn is None and exact else None,
    )


def _solve(state: State[Move], tolerance: float, most: int, effort: Effort) -> Solution[Move]:
    """`solve` with a budget: raises OutOfBudget."""
    terms.zero_sum(state, "iteration", chance=True)
    if not 0 < tolerance < 1:
        raise BadSearch(f"iteration: expected a tolerance between 0 and 1, got {tolerance!r}")
    iteration = Iteration[Move](tolerance, effort)
    with rare_collection():  # saves a third of the time
        iteration.explore(state, most)
        iteration.scale(max(1.0, *map(abs, iteration.values)))
        for component in components(iteration.children):
            iteration.settle(component)
        return iteration.solution()


def best_line(state: State[Move], solution: Solution[Move]) -> tuple[Move, ...]:
    """The best moves of both sides from `state`, up to a chance node or a repeated position."""
    line = []
    seen = set[Hashable]()
    while state.key in solution.policy and state.key not in seen:
        seen.add(state.key)
        line.append(solution.policy[state.key])
        state = state.play(line[-1])
    return tuple(line)


def components(children: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """The strongly connected components that node 0 can reach (Tarjan's algorithm), each after the components that it
    leads to; within a component, nodes are in postorder of the depth-first search."""
    closed = len(children)
    number, low = [-1] * closed, [closed] * closed
    number[0] = low[0] = 0
    count = 1
    finished: list[int] = []
    stack = [(0, iter(children[0]), 0)]
    while stack:
        node, rest, mark = stack[-1]
        for child in rest:
            if number[child] < 0:
                number[child] = low[child] = count
                count += 1
                stack.append((child, iter(children[child]), len(finished)))
                break
            low[node] = min(low[node], low[child])
        else:
            stack.pop()
            finished.append(node)
            if stack:
                parent = stack[-1][0]
                low[parent] = min(low[parent], low[node])
            if low[node] == number[node]:
                component = finished[mark:]
                del finished[mark:]
                for member in component:
                    low[member] = closed
                yield component


class Iteration(Generic[Move]):
    """The positions of one game, numbered as they are found, and their values."""

    def __init__(self, tolerance: float, effort: Effort) -> None:
        self.tolerance = tolerance
        self.same = max(tolerance, SAME)
        self.effort = effort
        self.index: dict[Hashable, int] = {}
        self.turns: list[int | None] = []
        self.moves: list[tuple[Move, ...]] = []
        self.children: list[tuple[int, ...]] = []
        self.chances: list[tuple[float, ...]] = []
        self.values: list[float] = []
        # The index of the chosen move of each position.
        self.chosen: list[int] = []
        self.sweeps = 1

    def explore(self, state: State[Move], most: int) -> None:
        """Find every position that can follow `state`."""
        waiting = [(self.add(state, state.key), state)]
        shared: dict[tuple[float, ...], tuple[float, ...]] = {}
        while waiting:
            node, state = waiting.pop()
            children = []
            for move in self.moves[node]:
                child = state.play(move)
                key = child.key
                number = self.index.get(key)
                if number is None:
                    if len(self.index) >= most:
                        raise BadSearch(f"iteration: this game has more than {most:,} positions; try mcts")
                    number = self.add(child, key)
                    if child.turn is not None:
                        waiting.append((number, child))
                children.append(number)
            self.children[node] = tuple(children)
            if state.turn == CHANCE:
                chances = tuple(chance for _, chance in state.chances())
                self.chances[node] = shared.setdefault(chances, chances)

    def add(self, state: State[Move], key: Hashable) -> int:
        """Add a new position with that key; return its number."""
        self.effort.nodes += 1
        if self.effort.limited:
            self.effort.check()
        number = self.index[key] = len(self.index)
        self.turns.append(state.turn)
        self.moves.append(state.moves())
        self.children.append(())
        self.chances.append(())
        self.values.append(state.utilities()[0] if state.turn is None else 0.0)
        self.chosen.append(0)
        return number

    def scale(self, most: float) -> None:
        """Multiply the tolerances by the largest utility, because floating-point errors are relative."""
        self.tolerance *= most
        self.same *= most

    def settle(self, component: list[int]) -> None:
        """Compute the values and moves of one component, after all components that it leads to."""
        if self.turns[component[0]] is None:
            return
        if len(component) == 1 and component[0] not in self.children[component[0]]:
            self.visit(component[0])
            self.choose_first(component)
            return
        for round in range(_ROUNDS):
            self.sweep(component, estimating=round == 0)
            if round == 0 and not self.is_left(component):
                # An estimate that is too high could hold itself in a cycle: start again from 0 without one.
                for node in component:
                    self.values[node] = 0.0
                continue
            improving = {node: self.chosen[node] for node in component}
            self.choose_first(component)
            # The first of equal moves can repeat for ever where the move that last changed the value does not.
            if endless := self.endless(component):
                for node in endless:
                    if self.is_best(node, improving[node]):
                        self.chosen[node] = improving[node]
                endless = self.endless(component)
            if not endless:
                return
            # These positions support each other's values in a cycle, without a real end: start again from 0.
            for node in endless:
                self.values[node] = 0.0
        raise BadSearch("iteration: the values of this game do not converge")

    def sweep(self, component: list[int], *, estimating: bool) -> None:
        """Sweep over the component until every value is within the tolerance of its limit."""
        values = self.values
        before, factor = inf, inf
        for sweep in range(1, _SWEEPS + 1):
            if self.effort.limited:
                self.effort.check()
            start = [values[node] for node in component]
            change = max(map(self.visit, component))
            # Changes shrink by about the same factor in each sweep; the sum of the geometric series is the error that
            # is left. Small changes that do not shrink are rounding errors.
            small = change <= self.tolerance and before < inf
            if change == 0 or (small and (change >= before or change**2 / (before - change) <= self.tolerance)):
                self.sweeps = max(self.sweeps, sweep)
                return
            last, factor = factor, change / before
            if estimating and factor < _FAST and abs(factor - last) < _SAME_FACTOR:
                # Aitken's estimate of the limit, exact if no choice changes any more: 3.4 times fewer sweeps in Pig.
                for node, value in zip(component, start, strict=True):
                    values[node] += (values[node] - value) * factor / (1 - factor)
                change, factor = inf, inf
            before = change
        raise BadSearch(f"iteration: the values of this game do not converge in {_SWEEPS} sweeps")

    def visit(self, node: int) -> float:
        """Compute the value from the children's values; return how much it changed."""
        before = self.values[node]
        values = map(self.values.__getitem__, self.children[node])
        turn = self.turns[node]
        if turn == CHANCE:
            value: float = sum(map(mul, self.chances[node], values))
        else:
            value = max(values) if turn == 0 else min(values)
            if value != before:
                self.chosen[node] = [self.values[child] for child in self.children[node]].index(value)
        self.values[node] = value
        return abs(value - before)

    def is_left(self, component: list[int]) -> bool:
        """Whether play leaves the component from each of its positions, by the best moves or by chance."""
        value_of = self.values.__getitem__
        staying = set(component)
        before = -1
        while len(staying) != before:
            before = len(staying)
            for node in component:
                if node in staying:
                    after, turn = self.children[node], self.turns[node]
                    if turn != CHANCE:
                        after = (max(after, key=value_of) if turn == 0 else min(after, key=value_of),)
                    if not staying.issuperset(after):
                        staying.remove(node)
        return not staying

    def choose_first(self, component: list[int]) -> None:
        """Choose the first best move of each position."""
        for node in component:
            if self.turns[node] != CHANCE:
                self.chosen[node] = next(at for at in range(len(self.children[node])) if self.is_best(node, at))

    def is_best(self, node: int, at: int) -> bool:
        """Whether move number `at` is a best move at `node`."""
        return abs(self.values[self.children[node][at]] - self.values[node]) <= self.same

    def endless(self, component: list[int]) -> set[int]:
        """The positions with a value better than 0 for one side although the other side can repeat for ever, which has
        the value 0: their values are wrong."""
        return self.endless_against(0, component) | self.endless_against(1, component)

    def endless_against(self, seat: int, component: list[int]) -> set[int]:
        """The positions with a value better than 0 for `seat` that the other side can stay in for ever."""
        values = self.values
        sign = -1.0 if seat else 1.0
        staying = {node for node in component if sign * values[node] > self.same}
        before = -1
        while len(staying) != before:
            before = len(staying)
            for node in component:
                if node in staying:
                    children = self.children[node]
                    turn = self.turns[node]
                    if turn == CHANCE:
                        stays = all(child in staying for child in children)
                    elif turn == seat:
                        stays = children[self.chosen[node]] in staying
                    else:
                        stays = any(child in staying for child in children)
                    if not stays:
                        staying.remove(node)
        return staying

    def solution(self) -> Solution[Move]:
        """The values and the policy, by key."""
        return Solution(
            values=dict(zip(self.index, self.values, strict=True)),
            policy={
                key: self.moves[node][self.chosen[node]]
                for key, node in self.index.items()
                if self.turns[node] is not None and self.turns[node] != CHANCE
            },
            sweeps=self.sweeps,
        )
