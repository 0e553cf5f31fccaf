"""Values of another type than their column's, which SQLite stores all the same: text where a number should be.

What reads games asks here first, so that what is shown as a number is one. PostgreSQL keeps the types itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct
from sqlalchemy import JSON, BindParameter, Connection, Float, Integer, Table, TextClause, bindparam, text

from db.errors import DatabaseError
from db.schema import Base

_WITH_GAMES: Final = ("game", "seat", "ruling", "move")
"""The tables of which each row belongs to a game; the last is by far the longest."""


class WrongType(Struct, frozen=True):
    """A value of another type than its column's."""

    table: str
    column: str
    row: Any
    """The id of the game that it belongs to; of the row where it belongs to none."""

    @property
    def of_game(self) -> bool:
        """Whether it belongs to a game."""
        return self.table in _WITH_GAMES

    @property
    def reason(self) -> str:
        """What is wrong, for people."""
        return f"expected a value of its column's type in {self.table}.{self.column}"


def refuse(connection: Connection, games: Sequence[int], *, whole: bool) -> None:
    """DatabaseError where something about these games has a wrong type; `whole`: in their moves too."""
    if connection.dialect.name != "sqlite":
        return
    for table in _WITH_GAMES if whole else _WITH_GAMES[:-1]:
        found = connection.execute(_OF_GAMES[table], {"games": list(games)}).first()
        if found is not None:
            wrong = WrongType(table, found[1], found[0])
            raise DatabaseError(f"game {wrong.row}: {wrong.reason}; `arena db verify` lists all such values")


def every(connection: Connection) -> list[WrongType]:
    """All values of a wrong type; of each column one a game."""
    if connection.dialect.name != "sqlite":
        return []
    return [
        WrongType(table.name, column, row)
        for table in Base.metadata.sorted_tables
        for row, column in connection.execute(text(_query(table)))
    ]


def _key(table: Table) -> str:
    return "game" if table.name in _WITH_GAMES[1:] else "id"


def _query(table: Table) -> str:
    tests = {column.name: test for column in table.columns if (test := _test(column.name, column.type)) is not None}
    cases = " ".join(f"WHEN {test} THEN '{name}'" for name, test in tests.items())
    return f"SELECT DISTINCT {_key(table)}, CASE {cases} END FROM {table.name} WHERE ({' OR '.join(tests.values())})"


def _test(name: str, kind: Any) -> str | None:
    """The condition that a value is of another type. SQLite orders numbers before texts before bytes."""
    if isinstance(kind, Integer):
        return f'"{name}" | 0 <> "{name}"'
    if isinstance(kind, Float):
        return f"\"{name}\" >= ''"
    return None if isinstance(getattr(kind, "impl", kind), JSON) else f"\"{name}\" >= x''"


def _of_games(table: Table) -> TextClause:
    among: BindParameter[int] = bindparam("games", expanding=True)
    return text(f"{_query(table)} AND {_key(table)} IN :games LIMIT 1").bindparams(among)


_OF_GAMES: Final = {name: _of_games(Base.metadata.tables[name]) for name in _WITH_GAMES}
