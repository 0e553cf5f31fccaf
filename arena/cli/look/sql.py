"""`arena data sql`: queries the database in SQL, read-only."""

from __future__ import annotations

import sys
from contextlib import ExitStack, closing
from dataclasses import replace
from itertools import islice
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from arena.cli.asking.record_options import DatabaseOption
from arena.cli.terminal.limits import TimeLimit, memory_limit
from arena.cli.terminal.listings import Shown, listed, show
from arena.results.columns import fields

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST: Final = 24 * 60 * 60
"""Largest --timeout, in seconds."""
_MEBIBYTES: Final = 1024
"""Memory limit of a query."""
_ROWS: Final = 1000
"""Default number of rows in a table."""


@listed(without=("limit",))
def sql(
    shown: Shown,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="One SQL query.")],
    limit: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Largest number of rows.",
            show_default=f"{_ROWS:,} in a table; all in CSV and JSON",
        ),
    ] = None,
    timeout: Annotated[float, typer.Option(metavar="SECONDS", help="Time limit of the query.")] = 60.0,
    db: DatabaseOption = None,
) -> None:
    """Query the database in SQL, read-only.

    Use the views v_game, v_seat, v_move, v_analysis, v_standing, v_head_to_head, v_submission and v_rating;
    `arena docs reference` lists their columns.

    Example: arena data sql "select player, avg(spent) from v_seat group by player"
    """
    from db import plain_sql
    from db.database import Database

    if not 0 < timeout <= _LONGEST:
        raise typer.BadParameter(f"--timeout: expected seconds, more than 0 and at most {_LONGEST}, got {timeout:g}")
    if limit is None and shown.is_table:
        limit = _ROWS
    late = f"arena: the query took longer than {timeout:g} s; select fewer rows, or use --timeout SECONDS"
    with (
        TimeLimit(timeout, late=late) as time_limit,
        memory_limit(_MEBIBYTES, advice="select fewer rows (--limit N) or shorter values"),
        Database(db, read_only=True) as database,
        database.reading() as connection,
        ExitStack() as stack,
    ):
        time_limit.begin()
        titles, found = plain_sql.answer(connection, query, seconds=timeout)
        time_limit.end()
        titles = _each_once(titles)
        stack.enter_context(closing(found))  # before its connection, also after Ctrl-C
        found = stack.enter_context(closing(time_limit.each(found)))
        rows = (dict(zip(titles, map(_value, row), strict=True)) for row in islice(found, limit))
        show(rows, [replace(one, text=one.in_csv) for one in fields(titles)], shown)  # with all digits
        if limit is not None and next(found, None) is not None:
            every = "; --format csv prints all" if shown.is_table else ""
            print(f"only the first {limit:,} rows; --limit N prints more{every}", file=sys.stderr)


def _each_once(titles: Sequence[str]) -> list[str]:
    """The titles, with a number added to repeated ones."""
    found: list[str] = []
    for title in titles:
        number, name = 2, title
        while name in found:
            name, number = f"{title}_{number}", number + 1
        found.append(name)
    return found


def _value(value: Any) -> Any:
    """A value as it is printed in JSON."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and not isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else str(value)
