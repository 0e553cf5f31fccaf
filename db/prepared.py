"""Statements that are run for every game: SQLAlchemy compiles them once, then the driver runs them.

To execute a statement, SQLAlchemy takes longer than SQLite. Both ways have the same transaction, and the columns' types
convert the values in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Dialect
from sqlalchemy.sql.dml import UpdateBase
from sqlalchemy.types import TypeEngine

from db.columns import StorableText


class _Compiled(Struct, frozen=True):
    """A statement in the SQL of one dialect."""

    sql: str
    by_position: bool
    """Whether the driver takes the values as a tuple; otherwise as a dictionary."""
    values: tuple[tuple[str, int, Callable[[Any], Any] | None], ...]
    """In their order in the SQL: the name of each value, its place in a row, and the function of its column's type that
    converts it, if there is one."""


class Prepared:
    """An INSERT, UPDATE or DELETE, with the names of its values in the order in which a row has them: columns to set,
    and parameters (their names begin with "_")."""

    def __init__(self, statement: UpdateBase, *names: str) -> None:
        self._statement = statement
        self._names = names
        # By the name of the dialect.
        self._compiled: dict[str, _Compiled] = {}

    def run(self, connection: Connection, *rows: tuple[Any, ...]) -> int:
        """Execute the statement once for each row; return the number of rows in the database that were written."""
        compiled = self._compiled.get(connection.dialect.name) or self._compile(connection.dialect)
        # Converted column by column: half the time of row by row.
        columns = list(zip(*rows, strict=True))
        converted = [
            columns[at] if convert is None else map(convert, columns[at]) for _, at, convert in compiled.values
        ]
        values: list[Any] = list(zip(*converted, strict=True))
        if not compiled.by_position:
            values = [dict(zip([name for name, *_ in compiled.values], row, strict=True)) for row in values]
        cursor = connection.connection.cursor()
        if len(values) == 1:
            cursor.execute(compiled.sql, values[0])
        else:
            cursor.executemany(compiled.sql, values)
        return cursor.rowcount

    def _compile(self, dialect: Dialect) -> _Compiled:
        columns = [name for name in self._names if not name.startswith("_")]
        found: Any = self._statement.compile(dialect=dialect, column_keys=columns)
        values = tuple(
            (name, self._names.index(name), _converter(found.binds[name].type, dialect))
            for name in found.positiontup or found.binds
        )
        compiled = _Compiled(found.string, found.positional, values)
        self._compiled[dialect.name] = compiled
        return compiled


def _converter(kind: TypeEngine[Any], dialect: Dialect) -> Callable[[Any], Any] | None:
    if isinstance(kind, StorableText):
        return kind.stored  # what SQLAlchemy calls in the end, after two other functions
    return kind.dialect_impl(dialect).bind_processor(dialect)
