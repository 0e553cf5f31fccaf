"""Greedy: looks one ply ahead and plays the move after which its evaluation is best.

It is the next agent after the random one that others should beat. In a maze, a greedy ghost runs at the runner. With
hidden information it evaluates the position as its seat sees it.
"""

from __future__ import annotations

from typing import Any

from adsearch import State
from adsearch.searcher import Evaluate
from agents.agent import Agent, Clock
from agents.builtin.thinker import Weighted, shuffled


class Greedy(Agent):
    """Looks one ply ahead: plays the move after which its evaluation is best."""

    kinds = ("chance", "several", "hidden")

    def __init__(
        self,
        *,
        evaluate: str | None = None,
        weights: str | None = None,
        shuffle: bool = False,
        seed: int | None = None,
    ) -> None:
        self.given = Weighted(evaluate, weights)
        self.shuffle = shuffle
        self.seed = seed

    def begin(self, state: State[Any], seat: int) -> None:
        self.evaluate: Evaluate[Any] = self.given.function(state) or (lambda state, seat: state.evaluate(seat))
        if self.seed is not None:
            self.random.seed(self.seed)

    def choose(self, state: State[Any], clock: Clock) -> Any:
        seat = self.seat
        moves = shuffled(state, self.random).moves() if self.shuffle else state.moves()
        worth = {move: self.evaluate(state.play(move), seat) for move in moves}
        best = max(worth, key=worth.__getitem__)
        self.tell(depth=1, score=worth[best], nodes=1 + len(worth), line=[best])
        return best
