"""What would follow the mistakes that an analysis found."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add the column; the mistakes of earlier analyses have no answers."""
    op.add_column("analysis", sa.Column("answer", sa.Text(), nullable=True))
