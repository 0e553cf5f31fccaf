"""Brings a database to the tables of this program: new ones are made, older ones copied and then changed.

Alembic is loaded only where there is something to change, so that opening a database of today costs one query. A newer
database than this program knows is left alone.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, inspect, text

from db.dialect import WRITES
from db.errors import DatabaseError, NewerDatabase, NotADatabase
from db.schema import VIEWS

REVISION: Final = "0003"
"""The revision of the tables that this program knows."""
_MIGRATIONS: Final = Path(__file__).parent / "migrations"


def revision(engine: Engine) -> str | None:
    """The revision of the tables that are there; None where there are none yet."""
    with engine.connect() as connection:
        return _revision(connection)


def _revision(connection: Connection) -> str | None:
    tables = set(inspect(connection).get_table_names())
    if "alembic_version" in tables:
        return str(connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one())
    if tables:
        raise NotADatabase(f"expected a database of arena, got one with other tables ({', '.join(sorted(tables)[:5])})")
    return None


def check(engine: Engine, file: Path | None) -> None:
    """For whoever only reads: an error unless the tables are those of this program."""
    there = revision(engine)
    if there is not None and there != REVISION and there in known():
        raise DatabaseError(
            f"{file} was written by an older program (revision {there}): bring it up to date by `arena db upgrade`"
        )
    _refuse_newer(there, file)
    if there is None:
        raise NotADatabase(f"expected a database of arena, {file} is empty")


def bring_up_to_date(engine: Engine, file: Path | None) -> Path | None:
    """Makes or changes the tables where needed; where the copy of an older file is that was made before."""
    if revision(engine) == REVISION:
        return None
    with engine.connect().execution_options(**{WRITES: True}) as connection, connection.begin():
        # Asked again: now nobody else can be at it, but somebody may have been.
        there = _revision(connection)
        if there == REVISION:
            return None
        _refuse_newer(there, file)
        copy = None
        if there is not None and file is not None:
            copy = file.with_name(f"{file.name}.before-{REVISION}")
            _copy(file, copy)
        _migrate(connection)
        make_views(connection)
    return copy


def _refuse_newer(there: str | None, file: Path | None) -> None:
    if there is not None and there not in known():
        raise NewerDatabase(
            f"{file or 'the database'} was written by a newer program (revision {there}, this one knows {REVISION}); "
            "use that, or another file with --db"
        )


def _copy(file: Path, copy: Path) -> None:
    """A copy of the database as it is, with what its journal holds. It is there whole, or not at all."""
    part = copy.with_name(f"{copy.name}.part")
    part.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(file)) as old, closing(sqlite3.connect(part)) as new:
            old.backup(new)
        part.replace(copy)
    finally:
        part.unlink(missing_ok=True)


def known() -> list[str]:
    """The revisions that this program can bring up to date, oldest first."""
    return sorted(file.name.partition("_")[0] for file in (_MIGRATIONS / "versions").glob("[0-9]*.py"))


def make_views(connection: Connection) -> None:
    """Makes the views of the file anew, for other programs. In SQLite our own connections have theirs besides."""
    file = "main." if connection.dialect.name == "sqlite" else ""
    for name in reversed(VIEWS):
        connection.exec_driver_sql(f"DROP VIEW IF EXISTS {file}{name}")
    for name, query in VIEWS.items():
        connection.exec_driver_sql(f"CREATE VIEW {file}{name} AS {query}")


def _migrate(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
