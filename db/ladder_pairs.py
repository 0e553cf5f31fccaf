"""The pairs of a ladder's games: which were begun, and which games are not played after all.

A pair is two rows of games with the same key. Its number on the ladder follows from the numbers of its games, because
every pair schedules two.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, bindparam, text


class BegunPairs(Struct, frozen=True):
    """The pairs of two versions."""

    names: tuple[str, str]
    versions: tuple[int, int]
    """The row ids of the versions, in the order of the names."""
    pairs: int
    last: int
    """The number of their last pair."""


def begun(connection: Connection, tournament: int) -> list[BegunPairs]:
    """All pairs that were ever begun, counted by versions; each two of them in one or both orders. This reads every
    game of the ladder."""
    return [
        BegunPairs((one, other), (version, other_version), pairs, pair_number(last))
        for one, other, version, other_version, pairs, last in connection.execute(_BEGUN, {"tournament": tournament})
    ]


def pair_number(game_number: int) -> int:
    """The number of the pair that the game with this number belongs to; both count from 1."""
    return (game_number + 1) // 2


def all_active(connection: Connection, tournament: int, versions: Collection[int]) -> bool:
    """Whether each of these versions is entered now, by an agent that is neither withdrawn nor quarantined."""
    found = connection.execute(_ACTIVE, {"tournament": tournament, "versions": list(versions)}).scalar_one()
    return bool(found == len(versions))


def cancel_replaced(connection: Connection, tournament: int) -> int:
    """Cancel the scheduled games of versions that are not entered any more, and of agents that are not active; return
    their number. Games in progress are left as they are."""
    return connection.execute(_CANCEL_REPLACED, {"tournament": tournament}).rowcount


_BEGUN: Final = text(
    """
    SELECT one.name, other.name, one.version, other.version, COUNT(*), MAX(game.number)
    FROM game JOIN seat AS one ON one.game = game.id AND one.seat = 0
              JOIN seat AS other ON other.game = game.id AND other.seat = 1
    WHERE game.tournament = :tournament AND game.leg = 0 AND game.attempt = 1
    GROUP BY one.name, other.name, one.version, other.version
    """
)
_ACTIVE: Final = text(
    "SELECT COUNT(*) FROM entry WHERE tournament = :tournament AND status = 'active' AND version IN :versions"
).bindparams(bindparam("versions", expanding=True))
_CANCEL_REPLACED: Final = text(
    """
    UPDATE game SET status = 'cancelled'
    WHERE tournament = :tournament AND status = 'scheduled' AND EXISTS (
        SELECT 1 FROM seat LEFT JOIN entry ON entry.tournament = game.tournament AND entry.name = seat.name
                                              AND entry.version = seat.version AND entry.status = 'active'
        WHERE seat.game = game.id AND entry.id IS NULL)
    """
)
