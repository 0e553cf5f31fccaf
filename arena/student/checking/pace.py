"""Whether an agent could go on as it began: reckoned where its games were cut short, before its time was up.

Pure: nobody plays here. What the reckoning says is only a question; the answer is how the agent moves when there is
little time, and the course asks it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from arena.match.clock import MILLISECOND, SECOND, Clock, TimeControl

_LEAST: Final = 100 * MILLISECOND
"""Less time than this on a clock is no fair question: a busy machine may take as much."""
ADVICE: Final = "look at clock.left in choose: who never takes more than clock.budget for a move is never late"


@dataclass(frozen=True, slots=True)
class Pace:
    """How long an agent takes for a move, where a game at that pace is too long for its clock."""

    taken: int
    """Nanoseconds."""
    ends: int
    """At which move of its own its time is up."""
    moves: int
    """How many a game may take."""
    clock: TimeControl
    margin: int
    """How far a clock may be overstepped."""

    @property
    def short(self) -> TimeControl:
        """A clock to ask it with, on which it must be faster: with the margin it has half of what it takes."""
        return TimeControl(base=self.taken // 2 - self.margin, increment=self.clock.increment)

    def __str__(self) -> str:
        return (
            f"if it goes on like this its time is up at its move {self.ends}, and a game can have {self.moves}; "
            f"asked with {self.short.base / SECOND:.2f} s left, it took more"
        )


def too_slow(taken: int, clock: str, margin: int, moves: int) -> Pace | None:
    """The pace of somebody who takes so long for each of so many moves; None where the clock is enough for it, or where
    it cannot be asked for less in fairness."""
    control = TimeControl.parse(clock)
    running = Clock(control, 1, margin=margin)
    for move in range(1, moves + 1):
        if taken > running.limit(0):
            pace = Pace(taken, move, moves, control, margin)
            return pace if pace.short.base >= _LEAST else None
        running.charge(0, taken)
    return None
