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

    KILLERS = 1
    """So many are remembered at a ply; on Connect-4 a second one costs a tenth more nodes than it saves."""

    def __init__(self) -> None:
        self._killers: defaultdict[int, list[Move]] = defaultdict(list)
        self._history: defaultdict[int | None, defaultdict[Move, int]] = defaultdict(lambda: defaultdict(int))

    def arrange(self, state: State[Move], depth: int, remembered: Move | None = None) -> Sequence[Move]:
        """The moves of `state` in the order to try; `depth` is what is left to look ahead."""
        moves = state.moves()
        if len(moves) < 2:
            return moves
        history = self._history[state.turn]
        ordered = sorted(moves, key=history.__getitem__, reverse=True)
        for killer in reversed(self._killers[depth]):
            if killer in moves:
                ordered.remove(killer)
                ordered.insert(0, killer)
        for noisy in reversed(state.noisy_moves()):
            ordered.remove(noisy)
            ordered.insert(0, noisy)
        if remembered in moves:
            ordered.remove(remembered)
            ordered.insert(0, remembered)
        return ordered

    def cut_off(self, state: State[Move], move: Move, depth: int) -> None:
        """`move` cut off the search at `state`."""
        self._history[state.turn][move] += depth * depth
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
