"""Alembic migrations: every change of the tables since the first version, in order. `db/upgrade.py` runs them."""
