"""The tables of accounts, and how their database is opened: a second file beside the record, or a second schema of its
PostgreSQL database.

It lies beside the record, so that a copy of the record has no accounts.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from sqlalchemy import ColumnElement, Connection, ForeignKey, Index, MetaData, insert, inspect, select

from db import columns, database, dialect, private
from db.database import Connections
from db.errors import DatabaseError, NotADatabase, NotFound

_ENDING: Final = "-accounts.db"


class AccountsDatabase(Connections):
    """The accounts of one record."""

    def __init__(self, where: str | None = None, *, create: bool = True) -> None:
        """`where` is the path or URL of the record (default: ARENA_DB, else arena.db). Without `create` the accounts
        must exist."""
        address = dialect.url(where)
        record = dialect.file_of(address)
        file = None if record is None else file_beside(record)
        if file is not None:
            if not create and not file.exists():
                raise _no_accounts()
            _make_private(file)
            address = address.set(database=str(file))
        engine = dialect.engine(address, {})
        self._schema = None if engine.dialect.name == "sqlite" else dialect.POSTGRESQL_ACCOUNTS
        if self._schema is not None:
            engine = engine.execution_options(schema_translate_map={None: self._schema})
        super().__init__(engine, file)
        try:
            with self.reading() as connection:
                dialect.refuse_executable_schema(connection, TABLES, (), file)
                there = self._revision(connection)
            if there is None:
                if not create:
                    raise _no_accounts()
                self._make_tables()
        except BaseException:
            self.close()
            raise

    def _revision(self, connection: Connection) -> str | None:
        """REVISION; None if there are no tables yet. Of any other database a DatabaseError."""
        tables = set(inspect(connection).get_table_names(self._schema))
        if not tables:
            return None
        if Accounts.__table__.name not in tables:
            found = ", ".join(sorted(tables)[:5])
            raise NotADatabase(f"{self.file or 'the database'}: expected accounts of arena, got other tables ({found})")
        there = str(connection.execute(select(Accounts.revision)).scalar_one())
        if there != REVISION:
            raise database.newer(there, REVISION, self.file)
        return there

    def _make_tables(self) -> None:
        with self.writing() as connection:
            if self._schema is not None:
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock(hashtext('{self._schema}'))")
                connection.exec_driver_sql(f"CREATE SCHEMA IF NOT EXISTS {self._schema}")
            # Again under the lock: another program may have made them since.
            if self._revision(connection) is not None:
                return
            METADATA.create_all(connection, checkfirst=False)
            for table in TABLES if self._schema is not None else ():
                # Only the owner of the tables sees rows, not a role that may read all data of the server.
                connection.exec_driver_sql(f"ALTER TABLE {self._schema}.{table} ENABLE ROW LEVEL SECURITY")
            connection.execute(insert(Accounts).values(revision=REVISION, address=""))


def file_beside(record: Path) -> Path:
    """The file of the accounts for the file of a record: "arena-accounts.db" for "arena.db"."""
    return record.with_name(f"{record.name.removesuffix('.db')}{_ENDING}")


def _no_accounts() -> NotFound:
    return NotFound("nobody was invited yet, so there are no accounts: `arena course invite` makes them")


def _make_private(file: Path) -> None:
    """Create the file if it does not exist; DatabaseError if others may read or write it.

    SQLite gives the mode of the file to its write-ahead log too."""
    try:
        with suppress(FileExistsError):
            os.close(private.new_file(file))
        mode, is_open = stat.S_IMODE(file.stat().st_mode), private.is_open(file)
    except OSError as error:
        raise DatabaseError(f"{file}: {error.strerror}. Does its folder exist, and can you write to it?") from None
    if is_open:
        raise DatabaseError(
            f"expected accounts that only their owner can read, got the mode {mode:03o}: chmod 600 {file}"
        )


# The tables of the accounts: people, and the keys by which they are known to the web pages.


REVISION: Final = "0001"
"""The revision of this program's tables."""
METADATA: Final = MetaData()


class _Rows(columns.Rows, metadata=METADATA):
    """Base class of all tables."""


class Accounts(_Rows):
    """One row about the database itself."""

    revision: ColumnElement[str] = columns.text()
    address: ColumnElement[str] = columns.text()
    """How the beginning of a link to the web pages is written; empty: not known."""


class Account(_Rows):
    """A person."""

    _about = (Index("account_by_ladder", "ladder", "author"),)

    id: ColumnElement[int] = columns.number(primary_key=True)
    ladder: ColumnElement[str] = columns.text()
    """Whose student it is; empty for instructors, who see all ladders."""
    role: ColumnElement[str] = columns.text()
    author: ColumnElement[str] = columns.text()
    name: ColumnElement[str] = columns.text()
    student: ColumnElement[str] = columns.text()
    active: ColumnElement[int] = columns.number()
    created: ColumnElement[str] = columns.text()


class Invitation(_Rows):
    """A link that was made for an account."""

    id: ColumnElement[int] = columns.number(primary_key=True)
    account: ColumnElement[int] = columns.number(ForeignKey("account.id"), index=True)
    hash: ColumnElement[str] = columns.text(unique=True)
    made: ColumnElement[str] = columns.text()
    expires: ColumnElement[str] = columns.text()
    used: ColumnElement[str | None] = columns.text(nullable=True)


class Session(_Rows):
    """One browser in which somebody has signed in."""

    id: ColumnElement[int] = columns.number(primary_key=True)
    account: ColumnElement[int] = columns.number(ForeignKey("account.id"), index=True)
    hash: ColumnElement[str] = columns.text(unique=True)
    started: ColumnElement[str] = columns.text()
    seen: ColumnElement[str] = columns.text()
    """When it was last used, to within a few minutes."""
    ended: ColumnElement[str | None] = columns.text(nullable=True)


class Token(_Rows):
    """A key with which a program acts for an account."""

    id: ColumnElement[int] = columns.number(primary_key=True)
    account: ColumnElement[int] = columns.number(ForeignKey("account.id"), index=True)
    hash: ColumnElement[str] = columns.text(unique=True)
    label: ColumnElement[str] = columns.text()
    made: ColumnElement[str] = columns.text()
    seen: ColumnElement[str | None] = columns.text(nullable=True)
    revoked: ColumnElement[str | None] = columns.text(nullable=True)


class Audit(_Rows):
    """One act: who did what, when and from where."""

    id: ColumnElement[int] = columns.number(primary_key=True)
    time: ColumnElement[str] = columns.text()
    account: ColumnElement[int | None] = columns.number(ForeignKey("account.id"), nullable=True)
    """Null: a command on this machine."""
    what: ColumnElement[str] = columns.text()
    about: ColumnElement[str] = columns.text()
    address: ColumnElement[str] = columns.text()


TABLES: Final = (*METADATA.tables,)
