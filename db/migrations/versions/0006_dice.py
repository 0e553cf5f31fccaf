"""The hash of a game's moves: in a game with dice or cards, also where they come from."""

from __future__ import annotations

import json
from hashlib import blake2b
from itertools import groupby

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_BATCH = 1000
"""Games per query."""


def upgrade() -> None:
    """Write the new hashes of the recorded games with chance events."""
    connection = op.get_bind()
    moves = sa.text("""
        SELECT move.game, move.who, move.move, game.seed, game.pair, game.leg, game.attempt
        FROM move JOIN game ON game.id = move.game
        WHERE move.game IN (SELECT game FROM move WHERE game BETWEEN :first AND :last AND who = 'chance')
        ORDER BY move.game, move.ply
    """)
    change = sa.text("UPDATE game SET moves_hash = :moves_hash WHERE id = :game")
    last = connection.execute(sa.text("SELECT MAX(id) FROM game")).scalar() or 0
    for first in range(1, last + 1, _BATCH):
        rows = connection.execute(moves, {"first": first, "last": first + _BATCH - 1})
        found = [
            {"game": game, "moves_hash": _hash(list(played))} for game, played in groupby(rows, lambda row: row.game)
        ]
        if found:
            connection.execute(change, found)


def _hash(rows: list[sa.Row[tuple[int, str, str, str, str, int, int]]]) -> int:
    one = rows[0]
    events = [(row.who, row.move) for row in rows]
    events.append(("dice", f"{one.seed} {one.pair} {one.leg} {one.attempt}"))
    return int.from_bytes(blake2b(json.dumps(events).encode(), digest_size=8).digest(), "big", signed=True)
