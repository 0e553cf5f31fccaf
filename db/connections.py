"""The connections to one database: any number that read, and one that writes.

The record and the accounts are both opened this way. A transaction is on the disk when its block has ended; if the
block raises, nothing of it is written. Errors of SQLAlchemy and of the driver are raised as DatabaseError.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Self

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from db import dialect
from db.errors import Busy, DatabaseError, Unsure


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
