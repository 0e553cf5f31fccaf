"""Standing ladders: submissions, extensions and ratings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create the tables; earlier databases have no ladder."""
    whole = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "submission",
        sa.Column("id", whole, nullable=False),
        sa.Column("tournament", whole, nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("steps", sa.JSON(), nullable=False),
        sa.Column("version", whole, nullable=True),
        sa.Column("received", sa.Text(), nullable=False),
        sa.Column("changed", sa.Text(), nullable=False),
        sa.Column("interruptions", whole, nullable=False),
        sa.CheckConstraint(
            "state IN ('received', 'checking', 'entered', 'failed', 'refused', 'withdrawn')", name="submission_state"
        ),
        sa.ForeignKeyConstraint(["tournament"], ["tournament.id"]),
        sa.ForeignKeyConstraint(["version"], ["version.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("submission_by_author", "submission", ["tournament", "author", "id"])
    op.create_index("submission_by_state", "submission", ["tournament", "state"])
    op.create_table(
        "extension",
        sa.Column("id", whole, nullable=False),
        sa.Column("tournament", whole, nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("until", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["tournament"], ["tournament.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("extension_by_author", "extension", ["tournament", "author"])
    op.create_table(
        "rating",
        sa.Column("id", whole, nullable=False),
        sa.Column("tournament", whole, nullable=False),
        sa.Column("version", whole, nullable=False),
        sa.Column("time", sa.Text(), nullable=False),
        sa.Column("rating", sa.Double(), nullable=False),
        sa.Column("error", sa.Double(), nullable=False),
        sa.Column("games", whole, nullable=False),
        sa.ForeignKeyConstraint(["tournament"], ["tournament.id"]),
        sa.ForeignKeyConstraint(["version"], ["version.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("rating_by_version", "rating", ["tournament", "version", "id"])
