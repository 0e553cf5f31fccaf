"""The database: opened once by a command, it hands out transactions to write in and connections to read from.

Whatever goes wrong with the file comes out as a DatabaseError in words. What a transaction wrote is on the disk when
its block has been left; where the block fails nothing of it is.
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
    """One database, up to date."""

    def __init__(self, where: str | None = None, *, create: bool = True, read_only: bool = False) -> None:
        """`where` is a path or a URL, by default ARENA_DB or arena.db. Without `create` it must be there already."""
        self.address = dialect.url(where)
        self.file: Path | None = dialect.file_of(self.address)
        if self.file is not None and not self.file.exists() and (read_only or not create):
            raise NotFound(f"there is no database {self.file}; go to the folder where you played, or name it with --db")
        if self.file is not None and self.file.is_dir():
            raise DatabaseError(f"expected a database's file, {self.file} is a folder")
        self._engine = dialect.engine(self.address, VIEWS, read_only=read_only)
        # Where the older file was copied to, if it had to be changed.
        self.copied: Path | None = None
        try:
            with dialect.told_in_words(self.file):
                with self._engine.connect() as connection:
                    dialect.refuse_code_in_it(connection, TABLES, EXPRESSIONS, self.file)
                if read_only:
                    upgrade.check(self._engine, self.file)
                else:
                    self.copied = upgrade.bring_up_to_date(self._engine, self.file)
            self._settle_bundle(read_only)
        except BaseException:
            self.close()
            raise

    def _settle_bundle(self, read_only: bool) -> None:
        """What came in one file is put where commands look for it."""
        if self.file is None:
            return
        with self.reading() as connection:
            if not games.is_bundle(connection) or bundles.is_settled(connection, self.file):
                return
        if read_only:
            with Database(str(self.file)):
                return
        with self.writing() as connection:
            bundles.settle(connection, self.file)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is committed at the end of the block."""
        with (
            dialect.told_in_words(self.file),
            self._engine.connect() as plain,
            plain.execution_options(**{dialect.WRITES: True}) as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection on which everything read is of one moment."""
        with dialect.told_in_words(self.file), self._engine.connect() as connection:
            yield connection

    def close(self) -> None:
        """Lets go of the file."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
