"""Move ordering: which move to search first, so that alpha-beta has its cutoffs early.

First the move of the transposition table, then noisy moves (captures, threats), then killer moves (they caused a cutoff
at the same depth elsewhere), then the other moves by the history heuristic (earlier cutoffs). Ties keep the game's
order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Generic

from adsearch.state import Move, State

Arrange = Callable[[State[Move]], Sequence[Move]]
"""A fixed ordering: a function from a position to its moves in the order to search."""


class Ordering(Generic[Move]):
    """Killer moves and history of the cutoffs so far. It can be used for several searches of the same game."""

    KILLERS = 1
    """Killer moves stored for each depth. A second one needs a tenth more nodes on Connect-4."""

    def __init__(self) -> None:
        self._killers: defaultdict[int, list[Move]] = defaultdict(list)
        self._history: defaultdict[int | None, defaultdict[Move, int]] = defaultdict(lambda: defaultdict(int))

    def arrange(self, state: State[Move], depth: int, remembered: Move | None = None) -> Sequence[Move]:
        """The moves of `state` in the order to search; `depth`: the remaining depth; `remembered`: the table's move."""
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
        """Record that `move` caused a cutoff at `state`."""
        self._history[state.turn][move] += depth * depth
        killers = self._killers[depth]
        if move not in killers:
            killers.insert(0, move)
            del killers[self.KILLERS :]


class Fixed(Ordering[Move]):
    """The fixed ordering of a user-supplied function."""

    def __init__(self, arrange: Arrange[Move]) -> None:
        super().__init__()
        self._arrange = arrange

    def arrange(self, state: State[Move], depth: int, remembered: Move | None = None) -> Sequence[Move]:
        return self._arrange(state)

    def cut_off(self, state: State[Move], move: Move, depth: int) -> None:
        pass


def ordering_for(option: bool | Ordering[Any] | Arrange[Any]) -> Ordering[Any] | None:
    """The ordering for a search's option `ordering`: the given one, a new one (True), a fixed one, or None (False)."""
    if isinstance(option, Ordering):
        return option
    if callable(option):
        return Fixed(option)
    return Ordering() if option else None
