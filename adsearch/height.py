"""Height: the length of the longest game. For NAP(n) it is a Salem-Spencer number: the size of the largest set of
numbers up to n without three in arithmetic progression.

It does not use utilities, so that it works for any game. A position that several move orders reach is searched once.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from adsearch import terms
from adsearch.budget import Budget
from adsearch.result import Bound, Result
from adsearch.searcher import Found, Searcher
from adsearch.state import CHANCE, Move, State
from adsearch.trace import Trace


def search(
    state: State[Move], *, depth: int | None = None, budget: Budget | None = None, trace: Trace | None = None
) -> Result[Move]:
    """The length of the longest game from `state` in plies, as `value`; such a game as `line`.

    With a depth, longer games count as `depth` plies; `exact` says whether there were none. If the budget ends, the
    value is a LOWER bound. Chance events are plies."""
    limit = terms.plies(state, "height", depth, budget)
    searcher = Height[Move](budget=budget, trace=trace)
    result = searcher.run(state, depth=depth, limit=limit)
    if state.turn == CHANCE:
        result = replace(result, move=None)
    if searcher.was_cut():
        # The line is a game of that length.
        return replace(result, value=float(len(result.line)), bound=Bound.LOWER)
    return result


def height(state: State[Any]) -> int:
    """The length of the longest game from `state`, in plies."""
    return int(search(state).value)


class Height(Searcher[Move]):
    """One search."""

    def __init__(self, *, budget: Budget | None = None, trace: Trace | None = None) -> None:
        super().__init__(budget=budget, trace=trace)
        self._known: dict[tuple[Hashable, int], Found[Move]] = {}

    def view(self, state: State[Move]) -> int:
        return terms.root_seat(state)

    def is_final(self, state: State[Move], value: float) -> bool:
        # Heights are not utilities.
        return False

    def root(self, state: State[Move], depth: int, alpha: float, beta: float) -> Found[Move]:
        return self.height(state, depth)

    def height(self, state: State[Move], depth: int) -> Found[Move]:
        """The length of the longest game from `state`, at most `depth` plies, and such a game."""
        self.effort.nodes += 1
        if self.effort.limited:
            self.effort.check()
        if state.turn is None:
            return Found(0.0, ())
        if depth == 0:
            self.effort.estimates += 1
            return Found(0.0, ())
        key = (state.key, depth)
        if key not in self._known:
            self._known[key] = self.longest(state, depth)
        return self._known[key]

    def longest(self, state: State[Move], depth: int) -> Found[Move]:
        """The same, from the children: 1 + the largest height of a child."""
        highest = Found[Move](0.0, ())
        for move in state.moves():
            if self.trace:
                self.trace.descend(state.to_text(move))
            below = self.height(state.play(move), depth - 1)
            if self.trace:
                self.trace.back(below.value)
            if below.value + 1 > highest.value:
                highest = Found(below.value + 1, (move, below.line))
                if depth == self.root_depth:
                    self.finished = highest
        return highest
