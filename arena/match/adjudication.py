"""Rules that end a game early, by what its players report about their positions. None holds unless it is asked for.

They are decided before the first game and are the same for both players. A player resigns by its own reports alone,
and a report counts only if it came with the move: one that is missing never ends a game. Games of two players only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from db.records import MoveRecord

BY_RULE: Final = "by the rule"


class ResignRule(Struct, frozen=True):
    """A player loses that says so itself."""

    moves: int
    """The number of its moves in a row with which it reports `-score` or less."""
    score: float
    """In the scale of the game: in chess centipawns."""
    both: bool = False
    """Whether the other player must report `score` or more with as many moves."""


class DrawRule(Struct, frozen=True):
    """The game is a draw if both say so."""

    begins: int
    """The number of moves that each player has made at least."""
    moves: int
    """The number of moves in a row with which each reports a score between `-score` and `score`."""
    score: float


class Ruled(NamedTuple):
    """How a rule ends the game."""

    loser: int | None
    """None: it is a draw."""
    detail: str


def ruled(
    moves: Iterable[MoveRecord], resign: ResignRule | None, draw: DrawRule | None, scaled: Callable[[float], float]
) -> Ruled | None:
    """What a rule says after these plies. `scaled`: what a score of the rules is as players report it."""
    said: tuple[list[float | None], list[float | None]] = [], []
    for move in moves:
        if isinstance(move.who, int):
            said[move.who].append(move.score)

    def agree(seat: int, moves: int, low: float, high: float) -> bool:
        last: Sequence[float | None] = said[seat][-moves:]
        return len(last) == moves and all(score is not None and low <= score <= high for score in last)

    if resign is not None:
        far, limit = float("inf"), scaled(resign.score)
        for seat in range(2):
            if agree(seat, resign.moves, -far, -limit) and (
                not resign.both or agree(1 - seat, resign.moves, limit, far)
            ):
                return Ruled(seat, f"{BY_RULE} for resigning: {resign.moves} moves at -{resign.score:g} or less")
    if draw is not None and min(map(len, said)) >= draw.begins:
        limit = scaled(draw.score)
        if all(agree(seat, draw.moves, -limit, limit) for seat in range(2)):
            return Ruled(None, f"{BY_RULE} for draws: {draw.moves} moves within {draw.score:g}")
    return None
