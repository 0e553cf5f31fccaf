"""The connections to one database: any number that read, and one that writes.

The record and the accounts are both opened this way. A transaction is on the disk when its block has ended; if the
block raises, nothing of it is written. Errors of SQLAlchemy and of the driver are raised as DatabaseError.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Self

from sqlalchemy import Connection, Engine

from db import dialect


class Connections:
    """One open database."""

    def __init__(self, engine: Engine, file: Path | None) -> None:
        self._engine = engine
        self.file = file
        # Kept open: SQLAlchemy's pool takes longer to give out a connection than SQLite for an empty transaction.
        self._writer: Connection | None = None
        self._lock = RLock()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that writes; committed at the end of the block. Another thread waits until then."""
        with self._lock, dialect.translated_errors(self._engine, self.file):
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
