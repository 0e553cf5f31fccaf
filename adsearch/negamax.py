"""Negamax: minimax in one case instead of two, because in a zero-sum game max(a, b) = -min(-a, -b).

Every value is for the player to move at its node (at the end of the game: who would move). If the same player moves
again, the value is not negated.
"""

from __future__ import annotations

from math import inf

from adsearch import terms
from adsearch.result import Line
from adsearch.searcher import Found, PlainSearch
from adsearch.state import Move, State
from adsearch.trace import Backup


class Negamax(PlainSearch[Move]):
    """One search."""

    name = "negamax"
    prunes = False
    backup = Backup.NEGAMAX

    def view(self, state: State[Move]) -> int:
        return terms.root_seat(state)

    def root(self, state: State[Move], depth: int, alpha: float, beta: float) -> Found[Move]:
        return Found(*self.value(state, depth, self.view(state)))

    def value(self, state: State[Move], depth: int, seat: int) -> tuple[float, Line[Move], int]:
        """The value of `state` for `seat`, which is to move (in a finished game: would be)."""
        effort = self.effort
        effort.nodes += 1
        if effort.limited:
            effort.check()
        if state.turn is None:
            return state.utilities()[seat], (), 0
        if depth == 0:
            effort.estimates += 1
            return self.evaluate(state, seat), (), 0
        line: Line[Move] = ()
        best = -inf
        distance = 0
        trace = self.trace
        for move in state.moves():
            if trace:
                trace.descend(state.to_text(move))
            child = state.play(move)
            same = child.turn == seat or state.players == 1
            value, rest, plies = self.value(child, depth - 1, seat if same else 1 - seat)
            if trace:
                trace.back(value)
            if not same:
                value = -value
            if value > best:
                best, line, distance = value, (move, rest), plies + 1
                if depth == self.root_depth:
                    self.finished = Found(best, line, distance)
            elif value == best != 0 and (plies < distance) == (best > 0):
                distance = plies + 1
        return best, line, distance


search = Negamax.search
