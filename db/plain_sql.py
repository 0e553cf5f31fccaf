"""Runs a query that a user wrote in SQL (`arena data sql`)."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from typing import Any, Final

from sqlalchemy import Connection, CursorResult
from sqlalchemy.exc import DBAPIError

from db import dialect
from db.errors import DatabaseError

_ROWS_AHEAD: Final = 100
"""Rows that PostgreSQL sends in one batch, so that a result of any length needs little memory."""


def answer(connection: Connection, sql: str, *, seconds: float = 60.0) -> tuple[list[str], Generator[list[Any]]]:
    """The query's column names and its rows (lazily). The query cannot write.

    PostgreSQL cancels it one second after `seconds`; with SQLite, which runs in this process, the caller has to."""
    try:
        dialect.allow_only_select(connection, seconds)
        asking = connection.execution_options(stream_results=True, max_row_buffer=_ROWS_AHEAD, no_parameters=True)
        result = asking.exec_driver_sql(sql)
        if not result.returns_rows:
            raise DatabaseError("expected a query that returns rows, such as: select * from v_game limit 5")
        return list(result.keys()), _rows(result)
    except DBAPIError as error:
        raise _translated(error) from None


def _rows(result: CursorResult[Any]) -> Generator[list[Any]]:
    try:
        for row in result:
            yield list(row)
    except DBAPIError as error:
        raise _translated(error) from None
    finally:
        result.close()


def _translated(error: DBAPIError) -> DatabaseError:
    # For PostgreSQL only the primary message: the rest quotes the query inside our own DECLARE CURSOR.
    diagnosis = getattr(error.orig, "diag", None)
    said = " ".join(str(getattr(diagnosis, "message_primary", None) or error.orig or error).split())
    if getattr(error.orig, "sqlite_errorcode", 0) == sqlite3.SQLITE_AUTH:
        said += ": only SELECT from this database is allowed"
    return DatabaseError(f"the query failed: {said}")
