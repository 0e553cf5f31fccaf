"""What several games were worth for a player: how many it won, and its mean score.

The score is the utility, which in most games is 1, 0 or -1, and in others a number of points, boxes or discs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from db.records import GameRecord, SeatRecord


@dataclass(frozen=True, slots=True)
class Score:
    """The result of one player in several games."""

    games: int
    """Void games do not count."""
    won: int
    """Games in which it beat all others; alone in a game, those with a score above 0."""
    mean: float | None
    """The mean score; None if no game has one."""


def scored(results: Iterable[tuple[SeatRecord, int]]) -> Score:
    """The score of a player from its seats, each with the number of players of that game."""
    counted = [(seat, players) for seat, players in results if seat.points is not None]
    known = [seat.utility for seat, _ in counted if seat.utility is not None]
    return Score(
        games=len(counted),
        won=sum((seat.utility or 0.0) > 0 if players == 1 else seat.points == 1.0 for seat, players in counted),
        mean=sum(known) / len(known) if known else None,
    )


def mean_text(mean: float) -> str:
    """A mean score in a table: small ones have up to three digits that say something, such as -0.0556."""
    return f"{mean:.1f}" if abs(mean) >= 10.0 else f"{mean + 0.0:.3g}"


def by_player(records: Sequence[GameRecord]) -> dict[str, Score]:
    """The score of each player, in the order of the first game's seats."""
    names = dict.fromkeys(seat.player for record in records for seat in record.seats)
    return {
        name: scored((seat, len(record.seats)) for record in records for seat in record.seats if seat.player == name)
        for name in names
    }
