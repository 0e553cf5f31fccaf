"""What differs between SQLite and PostgreSQL: the engine, locks, SQLite's PRAGMAs, errors, and read-only queries.

A transaction that writes gets the database's write lock or waits for it: in SQLite by BEGIN IMMEDIATE (`busy_timeout`),
in PostgreSQL by an advisory lock (`lock_timeout`). One that only reads sees one snapshot. A committed game is on the
disk when `commit` returns (`synchronous = FULL`).
"""

from __future__ import annotations

import logging
import os
import re
import sqlite3
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, CursorResult, Engine, Table, create_engine, event, func, insert, select, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import QueuePool, StaticPool

from db.errors import Busy, DatabaseError, DiskFull, NoDriver, NotADatabase
from db.sources import MOST_BYTES

DEFAULT_FILE: Final = "arena.db"
_POSTGRESQL: Final = "postgresql"
POSTGRESQL_ACCOUNTS: Final = "arena_accounts"
"""The schema of the accounts, which are a file of their own in SQLite."""
_TRANSACTION: Final = "transaction"
WRITES: Final = "writes"
"""Name of the execution option that marks a connection as one that writes."""
BUSY_TIMEOUT: Final = 10_000
"""How long SQLite waits for a locked file, in milliseconds."""
_MAX_VALUE_BYTES: Final = 2 * MOST_BYTES
"""The largest value or row that SQLite accepts, in bytes. The largest ones are files of submissions in a bundle."""
_SUPER_JOURNAL_END: Final = bytes.fromhex("d9d505f920a163d7")
"""The end of a journal that names a super-journal: https://www.sqlite.org/fileformat2.html#the_rollback_journal"""
_EXPRESSION_KEYWORD: Final = re.compile(r"\b(?:check|default|where)\b", re.IGNORECASE)
"""The keywords that start an expression in the SQL of a table or an index."""
_PASSWORD: Final = re.compile(r"(?<=//)([^:@]*):.*@")
"""User and password in a URL."""
_REFUSED: Final = re.compile(
    r"FATAL: +(.*(?:does not exist|authentication failed|no password supplied|no pg_hba\.conf entry|permi).*)"
)
"""What a PostgreSQL server says when it refuses a connection, and will refuse the next one too; there is no code."""
_RETRY_INTERVAL: Final = 0.005
"""Time between two attempts to switch to WAL, in seconds."""
_LOCK_TIMEOUT: Final = 1000
"""How long a session waits for a lock that it keeps, in milliseconds: a process that was killed has it for a moment."""
_CONNECTION_CHECK_INTERVAL: Final = 1000
"""How often PostgreSQL checks that the client of a running query is still connected, in milliseconds."""


def url(where: str | None) -> URL:
    """The URL for `where` (a path or a URL). Default: ARENA_DB, else arena.db in the working directory."""
    text = (os.environ.get("ARENA_DB") or DEFAULT_FILE) if where is None else where
    if "://" not in text and text.strip():
        return URL.create("sqlite", database=str(Path(text).expanduser()))
    if text.startswith("postgres://"):  # as libpq, and with it psql, has it too
        text = text.replace("postgres", _POSTGRESQL, 1)
    with suppress(SQLAlchemyError, ValueError):
        if (address := make_url(text)).get_backend_name() in ("sqlite", _POSTGRESQL):
            return address
    shown = _PASSWORD.sub(r"\1:***@", text)
    raise DatabaseError(f"expected a database file, or a URL such as postgresql://arena@host:5432/cs101, got {shown!r}")


def file_of(address: URL) -> Path | None:
    """The file of an SQLite database; None for other databases."""
    if address.get_backend_name() != "sqlite" or not address.database or address.database == ":memory:":
        return None
    return Path(address.database)


def engine(address: URL, views: Mapping[str, str], *, read_only: bool = False) -> Engine:
    """The SQLAlchemy engine for `address`. With `read_only` its connections cannot write.

    `views`: name -> SELECT. In SQLite each connection creates them as temporary views. SQLite looks for temporary views
    first, so a view or table of the same name in the file is not used."""
    if address.get_backend_name() != "sqlite":
        return _engine_of_server(address)
    file = file_of(address)

    def connect() -> sqlite3.Connection:
        if file is None:
            return sqlite3.connect(":memory:", check_same_thread=False)
        _refuse_super_journal(file)
        name = f"{file.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}"
        return sqlite3.connect(name, uri=True, check_same_thread=False, timeout=BUSY_TIMEOUT / 1000)

    # QueuePool: a thread that reads while it writes needs two connections. A database in memory exists in only one
    # connection (StaticPool).
    made = create_engine("sqlite://", creator=connect, poolclass=StaticPool if file is None else QueuePool)

    @event.listens_for(made, "connect")
    def prepare(connection: Any, _: object) -> None:
        connection.isolation_level = None  # `begin` below sends BEGIN; sqlite3 must not
        cursor = connection.cursor()
        cursor.execute("PRAGMA foreign_keys = ON")
        # The file can come from anyone: https://www.sqlite.org/security.html, "Untrusted SQLite Database Files".
        cursor.execute("PRAGMA trusted_schema = OFF")
        cursor.execute("PRAGMA cell_size_check = ON")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
        if read_only:
            cursor.execute("PRAGMA temp_store = MEMORY")  # memory is limited here; temporary files would not be
        for name, query in views.items():
            cursor.execute(f"CREATE TEMP VIEW {name} AS {query}")
        if read_only:
            cursor.execute("PRAGMA query_only = ON")
        else:
            _enable_wal(cursor)
            cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute("PRAGMA cache_size = -65536")
        cursor.close()

    @event.listens_for(made, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return made


def _engine_of_server(address: URL) -> Engine:
    """The SQLAlchemy engine for a database server; NoDriver if its driver package is missing or cannot be imported."""
    backend = address.get_backend_name()
    if address.drivername == _POSTGRESQL:
        address = address.set(drivername=f"{_POSTGRESQL}+psycopg")
    try:
        made = create_engine(address, pool_pre_ping=True)  # a server that was restarted has forgotten the connections
    except ModuleNotFoundError as error:
        extra = "postgres" if error.name == "psycopg" else None
        raise NoDriver(f"a {backend} database needs {error.name}, which is not installed", extra=extra) from None
    except ImportError as error:  # psycopg without its binary part, and no libpq on the system
        extra = "postgres" if backend == _POSTGRESQL else None
        why = str(error).partition("\n")[0]
        raise NoDriver(f"the driver of a {backend} database cannot be imported ({why})", extra=extra) from None
    except SQLAlchemyError as error:
        raise DatabaseError(f"expected a database's file or URL, got {address!r}: {error}") from None
    if backend == _POSTGRESQL:
        logging.getLogger("psycopg").setLevel(logging.CRITICAL)  # what it warns of is an error of ours

        @event.listens_for(made, "begin")
        def begin(connection: Connection) -> None:
            options = connection.get_execution_options()
            if options.get(WRITES, False):
                # The accounts are a schema of their own, and have a lock of their own.
                schema = (options.get("schema_translate_map") or {}).get(None, "")
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = {BUSY_TIMEOUT}")
                locked = connection.exec_driver_sql(
                    f"SELECT pg_current_xact_id()::text, pg_advisory_xact_lock(hashtext('arena writes {schema}'))"
                )
                connection.info[_TRANSACTION] = locked.scalar()
            else:
                connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")

    return made


def transaction(connection: Connection) -> str | None:
    """PostgreSQL's name of the transaction in progress, which writes; None in SQLite."""
    name: str | None = connection.info.get(_TRANSACTION)
    return name


def committed(connection: Connection, transaction: str) -> bool | None:
    """Whether that transaction of PostgreSQL was committed; None if it is in progress."""
    status = connection.execute(text("SELECT pg_xact_status(CAST(:name AS xid8))"), {"name": transaction}).scalar()
    return None if status == "in progress" else status == "committed"


def take_lock(connection: Connection, name: str) -> None:
    """Take the server's lock of that name for the session of `connection`, which has it until `release_lock` or its
    end; Busy if another session has it."""
    if connection.dialect.name == _POSTGRESQL:
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {_LOCK_TIMEOUT}")
        connection.execute(text("SELECT pg_advisory_lock(hashtext(:name))"), {"name": name})
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {BUSY_TIMEOUT}")


def release_lock(connection: Connection, name: str) -> None:
    """Release the lock."""
    if connection.dialect.name == _POSTGRESQL:
        connection.execute(text("SELECT pg_advisory_unlock(hashtext(:name))"), {"name": name})


def _refuse_super_journal(file: Path) -> None:
    """Refuse a journal that names a super-journal. SQLite would delete the file of that name, which can be any file of
    the user's. arena never writes such a journal."""
    journal = f"{os.path.realpath(file)}-journal"  # where SQLite looks for it
    try:
        with open(journal, "rb") as opened:
            opened.seek(max(0, os.fstat(opened.fileno()).st_size - len(_SUPER_JOURNAL_END)))
            names_another = opened.read() == _SUPER_JOURNAL_END
    except OSError:
        return  # there is no journal, or SQLite cannot read it either
    if names_another:
        raise NotADatabase(
            f"{journal} names a super-journal (a transaction over several databases), which arena never writes: the "
            "database is not opened"
        )


def _enable_wal(cursor: sqlite3.Cursor) -> None:
    """Switch to a write-ahead log (WAL). If another program is switching too, SQLite ignores busy_timeout: retry."""
    give_up = time.monotonic() + BUSY_TIMEOUT / 1000
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
            time.sleep(_RETRY_INTERVAL)


def refuse_executable_schema(
    connection: Connection, tables: Collection[str], own: Collection[str], file: Path | None
) -> None:
    """Refuse a database in which reading or writing our `tables` would run SQL that its author put into the schema:
    triggers, views or virtual tables in place of tables, computed columns, and expressions in tables and indexes.

    `own`: the expressions that are ours and so allowed (CHECK constraints, and whole CREATE INDEX statements)."""
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
        if keyword := _EXPRESSION_KEYWORD.search(rest):
            strange = f"{what} with {keyword[0].upper()}"
            break
    if strange is not None:
        raise NotADatabase(
            f"{file or 'the database'}: expected plain tables, got the {strange}, which arena never makes: a file that "
            "runs SQL of its own when it is read is not opened"
        )


def new_id(result: CursorResult[Any]) -> int:
    """The row id of the row that an INSERT has written."""
    key: Any = result.inserted_primary_key
    return int(key[0])


def new_game_ids(connection: Connection, count: int) -> Sequence[int]:
    """The ids of the next `count` games, so that games and their seats can be inserted with one statement each.

    The transaction must be one that writes: then no other program inserts games with the same ids."""
    if connection.dialect.name == "sqlite":
        last = connection.exec_driver_sql("SELECT MAX(id) FROM game").scalar() or 0
        return range(last + 1, last + count + 1)
    next_id = "SELECT nextval(pg_get_serial_sequence('game', 'id')) FROM generate_series(1, :count)"
    return list(connection.execute(text(next_id), {"count": count}).scalars())


def insert_rows(connection: Connection, table: Table, rows: Sequence[Sequence[Any]]) -> None:
    """Insert whole rows, with the values in the order of the columns; on PostgreSQL with COPY, which is much faster."""
    if connection.dialect.name != _POSTGRESQL:
        names = table.columns.keys()
        connection.execute(insert(table), [dict(zip(names, row, strict=True)) for row in rows])
        return
    written = [
        column.type.dialect_impl(connection.dialect).bind_processor(connection.dialect) for column in table.columns
    ]
    driver: Any = connection.connection
    with driver.cursor() as cursor, cursor.copy(f"COPY {_name(connection, table)} FROM STDIN") as out:
        for row in rows:
            out.write_row([value if write is None else write(value) for write, value in zip(written, row, strict=True)])


def _name(connection: Connection, table: Table) -> str:
    """The table's name with its schema."""
    schema = (connection.get_execution_options().get("schema_translate_map") or {}).get(None)
    return f"{schema}.{table.name}" if schema else table.name


def rows_were_copied(connection: Connection, table: Table) -> None:
    """After rows were inserted with their ids: on PostgreSQL the next id follows them, and queries of the table are
    planned for its size."""
    if connection.dialect.name != _POSTGRESQL:
        return
    name = _name(connection, table)
    if "id" in table.columns:
        last = connection.execute(select(func.max(table.columns["id"]))).scalar()
        connection.execute(
            text("SELECT setval(pg_get_serial_sequence(:name, 'id'), :last)"), {"name": name, "last": last}
        )
    connection.exec_driver_sql(f"ANALYZE {name}")


def allow_only_select(connection: Connection, seconds: float) -> None:
    """Restrict `connection` to SELECT: it cannot write, change a setting or open another file.

    PostgreSQL cancels a query one second after `seconds`. A PostgreSQL role with access to the server's files or
    programs, or to the accounts, is a DatabaseError."""
    if connection.dialect.name != "sqlite":
        _allow_only_select_postgresql(connection, seconds)
        return
    driver: Any = connection.connection.driver_connection
    allowed = {
        *(sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE),
        sqlite3.SQLITE_TRANSACTION,  # our own BEGIN and ROLLBACK around the query
    }
    driver.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY)


def _allow_only_select_postgresql(connection: Connection, seconds: float) -> None:
    """The caller runs its query with a server-side cursor, which accepts a single SELECT only."""
    connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    connection.exec_driver_sql(f"SET LOCAL statement_timeout = {int(seconds * 1000) + _CONNECTION_CHECK_INTERVAL}")
    connection.exec_driver_sql(f"SET LOCAL client_connection_check_interval = {_CONNECTION_CHECK_INTERVAL}")
    # After this first query PostgreSQL does not let a read-only transaction become READ WRITE.
    # Other roles see no row of the accounts: their tables have row-level security, without a policy.
    powerful = connection.exec_driver_sql(f"""
        SELECT rolname FROM pg_roles WHERE rolname IN (session_user, current_user) AND (
            rolsuper OR pg_has_role(oid, 'pg_execute_server_program', 'member')
            OR pg_has_role(oid, 'pg_read_server_files', 'member')
            OR pg_has_role(oid, 'pg_write_server_files', 'member')
            OR EXISTS (SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                       WHERE nspname = '{POSTGRESQL_ACCOUNTS}'
                             AND (rolbypassrls OR pg_has_role(pg_roles.oid, relowner, 'member'))))
    """).scalar()
    if powerful is not None:
        raise DatabaseError(
            "expected a PostgreSQL role without access to the server's files and programs, and to the accounts of the "
            f"web pages, got {powerful!r}; create one that can only read: CREATE ROLE reader LOGIN; GRANT "
            "pg_read_all_data TO reader"
        )


@contextmanager
def translated_errors(engine: Engine, file: Path | None) -> Iterator[None]:
    """Raise errors of SQLAlchemy and of the driver from the block as DatabaseError, with a message for users."""
    where = str(file) if file is not None else "the database"
    try:
        yield
    except DBAPIError as error:
        raise _translated(error.orig if error.orig is not None else error, where) from error
    except engine.dialect.loaded_dbapi.Error as error:
        raise _translated(error, where) from error
    except (UnicodeEncodeError, OverflowError) as error:
        raise DatabaseError(f"{where} stores text in UTF-8 and 64-bit integers, got something else: {error}") from error


def _translated(error: BaseException, where: str) -> DatabaseError:
    said = str(error)
    if type(error).__module__.startswith("psycopg"):
        return _of_postgresql(error, where, said)
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return Busy(f"{where} is locked by another program; try again when that program has finished")
        case sqlite3.SQLITE_FULL | sqlite3.SQLITE_IOERR:
            return _disk_full(where, said)
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return NotADatabase(f"{where} is not a database of arena, or it is damaged: {said}")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return DatabaseError(f"{where}: {said}. Does its folder exist, and can you write to it?")
    return DatabaseError(f"{where}: {said}")


def _of_postgresql(error: BaseException, where: str, said: str) -> DatabaseError:
    """https://www.postgresql.org/docs/current/errcodes-appendix.html; no code if the server did not answer."""
    code = getattr(error, "sqlstate", None) or ""
    what, said = said.partition("\n")[0], " ".join(said.split())
    is_lost = not code and any(kind.__name__ == "OperationalError" for kind in type(error).__mro__)
    if code in ("55P03", "40001", "40P01"):
        return Busy(f"{where} is locked by another program; try again when that program has finished")
    if code in ("53100", "58030"):
        return _disk_full(where, said.partition(" HINT: ")[0])
    if is_lost and (refused := _REFUSED.search(what)):
        return DatabaseError(f"{where} cannot be opened: {refused[1]}")
    if is_lost or code[:2] == "08" or code in ("57P01", "57P02", "57P03", "57P05", "25P03", "53300"):
        return Busy(f"{where} does not answer: {what}")
    return DatabaseError(f"{where}: {said}")


def _disk_full(where: str, said: str) -> DiskFull:
    return DiskFull(f"{where} cannot be written: {said}. Free some space on its disk; nothing that was stored is lost")
