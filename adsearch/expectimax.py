"""Expectimax: the best play against opponents of whom it is known, or guessed, how they play.

The seat to move at the root is MAX and takes its best child; every other seat is a chance node, whose probabilities
are a model of that player. Minimax fears the perfect opponent; this makes the most of one who is not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

from adsearch import terms
from adsearch.budget import Budget
from adsearch.deepening import deepened
from adsearch.errors import BadSearch, quote
from adsearch.result import Line, Result
from adsearch.searcher import Evaluate, Found, Searcher
from adsearch.state import CHANCE, Move, State
from adsearch.trace import Trace

Model = Callable[[State[Move]], Sequence[tuple[Move, float]]]
"""How the seat to move plays: moves with their probabilities, which sum to 1; a move that is left out has none."""


def uniform(state: State[Move]) -> list[tuple[Move, float]]:
    """The model of a player who takes any legal move as often as another."""
    moves = state.moves()
    return [(move, 1.0 / len(moves)) for move in moves]


def search(
    state: State[Move],
    *,
    depth: int | None = None,
    budget: Budget | None = None,
    trace: Trace | None = None,
    evaluate: Evaluate[Move] | None = None,
    model: Model[Move] = uniform,
) -> Result[Move]:
    """What the seat to move gets on average if all others play by `model`, and the first move that gets that much.

    Looks `depth` plies ahead, throws counted, or to the end; with a budget and no depth, one ply further each time.
    The line ends where another seat, or chance, decides. Exact means: exact if the model is."""
    limit = terms.plies(state, "expectimax", depth, budget)
    searcher = Expectimax(budget=budget, trace=trace, evaluate=evaluate, model=model)
    return deepened(searcher, state, depth, limit, budget)


class Expectimax(Searcher[Move]):
    """One search."""

    prunes = False

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
        # Who is MAX.
        self.seat = 0

    def view(self, state: State[Move]) -> int:
        return terms.root_seat(state)

    def root(self, state: State[Move], depth: int, alpha: float, beta: float) -> Found[Move]:
        self.seat = self.view(state)
        return Found(*self.value(state, depth))

    def value(self, state: State[Move], depth: int) -> tuple[float, Line[Move]]:
        """What `state` is worth to MAX, and the line up to where it is no longer MAX who decides."""
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
        """The mean of the children, by the probabilities of chance or of the model."""
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
        """The moves that the model may play here; BadSearch if it is no model of legal play."""
        policy = self.model(state)
        moves = state.moves()
        for move, probability in policy:
            if move not in moves:
                raise BadSearch(f"expectimax: expected legal moves of the model, got {quote(move)}")
            if not probability >= 0:
                raise BadSearch(f"expectimax: expected a probability of {state.to_text(move)}, got {probability!r}")
        total = sum(probability for _, probability in policy)
        if not abs(total - 1) <= 1e-9:
            raise BadSearch(f"expectimax: expected probabilities of the model that sum to 1, got {total:g}")
        return [(move, probability) for move, probability in policy if probability]
