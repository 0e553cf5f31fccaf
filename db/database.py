"""Opens the database: a command creates one `Database`, then reads and writes through its connections, any number that
read and one that writes.

It is migrated to this program's revision first. The accounts are not in it: `db/accounts.py` opens those.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Final, Self

from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import DBAPIError

from db import bundles, dialect, games, private
from db.dialect import WRITES
from db.errors import Busy, DatabaseError, NewerDatabase, NotADatabase, NotFound, Unsure
from db.schema import EXPRESSIONS, TABLES, VIEWS


class Connections:
    """One open database."""

    def __init__(self, engine: Engine, file: Path | None) -> None:
        self._engine = engine
        self.file = file
        # Kept open: SQLAlchemy's pool takes longer to give out a connection than SQLite for an empty transaction.
        self._writer: Connection | None = None
        self._lock = RLock()
        # The names of the server's locks that the session of `_writer` has.
        self._held: list[str] = []

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that writes; committed at the end of the block. Another thread waits until then.

        Unsure if the server was lost so late that the transaction may have been committed."""
        with self._lock, dialect.translated_errors(self._engine, self.file):
            is_new = self._writer is None
            if self._writer is None:
                self._writer = self._engine.connect().execution_options(**{dialect.WRITES: True})
            transaction = None
            try:
                with self._writer.begin():
                    for name in self._held if is_new else ():
                        dialect.take_lock(self._writer, name)
                    yield self._writer
                    transaction = dialect.transaction(self._writer)
            except BaseException as error:
                self._drop_writer()  # it may be lost, or interrupted anywhere: the next transaction has a new one
                if transaction is not None and isinstance(error, DBAPIError):
                    said = " ".join(str(error.orig).split())
                    raise Unsure(f"the database does not answer: {said}", transaction) from error
                raise

    def committed(self, transaction: str) -> bool | None:
        """Whether the transaction of an `Unsure` is on the disk; None if the server does not say it yet."""
        try:
            with self.reading() as connection:
                return dialect.committed(connection, transaction)
        except Busy:
            return None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection to read from; all its queries see the same state of the database (one snapshot)."""
        with dialect.translated_errors(self._engine, self.file), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def holding(self, name: str) -> Iterator[None]:
        """Holds the server's lock of that name; Busy if another process has it. A file has no server and no such lock.

        The session that writes has it. If that connection is lost, the next transaction takes the lock again before it
        writes anything, and is Busy as long as another process has it."""
        if self.file is not None:
            yield
            return
        with self.writing() as connection:
            dialect.take_lock(connection, name)
        self._held.append(name)
        try:
            yield
        finally:
            self._held.remove(name)
            with suppress(DatabaseError), self.writing() as connection:
                dialect.release_lock(connection, name)

    def _drop_writer(self) -> None:
        """Ends the session that writes."""
        writer, self._writer = self._writer, None
        if writer is not None:
            if self._held and not writer.closed:
                writer.invalidate()  # the server ends the session, which has the locks
            writer.close()

    def close(self) -> None:
        """Close all connections."""
        self._drop_writer()
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


__all__ = ["Connection", "Database"]


class Database(Connections):
    """One open database, migrated to this program's revision."""

    def __init__(self, where: str | None = None, *, create: bool = True, read_only: bool = False) -> None:
        """`where` is a path or a URL (default: ARENA_DB, else arena.db). Without `create` the file must exist."""
        self.address = dialect.url(where)
        file = dialect.file_of(self.address)
        if file is not None and not file.exists() and (read_only or not create):
            raise NotFound(
                f"there is no database {file}; change to the folder where you played, or give its path with --db"
            )
        if file is not None and file.is_dir():
            raise DatabaseError(f"expected a database file, but {file} is a folder")
        if file is not None and not read_only:
            with suppress(OSError):  # it is there, or SQLite says why it cannot be made
                os.close(private.new_file(file.resolve()))
        super().__init__(dialect.engine(self.address, VIEWS, read_only=read_only), file)
        # The backup that was made of an older file before its tables were migrated.
        self.copied: Path | None = None
        try:
            with dialect.translated_errors(self._engine, self.file):
                with self._engine.connect() as connection:
                    dialect.refuse_executable_schema(connection, TABLES, EXPRESSIONS, self.file)
                if read_only:
                    check(self._engine, self.file)
                else:
                    self.copied = bring_up_to_date(self._engine, self.file)
            self._unpack_bundle(read_only)
        except BaseException:
            self.close()
            raise

    def _unpack_bundle(self, read_only: bool) -> None:
        """Unpack the sources of a bundle into the store beside it, if that was not done yet."""
        if self.file is None:
            return
        with self.reading() as connection:
            if not games.is_bundle(connection) or bundles.is_unpacked(connection, self.file):
                return
        if read_only:
            with Database(str(self.file)):
                return
        with self.writing() as connection:
            bundles.unpack(connection, self.file)


# Creates the tables of a new database, and migrates an older database with Alembic, after making a backup of it.


REVISION: Final = "0013"
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
