"""The cells of the board that an agent has marked."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the column; the moves of earlier games have no marks."""
    op.add_column("move", sa.Column("marks", sa.JSON(), nullable=True))
