"""`arena sql`: the record asked in SQL. Nothing can be written through it."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.asking.record_options import DatabaseOption
from arena.cli.terminal.listings import FormatOption, OutputFormat, exact_columns, show

if TYPE_CHECKING:
    from collections.abc import Sequence


def sql(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="One query in SQL.")],
    format: FormatOption = OutputFormat.TABLE,
    db: DatabaseOption = None,
) -> None:
    """Ask the database anything, in SQL. Nothing can be changed.

    The views v_game, v_seat, v_move, v_standing and v_head_to_head are made to be asked; docs/history.md lists them.

    Example: arena sql "select player, avg(spent) from v_seat group by player"
    """
    from db import plain_sql
    from db.database import Database

    with Database(db, read_only=True) as database, database.reading() as connection:
        titles, found = plain_sql.answer(connection, query)
    titles = _each_once(titles)
    rows = [dict(zip(titles, map(_value, row), strict=True)) for row in found]
    show(rows, exact_columns(titles), format=format)


def _each_once(titles: Sequence[str]) -> list[str]:
    """The titles, each made different from those before it."""
    found: list[str] = []
    for title in titles:
        number, name = 2, title
        while name in found:
            name, number = f"{title}_{number}", number + 1
        found.append(name)
    return found


def _value(value: Any) -> Any:
    """A value as JSON holds it."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and not isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else str(value)
