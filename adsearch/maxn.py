"""Max^n: minimax for any number of players, and for games that one may win without another losing as much.

Every position is worth a number to each seat; whoever moves takes the child that is worth most to itself, and chance
averages. With two players whose utilities sum to 0 it is minimax.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf

from adsearch import terms
from adsearch.deepening import SearchForSeveral
from adsearch.result import Line, Result
from adsearch.searcher import Found
from adsearch.state import CHANCE, Move, State


class Maxn(SearchForSeveral[Move]):
    """What a position is worth to every seat (`Result.values`), and so to the mover, when each plays for itself.

    A mover with several best moves plays the first of them. The line ends where chance decides."""

    name = "maxn"
    prunes = False

    values: tuple[float, ...] | None = None
    """At the root, what is known so far."""

    def view(self, state: State[Move]) -> int:
        return terms.root_seat(state)

    def run(
        self, state: State[Move], *, depth: int | None, limit: int, alpha: float = -inf, beta: float = inf
    ) -> Result[Move]:
        self.values = None
        result = super().run(state, depth=depth, limit=limit, alpha=alpha, beta=beta)
        return replace(result, values=self.values or self.estimates(state))

    def root(self, state: State[Move], depth: int, alpha: float, beta: float) -> Found[Move]:
        self.values, line = self.value(state, depth)
        return Found(self.values[self.view(state)], line)

    def is_final(self, state: State[Move], value: float) -> bool:
        # Where the others do not mind what the mover gets, another estimate may turn them away from it.
        return (state.zero_sum or state.players == 1) and super().is_final(state, value)

    def value(self, state: State[Move], depth: int) -> tuple[tuple[float, ...], Line[Move]]:
        """What `state` is worth to every seat, and a line that leads to it."""
        effort = self.effort
        effort.nodes += 1
        if effort.limited:
            effort.check()
        if state.turn is None:
            return state.utilities(), ()
        if depth == 0:
            effort.estimates += 1
            return self.estimates(state), ()
        if state.turn == CHANCE:
            return self.average(state, depth), ()
        return self.max_value(state, depth, state.turn)

    def max_value(self, state: State[Move], depth: int, seat: int) -> tuple[tuple[float, ...], Line[Move]]:
        """`seat` takes the child that is worth most to it."""
        line: Line[Move] = ()
        best: tuple[float, ...] = ()
        trace = self.trace
        for move in state.moves():
            if trace:
                trace.descend(state.to_text(move))
            values, rest = self.value(state.play(move), depth - 1)
            if trace:
                trace.back(values)
            if not best or values[seat] > best[seat]:
                best, line = values, (move, rest)
                if depth == self.root_depth:
                    self.values, self.finished = best, Found(best[seat], line)
        return best, line

    def average(self, state: State[Move], depth: int) -> tuple[float, ...]:
        """Chance: the mean of the children, seat by seat."""
        means = [0.0] * state.players
        trace = self.trace
        for outcome, probability in state.chances():
            if trace:
                trace.descend(state.to_text(outcome))
            values, _ = self.value(state.play(outcome), depth - 1)
            if trace:
                trace.back(values)
            for seat, value in enumerate(values):
                means[seat] += probability * value
        return tuple(means)

    def estimates(self, state: State[Move]) -> tuple[float, ...]:
        """What `state`, which is not looked into, seems to be worth to every seat."""
        return tuple([self.evaluate(state, seat) for seat in range(state.players)])


search = Maxn.search
