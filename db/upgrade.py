"""Creates the tables of a new database, and migrates an older database with Alembic, after making a backup of it.

Alembic is imported only when there is something to change: opening an up-to-date database costs one query. A database
of a newer revision is refused and not changed.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, inspect, text

from db import private
from db.dialect import WRITES
from db.errors import DatabaseError, NewerDatabase, NotADatabase
from db.schema import VIEWS

REVISION: Final = "0012"
"""The Alembic revision of this program's tables."""
_MIGRATIONS: Final = Path(__file__).parent / "migrations"


def revision(engine: Engine) -> str | None:
    """The database's Alembic revision; None if it has no tables yet."""
    with engine.connect() as connection:
        return _revision(connection)


def _revision(connection: Connection) -> str | None:
    tables = set(inspect(connection).get_table_names())
    if "alembic_version" in tables:
        return str(connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one())
    if tables:
        raise NotADatabase(f"expected a database of arena, got other tables ({', '.join(sorted(tables)[:5])})")
    return None


def check(engine: Engine, file: Path | None) -> None:
    """Raise DatabaseError unless the database has this program's revision; for connections that only read."""
    there = revision(engine)
    if there is not None and there != REVISION and there in known_revisions():
        raise DatabaseError(
            f"{file or 'the database'} was written by an older version of arena (revision {there}); upgrade it with "
            "`arena data upgrade`"
        )
    _refuse_newer(there, file)
    if there is None:
        raise NotADatabase(f"expected a database of arena, {file or 'the database'} is empty")


def bring_up_to_date(engine: Engine, file: Path | None) -> Path | None:
    """Create or migrate the tables if necessary; return the path of the backup of an older file, if one was made."""
    if revision(engine) == REVISION:
        return None
    with engine.connect().execution_options(**{WRITES: True}) as connection, connection.begin():
        # Read again under the write lock: another program may have migrated the database since the first check.
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
    if there is not None and there not in known_revisions():
        raise newer(there, REVISION, file)


def newer(there: str, known: str, file: Path | None) -> NewerDatabase:
    """The error for a database of the revision `there`, when this program's newest is `known`."""
    return NewerDatabase(
        f"{file or 'the database'} was written by a newer version of arena (revision {there}, this version has "
        f"{known}); use that version, or another file with --db"
    )


def _copy(file: Path, copy: Path) -> None:
    """Back up the database, its write-ahead log included, atomically: the copy is complete or does not exist."""
    part = copy.with_name(f"{copy.name}.part")
    part.unlink(missing_ok=True)
    os.close(private.new_file(part))
    try:
        with closing(sqlite3.connect(file)) as old, closing(sqlite3.connect(part)) as new:
            old.backup(new)
        part.replace(copy)
    finally:
        part.unlink(missing_ok=True)


def known_revisions() -> list[str]:
    """The revisions that this program can migrate from, oldest first."""
    return sorted(file.name.partition("_")[0] for file in (_MIGRATIONS / "versions").glob("[0-9]*.py"))


def make_views(connection: Connection) -> None:
    """Create the views again, for other programs. (In SQLite our own connections use temporary views instead.)"""
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
