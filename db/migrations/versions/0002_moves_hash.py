"""A hash of each game's moves, so that games that repeat another are found without reading their moves."""

from __future__ import annotations

import json
from hashlib import blake2b
from itertools import groupby

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_BATCH = 1000
"""Games per query."""


def upgrade() -> None:
    """Add the column, and fill it for the recorded games."""
    whole = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.add_column("game", sa.Column("moves_hash", whole, nullable=True))
    connection = op.get_bind()
    moves = sa.text(
        "SELECT game, who, move FROM move WHERE game BETWEEN :first AND :last ORDER BY game, ply"  # the primary key
    )
    change = sa.text("UPDATE game SET moves_hash = :moves_hash WHERE id = :game")
    last = connection.execute(sa.text("SELECT MAX(id) FROM game")).scalar() or 0
    for first in range(1, last + 1, _BATCH):
        rows = connection.execute(moves, {"first": first, "last": first + _BATCH - 1})
        found = [
            {"game": game, "moves_hash": _hash([(who, move) for _, who, move in played])}
            for game, played in groupby(rows, key=lambda row: row.game)
        ]
        if found:
            connection.execute(change, found)
    op.create_index("game_by_moves", "game", ["moves_hash"], unique=False)


def _hash(events: list[tuple[str, str]]) -> int:
    return int.from_bytes(blake2b(json.dumps(events).encode(), digest_size=8).digest(), "big", signed=True)
