"""Only `db.dialect` uses what SQLite alone has: all other SQL runs on PostgreSQL too, and errors are translated."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable

from db import dialect
from db.database import Database
from db.errors import Busy, DatabaseError, DiskFull, NotADatabase
from db.schema import METADATA, VIEWS

IN_MEMORY = dialect.engine(dialect.url(":memory:"), {})


@pytest.mark.parametrize("table", METADATA.sorted_tables, ids=lambda table: table.name)
def test_every_table_can_be_made_in_postgresql(table: object) -> None:
    made = str(CreateTable(table).compile(dialect=postgresql.dialect()))  # type: ignore[arg-type, no-untyped-call]
    for index in table.indexes:  # type: ignore[attr-defined]
        made += str(CreateIndex(index).compile(dialect=postgresql.dialect()))  # type: ignore[no-untyped-call]
    assert "WITHOUT ROWID" not in made
    assert "INTEGER" not in made, "whole numbers have 64 bits"


@pytest.mark.parametrize("view", VIEWS)
def test_views_use_nothing_that_only_sqlite_has(view: str) -> None:
    query = VIEWS[view].lower()
    own = (
        "ifnull",
        "group_concat",
        "rowid",
        "json_",
        "strftime",
        "datetime(",
        "glob ",
        "total(",
        "iif(",
        "==",
        "printf",
    )
    assert not [word for word in own if word in query]
    assert set(re.findall('"(.*?)"', query)) <= {"left", "current"}, "a text stands in single quotes"


@pytest.mark.parametrize(
    ("where", "file"),
    [("a.db", "a.db"), ("sqlite:///a.db", "a.db"), ("sqlite:////tmp/a.db", "/tmp/a.db"), (":memory:", None)],
)
def test_a_path_or_a_url_names_a_file(where: str, file: str | None) -> None:
    found = dialect.file_of(dialect.url(where))
    assert found == (None if file is None else Path(file))


def test_another_database_has_no_file() -> None:
    address = dialect.url("postgresql://arena@db.example/cs101")
    assert dialect.file_of(address) is None
    assert dialect.url("postgres://arena@db.example/cs101") == address


@pytest.mark.parametrize(
    ("where", "shown"),
    [
        ("://x", "://x"),
        ("", ""),
        (" ", " "),
        ("postgresql://arena:secret@host:port/x", "postgresql://arena:***@host:port/x"),
        ("mysql://arena@host/x", "mysql://arena@host/x"),
        ("postgresqll://host/x", "postgresqll://host/x"),
    ],
)
def test_a_malformed_url_is_a_readable_error(where: str, shown: str) -> None:
    with pytest.raises(DatabaseError, match=rf"expected a database file, or a URL .*, got '{re.escape(shown)}'"):
        dialect.url(where)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_BUSY, Busy),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, Busy),
        (sqlite3.SQLITE_LOCKED, Busy),
        (sqlite3.SQLITE_FULL, DiskFull),
        (sqlite3.SQLITE_IOERR_WRITE, DiskFull),
        (sqlite3.SQLITE_IOERR_FSYNC, DiskFull),
        (sqlite3.SQLITE_NOTADB, NotADatabase),
        (sqlite3.SQLITE_CORRUPT_INDEX, NotADatabase),
        (sqlite3.SQLITE_READONLY_DIRECTORY, DatabaseError),
        (sqlite3.SQLITE_CANTOPEN, DatabaseError),
        (sqlite3.SQLITE_CONSTRAINT_UNIQUE, DatabaseError),
    ],
)
def test_every_sqlite_error_has_its_class(code: int, kind: type[DatabaseError]) -> None:
    error = sqlite3.OperationalError("it failed")
    error.sqlite_errorcode = code
    with pytest.raises(DatabaseError, match=r"a\.db") as told, dialect.translated_errors(IN_MEMORY, Path("a.db")):
        raise error
    assert type(told.value) is kind


def test_a_mistake_in_a_query_is_not_taken_for_a_locked_file() -> None:
    with (
        pytest.raises(DatabaseError, match="no such column: locked") as told,
        dialect.translated_errors(IN_MEMORY, None),
        closing(sqlite3.connect(":memory:")) as memory,
    ):
        memory.execute("SELECT locked")
    assert type(told.value) is DatabaseError


def test_a_file_is_opened_as_untrusted(tmp_path: Path) -> None:
    """https://www.sqlite.org/security.html"""
    with Database(str(tmp_path / "arena.db")) as database, database.reading() as connection:
        for setting, value in (("trusted_schema", 0), ("cell_size_check", 1), ("mmap_size", 0)):
            assert connection.exec_driver_sql(f"PRAGMA {setting}").scalar() == value
        with pytest.raises(DatabaseError), dialect.translated_errors(IN_MEMORY, None):
            connection.exec_driver_sql("SELECT LENGTH(zeroblob(900000000))")
