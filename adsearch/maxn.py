"""Max^n: minimax for any number of players, and for games that are not zero-sum.

The value of a position is a vector with one number for each seat. The player to move chooses the child with the largest
value for itself; a chance node has the expected values. In a two-player zero-sum game it is minimax.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf

from adsearch import terms
from adsearch.deepening import SearchForSeveral
from adsearch.result import Line, Result
from adsearch.searcher import Found
from adsearch.state import CHANCE, Move, State
from adsearch.trace import Backup


class Maxn(SearchForSeveral[Move]):
    """The values of a position for every seat (`Result.values`) if each player maximizes its own utility.

    Of several best moves the player plays the first. The line ends at a chance node."""

    name = "maxn"
    prunes = False
    backup = Backup.MAXN

    values: tuple[float, ...] | None = None
    """The values of the root so far."""

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
        # If the game is not zero-sum, another estimate could let the other players choose other moves.
        return (state.zero_sum or state.players == 1) and super().is_final(state, value)

    def value(self, state: State[Move], depth: int) -> tuple[tuple[float, ...], Line[Move]]:
        """The values of `state` for every seat, and the principal variation."""
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
        """`seat` takes the child with the highest value for itself."""
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
        """Chance: the expected value of the children, for each seat."""
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
        """The evaluation of `state` for every seat."""
        return tuple([self.evaluate(state, seat) for seat in range(state.players)])


search = Maxn.search
