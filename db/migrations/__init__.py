"""Alembic migrations: every change of the tables since the first version, in order. `db/database.py` runs them."""
