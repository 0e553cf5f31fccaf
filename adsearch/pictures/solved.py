"""Solved: the values of positions by minimax, for the nodes of a drawn game tree whose subtree is not drawn.

It looks at a limited number of positions, not at a clock, so that a picture is the same on every machine. Each position
is solved once and remembered by its key.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Final

from adsearch.state import CHANCE, State

MOST: Final = 50_000
"""Largest number of positions that are looked at for one picture: at most a second or two."""

Utilities = tuple[float, ...]
"""A value for each seat."""


class Solver:
    """Solves positions of one game until it has looked at `most` of them; then it gives up for good."""

    def __init__(self, *, most: int = MOST) -> None:
        self.known: dict[Hashable, Utilities] = {}
        self.left = most

    def solve(self, state: State[Any], plies: int) -> Utilities | None:
        """The utilities of `state` with best play (for several players: max^n); None if a game can last longer than
        `plies`, if the limit is reached, or if information is hidden, where minimax is not optimal."""
        if state.turn is None:
            return state.utilities()
        if state.hidden or plies <= 0:
            return None
        key = state.key
        if key not in self.known:
            if not self.left:
                return None
            self.left -= 1
            below = []
            for move in state.moves():
                utilities = self.solve(state.play(move), plies - 1)
                if utilities is None:
                    return None
                below.append(utilities)
            self.known[key] = backed_up(state, below)
        return self.known[key]


def backed_up(state: State[Any], below: Sequence[Utilities]) -> Utilities:
    """The utilities of `state` for every seat, from those of its children, `below`."""
    if state.turn == CHANCE:
        chances = [chance for _, chance in state.chances()]
        return tuple(
            sum(chance * worth for chance, worth in zip(chances, worths, strict=True))
            for worths in zip(*below, strict=True)
        )
    return max(below, key=lambda utilities: utilities[state.turn or 0])
