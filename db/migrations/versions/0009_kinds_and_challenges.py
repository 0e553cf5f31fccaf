"""The kind of each game, and who wanted the games of the kind "challenge"."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the column and the table. Until now the format of the tournament and the players said what a game is."""
    op.add_column("game", sa.Column("kind", sa.Text(), nullable=False, server_default="tournament"))
    ladders = "SELECT id FROM tournament WHERE format = 'ladder'"
    op.execute(f"UPDATE game SET kind = 'ladder' WHERE tournament IN ({ladders})")
    op.execute("UPDATE game SET kind = 'casual' WHERE tournament IS NULL")
    people = "SELECT game FROM seat WHERE version IN (SELECT id FROM version WHERE source = 'human')"
    op.execute(f"UPDATE game SET kind = 'with a person' WHERE id IN ({people})")
    unrated = sa.text("kind IN ('challenge', 'with a person')")
    op.create_index("game_unrated", "game", ["kind"], sqlite_where=unrated, postgresql_where=unrated)
    op.create_table(
        "challenge",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("game", _NUMBER, nullable=False),
        sa.Column("tournament", _NUMBER, nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("made", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["game"], ["game.id"]),
        sa.ForeignKeyConstraint(["tournament"], ["tournament.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("game"),
    )
    op.create_index("challenge_by_author", "challenge", ["tournament", "author", "made"])
