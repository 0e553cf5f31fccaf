"""Answers a query that a user wrote in SQL (`arena sql`)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import Connection, CursorResult
from sqlalchemy.exc import DBAPIError

from db import dialect
from db.errors import DatabaseError

_ROWS_AHEAD: Final = 100
"""Rows that a server sends at once: an answer of any length takes little memory."""


def answer(connection: Connection, sql: str, *, seconds: float = 60.0) -> tuple[list[str], Iterator[list[Any]]]:
    """The columns of what the query returns, and its rows, which are computed as they are asked for. It cannot write
    anything. A server gives up a little later than after `seconds`; SQLite computes in this process, and does not."""
    try:
        dialect.only_read(connection, seconds)
        asking = connection.execution_options(stream_results=True, max_row_buffer=_ROWS_AHEAD, no_parameters=True)
        result = asking.exec_driver_sql(sql)
        if not result.returns_rows:
            raise DatabaseError("expected a query that answers with rows, such as: select * from v_game limit 5")
        return list(result.keys()), _rows(result)
    except DBAPIError as error:
        raise _in_words(error) from None


def _rows(result: CursorResult[Any]) -> Iterator[list[Any]]:
    try:
        for row in result:
            yield list(row)
    except DBAPIError as error:
        raise _in_words(error) from None
    finally:
        result.close()


def _in_words(error: DBAPIError) -> DatabaseError:
    # Of PostgreSQL's the message alone: what follows shows the query as it was put into ours.
    diagnosis = getattr(error.orig, "diag", None)
    said = " ".join(str(getattr(diagnosis, "message_primary", None) or error.orig or error).split())
    if getattr(error.orig, "sqlite_errorcode", 0) == sqlite3.SQLITE_AUTH:
        said += ": only a SELECT from this database is answered"
    return DatabaseError(f"the query cannot be answered: {said}")
