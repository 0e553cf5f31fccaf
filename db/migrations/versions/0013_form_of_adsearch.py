"""The form of adsearch that the process of a seat searched in."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add the column; of earlier games it is not known."""
    op.add_column("seat", sa.Column("adsearch", sa.Text(), nullable=True))
