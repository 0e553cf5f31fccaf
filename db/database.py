"""Opens the database: a command creates one `Database`, then reads and writes through its connections.

It is migrated to this program's revision first. The accounts are not in it: `db/accounts_database.py` opens those.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from sqlalchemy import Connection

from db import bundles, dialect, games, private, upgrade
from db.connections import Connections
from db.errors import DatabaseError, NotFound
from db.schema import EXPRESSIONS, TABLES, VIEWS

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
