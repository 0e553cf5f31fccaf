"""The first tables, written out in full: a migration must not change when `db/schema.py` does."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_WHOLE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables and indexes."""
    op.create_table(
        "agent",
        sa.Column("id", _WHOLE, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "tournament",
        sa.Column("id", _WHOLE, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.Column("clock", sa.Text(), nullable=False),
        sa.Column("seed", sa.Text(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("created", sa.Text(), nullable=False),
        sa.Column("finished", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "game",
        sa.Column("id", _WHOLE, nullable=False),
        sa.Column("tournament", _WHOLE, nullable=True),
        sa.Column("round", _WHOLE, nullable=True),
        sa.Column("number", _WHOLE, nullable=False),
        sa.Column("pair", sa.Text(), nullable=False),
        sa.Column("leg", _WHOLE, nullable=False),
        sa.Column("attempt", _WHOLE, nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.Column("clock", sa.Text(), nullable=False),
        sa.Column("seed", sa.Text(), nullable=False),
        sa.Column("opening", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=True),
        sa.Column("fault", _WHOLE, nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("plies", _WHOLE, nullable=True),
        sa.Column("started", sa.Text(), nullable=True),
        sa.Column("finished", sa.Text(), nullable=True),
        sa.Column("host", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("lag", _WHOLE, nullable=True),
        sa.CheckConstraint("status IN ('scheduled', 'playing', 'finished', 'void', 'cancelled')", name="game_status"),
        sa.ForeignKeyConstraint(
            ["tournament"],
            ["tournament.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("tournament", "pair", "leg", "attempt"),
    )
    op.create_index("game_by_status", "game", ["tournament", "status", "number"], unique=False)
    op.create_index("game_by_finished", "game", ["finished"], unique=False)
    not_normal = sa.text("verdict <> 'normal'")
    op.create_index(
        "game_not_normal",
        "game",
        ["verdict", "finished"],
        unique=False,
        sqlite_where=not_normal,
        postgresql_where=not_normal,
    )
    op.create_table(
        "version",
        sa.Column("id", _WHOLE, nullable=False),
        sa.Column("agent", _WHOLE, nullable=False),
        sa.Column("number", _WHOLE, nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("started_as", sa.Text(), nullable=False),
        sa.Column("created", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["agent"],
            ["agent.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("agent", "number"),
        sa.UniqueConstraint("agent", "source"),
    )
    op.create_table(
        "entry",
        sa.Column("id", _WHOLE, nullable=False),
        sa.Column("tournament", _WHOLE, nullable=False),
        sa.Column("version", _WHOLE, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament"],
            ["tournament.id"],
        ),
        sa.ForeignKeyConstraint(
            ["version"],
            ["version.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("tournament", "name"),
    )
    op.create_table(
        "move",
        sa.Column("game", _WHOLE, nullable=False),
        sa.Column("ply", _WHOLE, nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("move", sa.Text(), nullable=False),
        sa.Column("spent", _WHOLE, nullable=True),
        sa.Column("left", _WHOLE, nullable=True),
        sa.Column("cpu", _WHOLE, nullable=True),
        sa.Column("delay", _WHOLE, nullable=True),
        sa.Column("lag", _WHOLE, nullable=True),
        sa.Column("log", _WHOLE, nullable=True),
        sa.Column("score", sa.Double(), nullable=True),
        sa.Column("depth", _WHOLE, nullable=True),
        sa.Column("nodes", _WHOLE, nullable=True),
        sa.Column("line", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["game"],
            ["game.id"],
        ),
        sa.PrimaryKeyConstraint("game", "ply"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "seat",
        sa.Column("game", _WHOLE, nullable=False),
        sa.Column("seat", _WHOLE, nullable=False),
        sa.Column("version", _WHOLE, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("points", sa.Double(), nullable=True),
        sa.Column("utility", sa.Double(), nullable=True),
        sa.Column("spent", _WHOLE, nullable=True),
        sa.Column("longest", _WHOLE, nullable=True),
        sa.Column("cpu", _WHOLE, nullable=True),
        sa.Column("memory", _WHOLE, nullable=True),
        sa.Column("stderr", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["game"],
            ["game.id"],
        ),
        sa.ForeignKeyConstraint(
            ["version"],
            ["version.id"],
        ),
        sa.PrimaryKeyConstraint("game", "seat"),
        sqlite_with_rowid=False,
    )
    op.create_index("seat_by_version", "seat", ["version", "game"], unique=False)
    op.create_table(
        "ruling",
        sa.Column("id", _WHOLE, nullable=False),
        sa.Column("game", _WHOLE, nullable=True),
        sa.Column("entry", _WHOLE, nullable=True),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("seat", _WHOLE, nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made", sa.Text(), nullable=False),
        sa.CheckConstraint("(game IS NULL) <> (entry IS NULL)", name="ruling_about_one_thing"),
        sa.ForeignKeyConstraint(
            ["entry"],
            ["entry.id"],
        ),
        sa.ForeignKeyConstraint(
            ["game"],
            ["game.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ruling_by_game", "ruling", ["game"], unique=False)
