"""The games of a check: who plays them, which are wanted, and how each went.

Plain values, between the course that asks for games and the examiner that has them played.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from typing import Final

from agents.protocol import Verdict
from arena.match.clock import SECOND
from arena.match.schedule import Entrant, Planned
from db.records import GameRecord, SeatRecord

WATCHED: Final = 2 * SECOND
"""Nanoseconds that an agent that is too slow is watched, to see where it is busy."""


@dataclass(frozen=True, slots=True)
class Cast:
    """Who plays: the agent, held in four ways, and its opponents."""

    kept: Entrant
    """In a process that is kept for the next game."""
    fresh: Entrant
    """In a new process for each game."""
    watched: Entrant
    """In a new process that says whether the agent changed its state."""
    slow: Entrant
    """In a new process that says, too, where the agent is busy; it has `WATCHED` to be ready."""
    opponent: Callable[[int | None], Entrant]
    """Moves at random, and gives up after so many moves of `opponent.AFTER`; None: never."""
    text: str
    """The agent as it was named."""
    python: bool
    """Whether it is hosted by our kit."""
    behind: str
    """What it is held by, in words."""
    code: Callable[[str, int], str]
    """A line of a file of the agent's."""


@dataclass(frozen=True, slots=True)
class Played:
    """A game of the course, as it went."""

    planned: Planned
    record: GameRecord
    ready_after: float | None
    """Of a watched game, seconds from when it was asked for until all were ready, or it was over before."""

    @property
    def seat(self) -> int:
        """Where the agent sat."""
        return next(seat for seat, entrant in enumerate(self.planned.entrants) if entrant.guarded)

    @property
    def asked(self) -> bool:
        """Whether the agent was ready, and was asked for a move."""
        return self.own.spent > 0

    @property
    def failed(self) -> bool:
        """Whether the agent lost it by a fault of its own."""
        return self.late or (self.record.fault == self.seat and self.record.verdict != Verdict.RESIGNED)

    @property
    def late(self) -> bool:
        """Whether it lost on time, be it that the machine was busy, too."""
        verdict, fault = self.record.verdict, self.record.fault
        excused = verdict == Verdict.VOID and self.detail.startswith("used ")
        return excused or (verdict == Verdict.TIME and fault == self.seat)

    @property
    def verdict(self) -> Verdict:
        """How it ended, without that excuse."""
        return Verdict.TIME if self.late else Verdict(self.record.verdict)

    @property
    def undecided(self) -> bool:
        """Whether the machine was at fault."""
        return self.record.verdict == Verdict.VOID and not self.late

    @property
    def given_up(self) -> bool:
        """Whether an opponent gave up."""
        return self.record.verdict == Verdict.RESIGNED and self.record.fault != self.seat

    @property
    def detail(self) -> str:
        """The verdict in words, without the agent's name in front."""
        words, name = self.record.detail, self.own.player
        if words.startswith(f"{name}, ply "):
            return words.partition(": ")[2]
        return words.removeprefix(f"{name}: ").removeprefix(f"{name} ")

    @property
    def own(self) -> SeatRecord:
        """What is recorded of the agent."""
        return self.record.seats[self.seat]


@dataclass(frozen=True, slots=True)
class Batch:
    """Games that are wanted."""

    games: Iterable[Planned]
    seconds: float = float("inf")
    """After so long no more of them are begun."""
    enough: Callable[[Played], bool] = field(default=lambda _: False)
    """Told of each that is over: whether no more are to be begun."""


Course = Generator[Batch, list[Played], None]
"""Asks for games, is sent how they went, and ends by itself."""
