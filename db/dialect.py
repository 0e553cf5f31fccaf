"""What is SQLite's own: opening a file, its settings, its errors in words. Of PostgreSQL's: how a query is kept from
writing.

A transaction that writes begins with BEGIN IMMEDIATE, so that it either has the file or waits for it; a committed game
has reached the disk when `commit` returns.
"""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import QueuePool, StaticPool

from db.errors import Busy, DatabaseError, DiskFull, NotADatabase
from db.sources import MOST_BYTES

USUAL_FILE: Final = "arena.db"
WRITES: Final = "writes"
"""The execution option of a connection that is going to write."""
WAIT: Final = 10_000
"""Milliseconds for which a locked file is waited for."""
_LONGEST: Final = 2 * MOST_BYTES
"""Bytes of a value or a row: the largest that there is holds a file of a submission."""
_OF_SEVERAL: Final = bytes.fromhex("d9d505f920a163d7")
"""With which a journal ends that names another: https://www.sqlite.org/fileformat2.html#the_rollback_journal."""
_COMPUTES: Final = re.compile(r"\b(?:check|default|where)\b", re.IGNORECASE)
"""What begins an expression in the SQL of a table or an index."""
_LOOKS_EVERY: Final = 0.005
"""Seconds."""
_CHECK_EVERY: Final = 1000
"""Milliseconds. A server looks so often whether the program that asked is still there."""


def url(where: str | None) -> URL:
    """The address that `where` (a path or a URL) names; without it ARENA_DB, or arena.db in the working directory."""
    text = where or os.environ.get("ARENA_DB") or USUAL_FILE
    if "://" in text:
        try:
            return make_url(text)
        except SQLAlchemyError as error:
            raise DatabaseError(f"expected a database's file or URL, got {text!r}: {error}") from None
    return URL.create("sqlite", database=str(Path(text).expanduser()))


def file_of(address: URL) -> Path | None:
    """The file of an SQLite database; None for other databases."""
    if address.get_backend_name() != "sqlite" or not address.database or address.database == ":memory:":
        return None
    return Path(address.database)


def engine(address: URL, views: Mapping[str, str], *, read_only: bool = False) -> Engine:
    """Connections to the database at `address`. With `read_only` nothing can be written through them.

    `views`: view -> its query. In SQLite each connection has them for itself, whatever the file holds under that name:
    temporary views are found first."""
    if address.get_backend_name() != "sqlite":
        return create_engine(address)
    file = file_of(address)

    def connect() -> sqlite3.Connection:
        if file is None:
            return sqlite3.connect(":memory:", check_same_thread=False)
        _refuse_journal_of_several(file)
        name = f"{file.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}"
        return sqlite3.connect(name, uri=True, check_same_thread=False, timeout=WAIT / 1000)

    # Whoever reads while the same thread writes needs a connection apart; one in memory is the only one there is.
    made = create_engine("sqlite://", creator=connect, poolclass=StaticPool if file is None else QueuePool)

    @event.listens_for(made, "connect")
    def prepare(connection: Any, _: object) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {WAIT}")
        cursor.execute("PRAGMA foreign_keys = ON")
        # The file may be a stranger's: https://www.sqlite.org/security.html, "Untrusted SQLite Database Files".
        cursor.execute("PRAGMA trusted_schema = OFF")
        cursor.execute("PRAGMA cell_size_check = ON")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        if read_only:
            cursor.execute("PRAGMA temp_store = MEMORY")  # not on the disk, which nobody limits
        for name, query in views.items():
            cursor.execute(f"CREATE TEMP VIEW {name} AS {query}")
        if read_only:
            cursor.execute("PRAGMA query_only = ON")
        else:
            _journal_ahead(cursor)
            cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute("PRAGMA cache_size = -65536")
        cursor.close()

    @event.listens_for(made, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return made


def _refuse_journal_of_several(file: Path) -> None:
    """Refuses a journal that names another one, which SQLite would delete: any file of the user's. We write none."""
    journal = f"{os.path.realpath(file)}-journal"  # where SQLite looks for it
    try:
        with open(journal, "rb") as opened:
            opened.seek(max(0, os.fstat(opened.fileno()).st_size - len(_OF_SEVERAL)))
            names_another = opened.read() == _OF_SEVERAL
    except OSError:
        return  # there is none, or SQLite cannot read it either
    if names_another:
        raise NotADatabase(f"{journal} is a journal of several databases, which arena never makes: nothing is opened")


def _journal_ahead(cursor: sqlite3.Cursor) -> None:
    """Has the file journal ahead (WAL). SQLite itself does not wait here where another is just doing the same."""
    give_up = time.monotonic() + WAIT / 1000
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
            time.sleep(_LOOKS_EVERY)


def refuse_code_in_it(connection: Connection, tables: Collection[str], own: Collection[str], file: Path | None) -> None:
    """Refuses a database in which reading or writing our `tables` would compute what somebody else has put there:
    triggers, views and virtual tables in place of tables, computed columns, and expressions in tables and indexes.

    `own`: the expressions that are ours: constraints as tables have them, and indexes as they are made."""
    if connection.dialect.name != "sqlite":
        return
    ours = f"IN ({', '.join(repr(table) for table in tables)})"
    plain = f"(SELECT name FROM sqlite_master WHERE type = 'table' AND lower(name) {ours}) AS it"
    strange = connection.exec_driver_sql(
        "SELECT type || ' ' || name FROM sqlite_master WHERE type = 'trigger' "
        f"OR (lower(name) {ours} AND (type = 'view' OR type = 'table' AND rootpage = 0)) UNION ALL "
        f"SELECT 'computed column ' || it.name || '.' || col.name FROM {plain}, pragma_table_xinfo(it.name) AS col "
        "WHERE col.hidden > 0 UNION ALL "
        f"SELECT 'index ' || list.name || ' of an expression' FROM {plain}, pragma_index_list(it.name) AS list, "
        "pragma_index_xinfo(list.name) AS part WHERE part.cid = -2 LIMIT 1"
    ).scalar()
    made = connection.exec_driver_sql(
        f"SELECT type || ' ' || name, sql FROM sqlite_master WHERE sql IS NOT NULL AND lower(tbl_name) {ours}"
    )
    for what, sql in made.all() if strange is None else ():
        rest = "" if sql in own else sql
        for expression in own if what.startswith("table") else ():
            rest = rest.replace(expression, " ")
        if computes := _COMPUTES.search(rest):
            strange = f"{what} with {computes[0].upper()}"
            break
    if strange is not None:
        raise NotADatabase(
            f"{file or 'the database'}: expected plain tables, got the {strange}, which arena never makes: a file that "
            "computes when it is read is not opened"
        )


def only_read(connection: Connection, seconds: float) -> None:
    """From now on `connection` answers queries and does nothing else: no other file is opened, no setting changed.

    PostgreSQL gives up a query a second after `seconds`, and refuses a role that may do more than use its databases."""
    if connection.dialect.name != "sqlite":
        _only_read_postgresql(connection, seconds)
        return
    driver: Any = connection.connection.driver_connection
    allowed = {
        *(sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE),
        sqlite3.SQLITE_TRANSACTION,  # our own BEGIN and ROLLBACK around the query
    }
    driver.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY)


def _only_read_postgresql(connection: Connection, seconds: float) -> None:
    """The query is then run by a cursor of the server's, which takes one SELECT and no other statement."""
    connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    connection.exec_driver_sql(f"SET LOCAL statement_timeout = {int(seconds * 1000) + _CHECK_EVERY}")
    connection.exec_driver_sql(f"SET LOCAL client_connection_check_interval = {_CHECK_EVERY}")
    # This first query also fixes the transaction: from here on nothing makes it one that writes.
    powerful = connection.exec_driver_sql("""
        SELECT rolname FROM pg_roles WHERE rolname IN (session_user, current_user) AND (
            rolsuper OR pg_has_role(oid, 'pg_execute_server_program', 'member')
            OR pg_has_role(oid, 'pg_read_server_files', 'member')
            OR pg_has_role(oid, 'pg_write_server_files', 'member'))
    """).scalar()
    if powerful is not None:
        raise DatabaseError(
            f"expected a role that may use neither files nor programs of the server, got {powerful!r}, whose queries "
            "may do more than read the record; make one: CREATE ROLE reader LOGIN; GRANT pg_read_all_data TO reader"
        )


@contextmanager
def told_in_words(file: Path | None) -> Iterator[None]:
    """What goes wrong inside with the database comes out as an error of ours."""
    where = str(file) if file is not None else "the database"
    try:
        yield
    except DBAPIError as error:
        raise _in_words(error.orig if error.orig is not None else error, where) from error
    except sqlite3.Error as error:
        raise _in_words(error, where) from error
    except (UnicodeEncodeError, OverflowError) as error:
        raise DatabaseError(
            f"{where} holds text in UTF-8 and numbers of 64 bits, got something else: {error}"
        ) from error


def _in_words(error: BaseException, where: str) -> DatabaseError:
    said = str(error)
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return Busy(f"{where} is locked by another program; try again when it is done")
        case sqlite3.SQLITE_FULL | sqlite3.SQLITE_IOERR:
            return DiskFull(
                f"{where} cannot be written: {said}. Make room on its disk; nothing that was stored is lost"
            )
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return NotADatabase(f"{where} is no database of arena, or is damaged: {said}")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return DatabaseError(f"{where}: {said}. Is its folder there, and may you write to it?")
    return DatabaseError(f"{where}: {said}")
