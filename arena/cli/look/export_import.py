"""`arena export`, `import` and `sql`: the record in files, from files, and asked in SQL.

An export holds games that are over. An import is one transaction: all of a file, or nothing. Through `sql` nothing can
be written.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TextIO

import typer

from arena.cli.asking.database import AllOption, DatabaseOption, TournamentArgument
from arena.cli.terminal.files import read_file
from arena.cli.terminal.tables import Columns, Format, FormatOption, show
from arena.history.exchange import Form

if TYPE_CHECKING:
    from collections.abc import Sequence

    from db.database import Connection
    from db.records import PastGame

_AT_ONCE: Final = 200
"""So many games are in memory at once."""


def export(
    tournament: TournamentArgument = None,
    everything: AllOption = False,
    form: Annotated[
        Form, typer.Option("--format", help="csv: results and moves; pgn: and clocks; ndjson: everything.")
    ] = Form.NDJSON,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE|-", help="Where to; - prints it.")] = "-",
    db: DatabaseOption = None,
) -> None:
    """Write the games of a tournament to a file, which `arena import` reads again.

    Example: arena export cs101 --format pgn -o cs101.pgn
    """
    from arena.history import exchange
    from db import games, lookup
    from db.database import Database

    if everything and tournament is not None:
        raise typer.BadParameter("expected a tournament or --all, got both")
    with Database(db, create=False) as database, database.reading() as connection:
        found = None if everything else lookup.find_tournament(connection, tournament)
        ids = games.ids(connection, found, every=everything)
        seats = games.most_seats(connection, found)
        with _written(output) as out:
            count = exchange.write(_in_portions(connection, ids), form, out, most_seats=seats)
    print(f"{count} games exported", file=sys.stderr)


def import_games(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="What `arena export` wrote, or a list of results.")],
    tournament: Annotated[
        str | None, typer.Option(metavar="NAME", help="Make them games of a new tournament called so.")
    ] = None,
    db: DatabaseOption = None,
) -> None:
    """Bring games that were played elsewhere into the database: all of a file, or nothing.

    A list of results has lines such as 1,alice,bob,1-0 (round, first, second, result: 1-0, 0-1, 1/2-1/2 or points).

    Example: arena import cs101.ndjson --tournament cs101-again
    """
    from arena.history import exchange
    from db import imports
    from db.database import Database

    text, name = read_file(file, "games or a list of results")
    games = exchange.read(text, name, tournament=tournament)
    with Database(db) as database, database.writing() as connection:
        made = imports.add(connection, games, datetime.now(UTC))
    into = f" of {', '.join(map(repr, made))}" if made else ""
    print(f"{len(games)} games{into} imported", file=sys.stderr)


def ask(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="One query in SQL.")],
    format: FormatOption = Format.TABLE,
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
    columns: Columns = {title: _cell(title) for title in titles}
    show(rows, columns, format=format)


@contextmanager
def _written(output: str) -> Iterator[TextIO]:
    """Where an export goes; a file is there when all of it has been written, or not at all."""
    if output == "-":
        yield sys.stdout
        return
    begun = Path(f"{output}.part")
    try:
        with begun.open("w", encoding="utf-8", newline="") as out:
            yield out
        os.replace(begun, output)
    finally:
        begun.unlink(missing_ok=True)


def _in_portions(connection: Connection, ids: Sequence[int]) -> Iterator[PastGame]:
    from db import games

    for first in range(0, len(ids), _AT_ONCE):
        yield from games.games(connection, ids[first : first + _AT_ONCE], whole=True)


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


def _cell(title: str) -> Any:
    return lambda row: "" if row[title] is None else str(row[title])
