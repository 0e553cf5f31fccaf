"""Alembic's environment: it uses the connection of `db/database.py`, within its transaction."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"], transactional_ddl=True, transaction_per_migration=False
)
context.run_migrations()
