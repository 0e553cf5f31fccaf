"""Paranoid search: a game of several players as a two-player game, one player against a coalition of all others.

As in a two-player game, alpha-beta can prune, so that it searches deeper than max^n; but it plays too carefully. MAX is
the seat to move at the root; all values are for MAX. In a two-player zero-sum game it is minimax.
"""

from __future__ import annotations

from math import inf

from adsearch import terms
from adsearch.deepening import SearchForSeveral
from adsearch.result import Line
from adsearch.searcher import Found
from adsearch.state import CHANCE, Move, State


class Paranoid(SearchForSeveral[Move]):
    """The value for the seat to move if all other players minimize it. The line ends at a chance node."""

    name = "paranoid"
    seat = 0
    """The seat of MAX."""

    def view(self, state: State[Move]) -> int:
        return terms.root_seat(state)

    def root(self, state: State[Move], depth: int, alpha: float, beta: float) -> Found[Move]:
        self.seat = self.view(state)
        return Found(*self.value(state, depth, alpha, beta))

    def value(self, state: State[Move], depth: int, alpha: float, beta: float) -> tuple[float, Line[Move]]:
        """r and its principal variation: r = v (the true value) if alpha < r < beta; v <= r if r <= alpha; v >= r if
        r >= beta."""
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
        """MAX raises alpha; beta cutoff when alpha >= beta."""
        line: Line[Move] = ()
        best = -inf
        trace = self.trace
        moves = state.moves()
        for move in moves:
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
                trace.back(value, alpha, beta, cutoff=alpha >= beta and move != moves[-1])
            if alpha >= beta:
                break
        return best, line

    def min_value(self, state: State[Move], depth: int, alpha: float, beta: float) -> tuple[float, Line[Move]]:
        """Each other player lowers beta; alpha cutoff when beta <= alpha."""
        line: Line[Move] = ()
        best = inf
        trace = self.trace
        moves = state.moves()
        for move in moves:
            if trace:
                trace.descend(state.to_text(move), alpha, beta)
            value, rest = self.value(state.play(move), depth - 1, alpha, beta)
            if value < best:
                best, line = value, (move, rest)
            if best < beta:
                beta = best
            if trace:
                trace.back(value, alpha, beta, cutoff=alpha >= beta and move != moves[-1])
            if alpha >= beta:
                break
        return best, line

    def average(self, state: State[Move], depth: int) -> float:
        """Chance: the expected value of the children, each searched with the full window."""
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
