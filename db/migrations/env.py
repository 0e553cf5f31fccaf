"""How Alembic reaches the database: over the connection that `db/upgrade.py` hands it, inside its transaction."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"], transactional_ddl=True, transaction_per_migration=False
)
context.run_migrations()
