"""What was played, as plain values: the game, its seats, its plies.

The referee makes them, commands show them, the store writes and reads them. They know nothing of SQL. All durations are
integer nanoseconds; what is unknown is None.
"""

from __future__ import annotations

from msgspec import Struct


class MoveRecord(Struct, frozen=True):
    """One ply: a move, an outcome of chance, or a move of the opening."""

    ply: int
    """Counted from 1."""
    who: int | str
    """The seat, "chance" or "opening"."""
    move: str
    spent: int | None = None
    """What the seat's clock was charged."""
    left: int | None = None
    """What the seat's clock showed afterwards; None without a clock."""
    lag: int | None = None
    """What the referee waited beyond `spent`."""
    cpu: int | None = None
    delay: int | None = None
    """How long the agent was ready to run and had no processor."""
    log: int | None = None
    """Bytes that the agent had written to stderr by then."""
    score: float | None = None
    depth: int | None = None
    nodes: int | None = None
    line: str | None = None
    text: str | None = None


class SeatRecord(Struct, frozen=True):
    """One seat of a finished game."""

    seat: int
    player: str
    points: float | None
    utility: float | None
    spent: int
    """In all, the last unfinished turn included."""
    longest: int
    """The longest turn."""
    cpu: int | None = None
    memory: int | None = None
    stderr: str | None = None


class GameRecord(Struct, frozen=True):
    """How one game went."""

    game: int
    verdict: str
    fault: int | None
    """The seat that lost by its own fault, or resigned."""
    detail: str
    """The verdict in words."""
    seats: tuple[SeatRecord, ...]
    moves: tuple[MoveRecord, ...]
    lag: int
    """The sum over all turns."""
