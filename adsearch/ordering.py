"""Ordering: which move to try first, so that alpha-beta cuts off early.

First the move that the table remembers, then those that quiescence would follow (captures, threats), then the killers
(moves that cut off at the same ply elsewhere), then the others by how often they have cut off before. Ties keep the
game's order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Generic

from adsearch.state import Move, State

Arrange = Callable[[State[Move]], Sequence[Move]]
"""A fixed order: the moves of a position, in the order to try."""


class Ordering(Generic[Move]):
    """What has cut off so far. It may serve many searches of one game, one after the other."""

    KILLERS = 2
    """So many are remembered at a ply."""

    def __init__(self) -> None:
        self._killers: defaultdict[int, list[Move]] = defaultdict(list)
        self._history: defaultdict[tuple[int | None, Move], int] = defaultdict(int)

    def arrange(self, state: State[Move], depth: int, remembered: Move | None = None) -> Sequence[Move]:
        """The moves of `state` in the order to try; `depth` is what is left to look ahead."""
        moves = state.moves()
        if len(moves) < 2:
            return moves
        history, turn = self._history, state.turn
        rank = {move: history[turn, move] for move in moves}
        for move in self._killers[depth]:
            if move in rank:
                rank[move] += 1 << 60
        for move in state.noisy_moves():
            rank[move] += 1 << 61
        if remembered in rank:
            rank[remembered] = 1 << 62
        return sorted(moves, key=rank.__getitem__, reverse=True)

    def cut_off(self, state: State[Move], move: Move, depth: int) -> None:
        """`move` cut off the search at `state`."""
        self._history[state.turn, move] += depth * depth
        killers = self._killers[depth]
        if move not in killers:
            killers.insert(0, move)
            del killers[self.KILLERS :]


class Fixed(Ordering[Move]):
    """An order that somebody else decides."""

    def __init__(self, arrange: Arrange[Move]) -> None:
        super().__init__()
        self._arrange = arrange

    def arrange(self, state: State[Move], depth: int, remembered: Move | None = None) -> Sequence[Move]:
        return self._arrange(state)

    def cut_off(self, state: State[Move], move: Move, depth: int) -> None:
        pass


def ordering_for(option: bool | Ordering[Any] | Arrange[Any]) -> Ordering[Any] | None:
    """The ordering that the option of a search stands for: a given one, one of its own (True), a fixed one, or none."""
    if isinstance(option, Ordering):
        return option
    if callable(option):
        return Fixed(option)
    return Ordering() if option else None
