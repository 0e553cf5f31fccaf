"""Answers a query that a user wrote in SQL (`arena sql`)."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from db import dialect
from db.errors import DatabaseError


def answer(connection: Connection, sql: str) -> tuple[list[str], list[list[Any]]]:
    """The columns and the rows that the query returns. It cannot write anything."""
    dialect.only_read(connection)
    try:
        result = connection.exec_driver_sql(sql)
        if not result.returns_rows:
            raise DatabaseError("expected a query that answers with rows, such as: select * from v_game limit 5")
        return list(result.keys()), [list(row) for row in result]
    except DBAPIError as error:
        raise DatabaseError(f"the query cannot be answered: {' '.join(str(error.orig or error).split())}") from None
