"""Expectimax: the best play against opponents whose move probabilities are known or assumed.

The seat to move at the root is MAX. A position in which another seat moves is a chance node: a model gives the
probabilities of that player's moves. Minimax assumes a perfect opponent; expectimax exploits an imperfect one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

from adsearch import terms
from adsearch.budget import Budget
from adsearch.deepening import deepened
from adsearch.errors import BadSearch, quote
from adsearch.form import in_either_form
from adsearch.result import Line, Result
from adsearch.searcher import Evaluate, Found, Searcher
from adsearch.state import CHANCE, Move, State
from adsearch.trace import Backup, Trace

Model = Callable[[State[Move]], Sequence[tuple[Move, float]]]
"""A model of a player: a position -> its moves with probabilities, which sum to 1. A missing move has probability 0."""


def uniform(state: State[Move]) -> list[tuple[Move, float]]:
    """The model of a player that plays each legal move with the same probability."""
    moves = state.moves()
    return [(move, 1.0 / len(moves)) for move in moves]


@in_either_form
def search(
    state: State[Move],
    *,
    depth: int | None = None,
    budget: Budget | None = None,
    trace: Trace | None = None,
    evaluate: Evaluate[Move] | None = None,
    model: Model[Move] = uniform,
) -> Result[Move]:
    """The expected value for the seat to move if all other players play by `model`, and the first best move.

    Searches `depth` plies deep (chance events are plies) or to the end; with a budget and no depth, by iterative
    deepening. The line ends where another seat or chance moves. "Exact" assumes that the model is correct."""
    limit = terms.plies(state, "expectimax", depth, budget)
    searcher = Expectimax(budget=budget, trace=trace, evaluate=evaluate, model=model)
    return deepened(searcher, state, depth, limit, budget)


class Expectimax(Searcher[Move]):
    """One search."""

    prunes = False
    backup = Backup.MODEL

    def __init__(
        self,
        *,
        budget: Budget | None = None,
        trace: Trace | None = None,
        evaluate: Evaluate[Move] | None = None,
        model: Model[Move] = uniform,
    ) -> None:
        super().__init__(budget=budget, trace=trace, evaluate=evaluate)
        self.model = model
        # The seat of MAX.
        self.seat = 0

    def view(self, state: State[Move]) -> int:
        return terms.root_seat(state)

    def root(self, state: State[Move], depth: int, alpha: float, beta: float) -> Found[Move]:
        self.seat = self.view(state)
        return Found(*self.value(state, depth))

    def value(self, state: State[Move], depth: int) -> tuple[float, Line[Move]]:
        """The expected value of `state` for MAX, and the line up to the first position where MAX does not move."""
        effort = self.effort
        effort.nodes += 1
        if effort.limited:
            effort.check()
        if state.turn is None:
            return state.utilities()[self.seat], ()
        if depth == 0:
            effort.estimates += 1
            return self.evaluate(state, self.seat), ()
        if state.turn == self.seat:
            return self.max_value(state, depth)
        return self.average(state, depth), ()

    def max_value(self, state: State[Move], depth: int) -> tuple[float, Line[Move]]:
        """MAX takes the child with the highest value."""
        line: Line[Move] = ()
        best = -inf
        trace = self.trace
        for move in state.moves():
            if trace:
                trace.descend(state.to_text(move))
            value, rest = self.value(state.play(move), depth - 1)
            if trace:
                trace.back(value)
            if value > best:
                best, line = value, (move, rest)
                if depth == self.root_depth:
                    self.finished = Found(best, line)
        return best, line

    def average(self, state: State[Move], depth: int) -> float:
        """The expected value of the children, with the probabilities of chance or of the model."""
        mean = 0.0
        trace = self.trace
        for move, probability in state.chances() if state.turn == CHANCE else self.modelled(state):
            if trace:
                trace.descend(state.to_text(move))
            value, _ = self.value(state.play(move), depth - 1)
            mean += probability * value
            if trace:
                trace.back(value)
        return mean

    def modelled(self, state: State[Move]) -> list[tuple[Move, float]]:
        """The moves of the model here, with positive probabilities; BadSearch if they are not valid."""
        policy = self.model(state)
        moves = state.moves()
        for move, probability in policy:
            if move not in moves:
                raise BadSearch(f"expectimax: expected legal moves from the model, got {quote(move)}")
            if not probability >= 0:
                raise BadSearch(f"expectimax: expected a probability of {state.to_text(move)}, got {probability!r}")
        total = sum(probability for _, probability in policy)
        if not abs(total - 1) <= 1e-9:
            raise BadSearch(f"expectimax: expected probabilities of the model that sum to 1, got {total:g}")
        return [(move, probability) for move, probability in policy if probability]
