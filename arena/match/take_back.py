"""A move that is taken back: what stays of its game, and the game that continues from there.

The game in progress ends without a record, and a new one is played in which the moves before the person's earlier turn
are played first, with the times of their record. So the clocks are those of that turn. It has the same seeds, so the
same dice fall. The protocol knows nothing of all this.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from msgspec import structs

from arena.match.schedule import Finished, Planned
from db.records import MoveRecord


class TakenBack(NamedTuple):
    """What stays of a game."""

    plies: int
    played: tuple[MoveRecord, ...]
    """The moves of the players among these plies, without those of the opening."""
    more: int
    """The number of earlier moves that can be taken back too."""

    def continued(self, ended: Finished) -> Planned:
        """The game that continues the one that has ended."""
        return replace(ended.game, played=self.played, begun=ended.started)


def before_last_move(moves: Sequence[MoveRecord], seats: Collection[int]) -> TakenBack | None:
    """What stays of these plies when the last move of one of these seats is taken back; None if there is none."""
    own = [number for number, move in enumerate(moves) if move.who in seats]
    if not own:
        return None
    kept = moves[: own[-1]]
    return TakenBack(len(kept), tuple(_in_a_new_log(move) for move in kept if isinstance(move.who, int)), len(own) - 1)


def _in_a_new_log(move: MoveRecord) -> MoveRecord:
    """The move as a new process of its player has it: it has printed nothing yet."""
    return move if move.log is None else structs.replace(move, log=0)
