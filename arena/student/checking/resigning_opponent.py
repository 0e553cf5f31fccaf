"""Opponents of an agent that is checked: they move like the built-in `random`, and resign after so many moves.

So a game ends soon, and no player can know it before: the clock's budget for a move stays what it is in a whole game.
They are hosted like built-in agents, from this file: "resigning_opponent.py:ResignsAfter4".
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from adsearch import State
from agents import Resign
from agents.agent import Clock
from agents.builtin.random_moves import RandomMoves

AFTER: Final = (0, 1, 2, 4, 8, 16, 32, 64, 128)
"""After how many moves there is one that resigns."""


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
