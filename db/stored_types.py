"""Finds values of the wrong type, such as text in a column of numbers: SQLite stores them, PostgreSQL refuses them.

Everything that reads games calls `check` first, so that a field declared as a number is a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct
from sqlalchemy import JSON, BindParameter, Connection, Float, Integer, Table, TextClause, bindparam, text

from db.errors import DatabaseError
from db.schema import METADATA

_WITH_GAMES: Final = ("game", "seat", "ruling")
_WITH_PLIES: Final = ("move", "analysis")
"""Tables with a row for each ply of a game; they are by far the largest."""
_OF_A_GAME: Final = (*_WITH_GAMES, *_WITH_PLIES)


class WrongType(Struct, frozen=True):
    """A value whose type is not its column's type."""

    table: str
    column: str
    row: Any
    """The id of the value's game; if the table is not about games, the id of the row."""

    @property
    def of_game(self) -> bool:
        """Whether the value belongs to a game."""
        return self.table in _OF_A_GAME

    @property
    def reason(self) -> str:
        """What is wrong, for messages."""
        return f"the value of {self.table}.{self.column} does not have its column's type"


def check(connection: Connection, games: Sequence[int], *, whole: bool) -> None:
    """Raise DatabaseError if a value of these games has the wrong type; `whole`: check their plies too."""
    if connection.dialect.name != "sqlite":
        return
    for table in _OF_A_GAME if whole else _WITH_GAMES:
        found = connection.execute(_OF_GAMES[table], {"games": list(games)}).first()
        if found is not None:
            wrong = WrongType(table, found[1], found[0])
            raise DatabaseError(f"game {wrong.row}: {wrong.reason}; `arena data verify` lists all such values")


def find_all(connection: Connection) -> list[WrongType]:
    """All values of the wrong type; at most one per column and game."""
    if connection.dialect.name != "sqlite":
        return []
    return [
        WrongType(table.name, column, row)
        for table in METADATA.sorted_tables
        for row, column in connection.execute(text(_query(table)))
    ]


def _key(table: Table) -> str:
    return "game" if table.name in _OF_A_GAME[1:] else "id"


def _query(table: Table) -> str:
    tests = {column.name: test for column in table.columns if (test := _test(column.name, column.type)) is not None}
    cases = " ".join(f"WHEN {test} THEN '{name}'" for name, test in tests.items())
    return f"SELECT DISTINCT {_key(table)}, CASE {cases} END FROM {table.name} WHERE ({' OR '.join(tests.values())})"


def _test(name: str, kind: Any) -> str | None:
    """The SQL condition for a value of the wrong type. SQLite sorts numbers before texts before bytes."""
    if isinstance(kind, Integer):
        return f'"{name}" | 0 <> "{name}"'
    if isinstance(kind, Float):
        return f"\"{name}\" >= ''"
    return None if isinstance(getattr(kind, "impl", kind), JSON) else f"\"{name}\" >= x''"


def _of_games(table: Table) -> TextClause:
    among: BindParameter[int] = bindparam("games", expanding=True)
    return text(f"{_query(table)} AND {_key(table)} IN :games LIMIT 1").bindparams(among)


_OF_GAMES: Final = {name: _of_games(METADATA.tables[name]) for name in _OF_A_GAME}
