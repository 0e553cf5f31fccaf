"""Opponents for a check: they move like the built-in agent `random`, and resign after N moves.

A game then ends early, but the agent cannot know that in advance: clock.budget stays the same as in a whole game. The
opponents are hosted from this file, like built-in agents: "resigning_opponent.py:ResignsAfter4".
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from adsearch import State
from agents import Resign
from agents.agent import Clock
from agents.builtin.random_moves import RandomMoves

AFTER: Final = (0, 1, 2, 4, 8, 16, 32, 64, 128)
"""The numbers of moves after which an opponent resigns; one class for each."""


class _Resigns(RandomMoves):
    moves: ClassVar[int]
    made = 0

    def choose(self, state: State[Any], clock: Clock) -> Any:
        if self.made == self.moves:
            raise Resign
        self.made += 1
        return super().choose(state, clock)


for _moves in AFTER:
    globals()[f"ResignsAfter{_moves}"] = type(
        f"ResignsAfter{_moves}", (_Resigns,), {"moves": _moves, "__module__": __name__}
    )
