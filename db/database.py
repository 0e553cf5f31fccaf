"""Opens the database: a command creates one `Database`, then reads and writes through its connections.

Errors of SQLAlchemy and SQLite are raised as DatabaseError. A transaction is on the disk when its block has ended; if
the block raises, nothing of it is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy import Connection

from db import bundles, dialect, games, upgrade
from db.errors import DatabaseError, NotFound
from db.schema import EXPRESSIONS, TABLES, VIEWS

__all__ = ["Connection", "Database"]


class Database:
    """One open database, migrated to this program's revision."""

    def __init__(self, where: str | None = None, *, create: bool = True, read_only: bool = False) -> None:
        """`where` is a path or a URL (default: ARENA_DB, else arena.db). Without `create` the file must exist."""
        self.address = dialect.url(where)
        self.file: Path | None = dialect.file_of(self.address)
        if self.file is not None and not self.file.exists() and (read_only or not create):
            raise NotFound(
                f"there is no database {self.file}; change to the folder where you played, or give its path with --db"
            )
        if self.file is not None and self.file.is_dir():
            raise DatabaseError(f"expected a database file, but {self.file} is a folder")
        self._engine = dialect.engine(self.address, VIEWS, read_only=read_only)
        # Kept open: SQLAlchemy's pool takes longer to give out a connection than SQLite for an empty transaction.
        self._writer: Connection | None = None
        # The backup that was made of an older file before its tables were migrated.
        self.copied: Path | None = None
        try:
            with dialect.translated_errors(self._engine, self.file):
                with self._engine.connect() as connection:
                    dialect.refuse_executable_schema(connection, TABLES, EXPRESSIONS, self.file)
                if read_only:
                    upgrade.check(self._engine, self.file)
                else:
                    self.copied = upgrade.bring_up_to_date(self._engine, self.file)
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

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that writes; committed at the end of the block."""
        with dialect.translated_errors(self._engine, self.file):
            if self._writer is None:
                self._writer = self._engine.connect().execution_options(**{dialect.WRITES: True})
            try:
                with self._writer.begin():
                    yield self._writer
            except BaseException:
                self._drop_writer()  # it may be lost, or interrupted anywhere: the next transaction has a new one
                raise

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection to read from; all its queries see the same state of the database (one snapshot)."""
        with dialect.translated_errors(self._engine, self.file), self._engine.connect() as connection:
            yield connection

    def _drop_writer(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()

    def close(self) -> None:
        """Close all connections."""
        self._drop_writer()
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
