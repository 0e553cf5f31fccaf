"""`arena sql`: the record asked in SQL. Nothing can be written through it."""

from __future__ import annotations

import sys
from contextlib import ExitStack, closing
from itertools import islice
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from arena.cli.asking.record_options import DatabaseOption
from arena.cli.terminal.limits import Patience, at_most_memory
from arena.cli.terminal.listings import FormatOption, OutputFormat, exact_columns, show

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST: Final = 24 * 60 * 60
_MEBIBYTES: Final = 1024
_ROWS: Final = 1000


def sql(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="One query in SQL.")],
    limit: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help=f"Most rows (default {_ROWS:,} in a table; all in CSV and JSON)."),
    ] = None,
    timeout: Annotated[float, typer.Option(metavar="SECONDS", help="Time limit of the query.")] = 60.0,
    format: FormatOption = OutputFormat.TABLE,
    db: DatabaseOption = None,
) -> None:
    """Ask the database anything, in SQL. Nothing can be changed.

    The views v_game, v_seat, v_move, v_standing and v_head_to_head are made to be asked; docs/history.md lists them.

    Example: arena sql "select player, avg(spent) from v_seat group by player"
    """
    from db import plain_sql
    from db.database import Database

    if not 0 < timeout <= _LONGEST:
        raise typer.BadParameter(f"--timeout: expected seconds, more than 0 and at most {_LONGEST}, got {timeout:g}")
    if limit is None and format is OutputFormat.TABLE:
        limit = _ROWS
    late = f"arena: the query took longer than {timeout:g} s; ask for less, or give it longer with --timeout SECONDS"
    with (
        Patience(timeout, late=late) as patience,
        at_most_memory(_MEBIBYTES, advice="ask for fewer rows (--limit N) or for shorter values"),
        Database(db, read_only=True) as database,
        database.reading() as connection,
        ExitStack() as stack,
    ):
        patience.begin()
        titles, found = plain_sql.answer(connection, query, seconds=timeout)
        patience.end()
        titles = _each_once(titles)
        found = stack.enter_context(closing(patience.each(found)))
        rows = (dict(zip(titles, map(_value, row), strict=True)) for row in islice(found, limit))
        show(rows, exact_columns(titles), format=format)
        if limit is not None and next(found, None) is not None:
            every = "; --format csv prints all" if format is OutputFormat.TABLE else ""
            print(f"the first {limit:,} rows; --limit N prints more{every}", file=sys.stderr)


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
