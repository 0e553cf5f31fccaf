"""Rulings that revoke another ruling, with the state before it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the columns; they are NULL for earlier rulings."""
    whole = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.add_column("ruling", sa.Column("revokes", whole, nullable=True))
    op.add_column("ruling", sa.Column("status_before", sa.Text(), nullable=True))
    op.add_column("ruling", sa.Column("paired", whole, nullable=True))
    op.create_index("ruling_revoked_once", "ruling", ["revokes"], unique=True)
