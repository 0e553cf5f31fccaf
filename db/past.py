"""Games as they are on record, as plain values: read back by queries, written and read by exports and imports.

They hold what was played; what was ruled about it later stands beside it. All durations are integer nanoseconds, all
moments are texts in UTC that sort as the moments do, and what is unknown is None.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from db.records import MoveRecord


class Ruled(Struct, frozen=True):
    """What was decided about a game after it."""

    what: str
    """void or award."""
    seat: int | None
    """To whom the game was awarded."""
    reason: str
    when: str


class PastSeat(Struct, frozen=True, kw_only=True):
    """Who sat there, and what came of it."""

    seat: int
    player: str
    version: int | None = None
    """The number of the submission that played."""
    current: bool = True
    """Whether the tournament counts that version now."""
    points: float | None = None
    """As played; `PastGame.counted` follows rulings."""
    utility: float | None = None
    spent: int | None = None
    longest: int | None = None
    cpu: int | None = None
    memory: int | None = None
    stderr: str | None = None


class PastGame(Struct, frozen=True, kw_only=True):
    """One game on record."""

    id: int
    tournament: str | None = None
    round: int | None = None
    number: int
    pair: str
    leg: int = 0
    attempt: int = 1
    game: str
    """The rules it was played by."""
    clock: str = "none"
    seed: int = 0
    opening: str | None = None
    status: str = "finished"
    verdict: str | None = None
    fault: int | None = None
    detail: str | None = None
    plies: int | None = None
    started: str | None = None
    finished: str | None = None
    lag: int | None = None
    host: dict[str, Any] | None = None
    seats: tuple[PastSeat, ...] = ()
    moves: tuple[MoveRecord, ...] = ()
    """Empty where only games were asked for."""
    rulings: tuple[Ruled, ...] = ()
    """In the order in which they were made."""

    @property
    def players(self) -> list[str]:
        """The names in the order of the seats."""
        return [seat.player for seat in self.seats]

    @property
    def ruling(self) -> Ruled | None:
        """The ruling that holds: the last one."""
        return self.rulings[-1] if self.rulings else None

    @property
    def points(self) -> list[float] | None:
        """What each seat scored on the board; None without a result."""
        points = [seat.points for seat in self.seats if seat.points is not None]
        return points if points and len(points) == len(self.seats) else None

    @property
    def counted(self) -> list[float] | None:
        """What each seat is given for the game, after rulings; None without a result."""
        if self.ruling is None:
            return self.points
        if self.ruling.what == "award":
            return [1.0 if seat.seat == self.ruling.seat else 0.0 for seat in self.seats]
        return None

    @property
    def utilities(self) -> list[float] | None:
        """What the game was worth to each seat; None without a result."""
        worth = [seat.utility for seat in self.seats if seat.utility is not None]
        return worth if worth and len(worth) == len(self.seats) else None
