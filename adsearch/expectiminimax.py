"""Expectiminimax: minimax for games of chance. MAX takes the best child, MIN the worst, chance averages.

With `pruning="star1"` a chance node is left as soon as its average, whatever its other outcomes are worth, falls
outside the window: the bounds of the game's utilities say how much they can be worth. `"star2"` first looks at one
move after each outcome, which often is enough. Both give the value of the plain search. Where the utilities are
bounded on one side only, that side prunes."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isinf, nextafter
from typing import Literal

from adsearch import terms
from adsearch.alphabeta import AlphaBeta
from adsearch.budget import Budget
from adsearch.deepening import deepened
from adsearch.errors import BadSearch
from adsearch.result import Line, Result
from adsearch.searcher import Evaluate, Found, Searcher
from adsearch.state import CHANCE, Move, State
from adsearch.trace import Trace

Pruning = Literal["none", "star1", "star2"]


def search(
    state: State[Move],
    *,
    depth: int | None = None,
    budget: Budget | None = None,
    trace: Trace | None = None,
    evaluate: Evaluate[Move] | None = None,
    pruning: Pruning = "none",
    alpha: float = -inf,
    beta: float = inf,
) -> Result[Move]:
    """The expected value v of `state` when both sides play their best, looking `depth` plies ahead.

    Every ply counts, a throw as much as a move. With a budget and no depth it looks one ply further each time. With
    pruning and a window [alpha, beta] for the seat to move, the result's value r is v if alpha < r < beta; if r <=
    alpha then v <= r, if r >= beta then v >= r."""
    terms.zero_sum(state, "expectiminimax", chance=True)
    terms.window(alpha, beta)
    if pruning not in ("none", "star1", "star2"):
        raise BadSearch(f"expectiminimax: expected pruning none, star1 or star2, got {pruning!r}")
    if pruning == "none" and not (isinf(alpha) and isinf(beta)):
        raise BadSearch("expectiminimax: a window needs pruning='star1' or 'star2'")
    limit = terms.plies(state, "expectiminimax", depth, budget)
    kind = Expectiminimax if pruning == "none" else Star1 if pruning == "star1" else Star2
    searcher = kind(budget=budget, trace=trace, evaluate=evaluate)

    return deepened(searcher, state, depth, limit, budget, alpha=alpha, beta=beta)


class Expectiminimax(Searcher[Move]):
    """One search without pruning: the definition."""

    prunes = False

    def root(self, state: State[Move], depth: int, alpha: float, beta: float) -> Found[Move]:
        return Found(*self.value(state, depth))

    def value(self, state: State[Move], depth: int) -> tuple[float, Line[Move]]:
        """The expected value of `state` for MAX, and the line up to the next chance node."""
        effort = self.effort
        effort.nodes += 1
        if effort.limited:
            effort.check()
        if state.turn is None:
            return state.utilities()[0], ()
        if depth == 0:
            effort.estimates += 1
            return self.evaluate(state, 0), ()
        if state.turn == CHANCE:
            average = 0.0
            for outcome, chance in state.chances():
                average += chance * self.child(state, outcome, depth)[0]
            return average, ()
        line: Line[Move] = ()
        best = -inf if state.turn == 0 else inf
        for move in state.moves():
            value, rest = self.child(state, move, depth)
            if value > best if state.turn == 0 else value < best:
                best, line = value, (move, rest)
                if depth == self.root_depth:
                    self.finished = Found(best, line)
        return best, line

    def child(self, state: State[Move], move: Move, depth: int) -> tuple[float, Line[Move]]:
        """The same for the child that a move, or an outcome, leads to."""
        if self.trace:
            self.trace.descend(state.to_text(move))
        found = self.value(state.play(move), depth - 1)
        if self.trace:
            self.trace.back(found[0])
        return found


class Star1(AlphaBeta[Move]):
    """Alpha-beta through chance nodes: the bounds of the game say what the outcomes not yet seen can add."""

    def chance_value(self, state: State[Move], depth: int, alpha: float, beta: float) -> float:
        """The average of the outcomes, or a bound of it as soon as that is outside the window."""
        lows, highs = ([bound] * len(state.chances()) for bound in self.bounds)
        return self.average(state, depth, alpha, beta, lows, highs)

    def average(
        self, state: State[Move], depth: int, alpha: float, beta: float, lows: list[float], highs: list[float]
    ) -> float:
        """The same, when each outcome is known to be worth lows[i] to highs[i]."""
        chances = state.chances()
        trace = self.trace
        least, most = _sums_after(chances, lows), _sums_after(chances, highs)
        known = 0.0
        for (outcome, chance), low, high in zip(chances, least, most, strict=True):
            # Outside this window of its own, the outcome decides that the average is outside the node's.
            child_alpha, child_beta = (alpha - known - high) / chance, (beta - known - low) / chance
            if child_alpha >= child_beta:
                # Rounding has closed it; searched with an empty window, the first move would pass for the best.
                child_alpha = nextafter(child_beta, -inf)
            if trace:
                trace.descend(state.to_text(outcome), child_alpha, child_beta)
            value, _ = self.value(state.play(outcome), depth - 1, child_alpha, child_beta)
            known += chance * value
            if trace:
                trace.back(value, alpha, beta, cutoff=not child_alpha < value < child_beta)
            # Rounding must not bring a bound back into the window.
            if value >= child_beta:
                return max(known + low, beta)
            if value <= child_alpha:
                return min(known + high, alpha)
        return known


class Star2(Star1[Move]):
    """Star1 that first probes one move after each outcome: MAX will get at least that much, or MIN give no more."""

    def chance_value(self, state: State[Move], depth: int, alpha: float, beta: float) -> float:
        chances = state.chances()
        lows, highs = ([bound] * len(chances) for bound in self.bounds)
        if depth > 1:
            for at, (outcome, chance) in enumerate(chances):
                child = state.play(outcome)
                # With a single move a probe would be the search itself.
                if child.turn in (0, 1) and len(child.moves()) > 1:
                    # What the others are known to be worth leaves this much for the average to reach the window's end.
                    low, high = _sum_without(chances, lows, at), _sum_without(chances, highs, at)
                    if self.trace:
                        self.trace.descend(state.to_text(outcome))
                    if child.turn == 0:
                        lows[at] = max(lows[at], self.probe(child, depth - 1, lows[at], (beta - low) / chance))
                    else:
                        highs[at] = min(highs[at], self.probe(child, depth - 1, (alpha - high) / chance, highs[at]))
                    if self.trace:
                        self.trace.back(lows[at] if child.turn == 0 else highs[at])
                    if chance * lows[at] + low >= beta:
                        return max(chance * lows[at] + low, beta)
                    if chance * highs[at] + high <= alpha:
                        return min(chance * highs[at] + high, alpha)
        return self.average(state, depth, alpha, beta, lows, highs)

    def probe(self, state: State[Move], depth: int, alpha: float, beta: float) -> float:
        """A bound of the value of `state` from its first move alone."""
        self.effort.nodes += 1
        if self.effort.limited:
            self.effort.check()
        if not alpha < beta:
            return alpha if state.turn == 0 else beta
        move = self.moves(state, depth, None)[0]
        if self.trace:
            self.trace.descend(state.to_text(move), alpha, beta)
        value, _ = self.value(state.play(move), depth - 1, alpha, beta)
        if self.trace:
            self.trace.back(value)
        return value


def _sums_after(chances: Sequence[tuple[Move, float]], values: list[float]) -> list[float]:
    """For each outcome what those after it add to the average, when they have these values."""
    sums = [0.0]
    for (_, chance), value in zip(reversed(chances[1:]), reversed(values[1:]), strict=True):
        sums.append(sums[-1] + chance * value)
    return sums[::-1]


def _sum_without(chances: Sequence[tuple[Move, float]], values: list[float], without: int) -> float:
    """What all outcomes but one add to the average, when they have these values."""
    return sum(
        chance * value for at, ((_, chance), value) in enumerate(zip(chances, values, strict=True)) if at != without
    )
