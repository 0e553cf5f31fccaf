"""The position from which a game begins."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add the column; all earlier games begin as the rules say."""
    op.add_column("game", sa.Column("position", sa.Text(), nullable=True))
