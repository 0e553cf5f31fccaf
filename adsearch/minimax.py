"""Minimax: the value of a game between MAX, who maximizes it, and MIN, who minimizes it.

This is the definition, written as two cases; every faster algorithm must return the same value. MAX is seat 0.
"""

from __future__ import annotations

from math import inf

from adsearch.result import Line
from adsearch.searcher import Found, PlainSearch
from adsearch.state import Move, State


class Minimax(PlainSearch[Move]):
    """One search."""

    name = "minimax"
    prunes = False

    def root(self, state: State[Move], depth: int, alpha: float, beta: float) -> Found[Move]:
        return Found(*self.value(state, depth))

    def value(self, state: State[Move], depth: int) -> tuple[float, Line[Move], int]:
        """The value of `state` for MAX, its principal variation, and the number of plies to the end."""
        effort = self.effort
        effort.nodes += 1
        if effort.limited:
            effort.check()
        if state.turn is None:
            return state.utilities()[0], (), 0
        if depth == 0:
            effort.estimates += 1
            return self.evaluate(state, 0), (), 0
        return self.max_value(state, depth) if state.turn == 0 else self.min_value(state, depth)

    def max_value(self, state: State[Move], depth: int) -> tuple[float, Line[Move], int]:
        """MAX takes the child with the highest value."""
        line: Line[Move] = ()
        best = -inf
        distance = 0
        trace = self.trace
        for move in state.moves():
            if trace:
                trace.descend(state.to_text(move))
            value, rest, plies = self.value(state.play(move), depth - 1)
            if trace:
                trace.back(value)
            if value > best:
                best, line, distance = value, (move, rest), plies + 1
                if depth == self.root_depth:
                    self.finished = Found(best, line, distance)
            elif value == best != 0 and (plies < distance) == (best > 0):
                # Among equal values the winner prefers a shorter game, the loser a longer one.
                distance = plies + 1
        return best, line, distance

    def min_value(self, state: State[Move], depth: int) -> tuple[float, Line[Move], int]:
        """MIN takes the child with the lowest value."""
        line: Line[Move] = ()
        best = inf
        distance = 0
        trace = self.trace
        for move in state.moves():
            if trace:
                trace.descend(state.to_text(move))
            value, rest, plies = self.value(state.play(move), depth - 1)
            if trace:
                trace.back(value)
            if value < best:
                best, line, distance = value, (move, rest), plies + 1
                if depth == self.root_depth:
                    self.finished = Found(best, line, distance)
            elif value == best != 0 and (plies < distance) == (best < 0):
                distance = plies + 1
        return best, line, distance


search = Minimax.search
