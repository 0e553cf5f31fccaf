"""The clock of a seat that has another one than the game."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add the column; in all earlier games there was one clock for all."""
    op.add_column("seat", sa.Column("clock", sa.Text(), nullable=True))
