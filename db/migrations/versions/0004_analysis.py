"""The analysis of a game: the judgement of each of its plies."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the table; earlier games have no analysis yet."""
    whole = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "analysis",
        sa.Column("game", whole, nullable=False),
        sa.Column("ply", whole, nullable=False),
        sa.Column("before", sa.Double(), nullable=True),
        sa.Column("before_values", sa.Text(), nullable=False),
        sa.Column("before_exact", whole, nullable=False),
        sa.Column("before_distance", whole, nullable=True),
        sa.Column("after", sa.Double(), nullable=True),
        sa.Column("after_values", sa.Text(), nullable=False),
        sa.Column("after_exact", whole, nullable=False),
        sa.Column("after_distance", whole, nullable=True),
        sa.Column("loss", sa.Double(), nullable=True),
        sa.Column("mark", sa.Text(), nullable=False),
        sa.Column("better", sa.Text(), nullable=True),
        sa.Column("line", sa.Text(), nullable=True),
        sa.Column("depth", whole, nullable=False),
        sa.ForeignKeyConstraint(
            ["game"],
            ["game.id"],
        ),
        sa.PrimaryKeyConstraint("game", "ply"),
        sqlite_with_rowid=False,
    )
