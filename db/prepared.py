"""Statements that are run for every game: SQLAlchemy compiles them once, then the driver runs them.

To execute a statement, SQLAlchemy takes longer than SQLite. Both ways have the same transaction, and the columns' types
convert the values in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Dialect
from sqlalchemy.sql.dml import UpdateBase


class _Compiled(Struct, frozen=True):
    """A statement in the SQL of one dialect."""

    sql: str
    by_position: bool
    """Whether the driver takes the values as a tuple; otherwise as a dictionary."""
    values: dict[str, Callable[[Any], Any] | None]
    """The names of the values, in their order in the SQL; each with the function of its column's type that converts
    it, if there is one."""


class Prepared:
    """An INSERT, UPDATE or DELETE, with the names of its values."""

    def __init__(self, statement: UpdateBase, *names: str) -> None:
        self._statement = statement
        self._names = names
        # By the name of the dialect.
        self._compiled: dict[str, _Compiled] = {}

    def run(self, connection: Connection, *rows: Mapping[str, Any]) -> int:
        """Execute the statement once for each row; return the number of rows in the database that were written."""
        compiled = self._compiled.get(connection.dialect.name) or self._compile(connection.dialect)
        parts = compiled.values.items()
        if compiled.by_position:
            values: list[Any] = [
                tuple([row[name] if bind is None else bind(row[name]) for name, bind in parts]) for row in rows
            ]
        else:
            values = [{name: row[name] if bind is None else bind(row[name]) for name, bind in parts} for row in rows]
        cursor = connection.connection.cursor()
        if len(values) == 1:
            cursor.execute(compiled.sql, values[0])
        else:
            cursor.executemany(compiled.sql, values)
        return cursor.rowcount

    def _compile(self, dialect: Dialect) -> _Compiled:
        found: Any = self._statement.compile(dialect=dialect, column_keys=self._names)
        binds = {name: bind.type.dialect_impl(dialect).bind_processor(dialect) for name, bind in found.binds.items()}
        compiled = _Compiled(
            found.string, found.positional, {name: binds[name] for name in found.positiontup or found.binds}
        )
        self._compiled[dialect.name] = compiled
        return compiled
