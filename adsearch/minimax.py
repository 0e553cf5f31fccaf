"""Minimax: the value of a game between MAX, who wants it high, and MIN, who wants it low.

The definition itself, written out as two cases; everything faster must agree with it. MAX is seat 0.
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
        """The value of `state` for MAX, a line that leads to it, and how many plies away the end is."""
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
                # The winner hurries, the loser holds out.
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
