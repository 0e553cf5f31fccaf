"""Paranoid: a game of several players as a game of one against all the others, who only want to hurt it.

That makes it a game for two, so alpha-beta prunes it and sees further than max^n, at the price of fear. MAX is the
seat to move at the root; all values are its own. With two players whose utilities sum to 0 it is minimax.
"""

from __future__ import annotations

from math import inf

from adsearch import terms
from adsearch.deepening import SearchForSeveral
from adsearch.result import Line
from adsearch.searcher import Found
from adsearch.state import CHANCE, Move, State


class Paranoid(SearchForSeveral[Move]):
    """What the seat to move gets if all others play to keep it low. The line ends where chance decides."""

    name = "paranoid"
    seat = 0
    """Who is MAX."""

    def view(self, state: State[Move]) -> int:
        return terms.root_seat(state)

    def root(self, state: State[Move], depth: int, alpha: float, beta: float) -> Found[Move]:
        self.seat = self.view(state)
        return Found(*self.value(state, depth, alpha, beta))

    def value(self, state: State[Move], depth: int, alpha: float, beta: float) -> tuple[float, Line[Move]]:
        """r and a line that leads to it, v being the true value: v if alpha < r < beta, else v <= r <= alpha or
        v >= r >= beta."""
        effort = self.effort
        effort.nodes += 1
        if effort.limited:
            effort.check()
        if state.turn is None:
            return state.utilities()[self.seat], ()
        if depth == 0:
            effort.estimates += 1
            return self.evaluate(state, self.seat), ()
        if state.turn == CHANCE:
            return self.average(state, depth), ()
        if state.turn == self.seat:
            return self.max_value(state, depth, alpha, beta)
        return self.min_value(state, depth, alpha, beta)

    def max_value(self, state: State[Move], depth: int, alpha: float, beta: float) -> tuple[float, Line[Move]]:
        """MAX raises alpha, and stops when it reaches beta."""
        line: Line[Move] = ()
        best = -inf
        trace = self.trace
        for move in state.moves():
            if trace:
                trace.descend(state.to_text(move), alpha, beta)
            value, rest = self.value(state.play(move), depth - 1, alpha, beta)
            if value > best:
                best, line = value, (move, rest)
                if depth == self.root_depth:
                    self.finished = Found(best, line)
            if best > alpha:
                alpha = best
            if trace:
                trace.back(value, alpha, beta, cutoff=alpha >= beta)
            if alpha >= beta:
                break
        return best, line

    def min_value(self, state: State[Move], depth: int, alpha: float, beta: float) -> tuple[float, Line[Move]]:
        """Whoever else moves lowers beta, and stops when it reaches alpha."""
        line: Line[Move] = ()
        best = inf
        trace = self.trace
        for move in state.moves():
            if trace:
                trace.descend(state.to_text(move), alpha, beta)
            value, rest = self.value(state.play(move), depth - 1, alpha, beta)
            if value < best:
                best, line = value, (move, rest)
            if best < beta:
                beta = best
            if trace:
                trace.back(value, alpha, beta, cutoff=alpha >= beta)
            if alpha >= beta:
                break
        return best, line

    def average(self, state: State[Move], depth: int) -> float:
        """Chance: the mean of the children, each of which is needed exactly."""
        mean = 0.0
        trace = self.trace
        for outcome, probability in state.chances():
            if trace:
                trace.descend(state.to_text(outcome), -inf, inf)
            value, _ = self.value(state.play(outcome), depth - 1, -inf, inf)
            mean += probability * value
            if trace:
                trace.back(value, -inf, inf)
        return mean


search = Paranoid.search
