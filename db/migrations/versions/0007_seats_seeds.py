"""The key of the seats' seeds of a tournament, and the seed of each seat."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the columns; in earlier tournaments seats' seeds come from the tournament's seed, and are not recorded."""
    op.add_column("tournament", sa.Column("seats_key", sa.Text(), nullable=True))
    op.add_column("seat", sa.Column("seed", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True))
