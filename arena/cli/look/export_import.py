"""`arena export` and `import`: the record in files, and from files.

An export holds games that are over. An import is one transaction: all of a file, or nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Final

import typer

from arena.cli.asking.record_options import AllOption, DatabaseOption, TournamentArgument, asked_tournaments, reading
from arena.cli.terminal.files import read_file, whole_file
from arena.history import exchange
from arena.history.exchange import FileFormat

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
        FileFormat, typer.Option("--format", help="csv: results and moves; pgn: and clocks; ndjson: everything.")
    ] = FileFormat.NDJSON,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE|-", help="Where to; - prints it.")] = "-",
    db: DatabaseOption = None,
) -> None:
    """Write the games of a tournament to a file, which `arena import` reads again.

    Example: arena export cs101 --format pgn -o cs101.pgn
    """
    from db import games, lookup

    asked = asked_tournaments([tournament], everything)
    with reading(db) as connection:
        found = lookup.find_tournament(connection, asked[0]) if asked else None
        ids = games.ids(connection, found, every=everything)
        seats = games.most_seats(connection, found)
        with nullcontext(sys.stdout) if output == "-" else whole_file(output) as out:
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
    from db import imports
    from db.database import Database

    text, name = read_file(file, "games or a list of results")
    games = exchange.read(text, name, tournament=tournament)
    with Database(db) as database, database.writing() as connection:
        made = imports.add(connection, games, datetime.now(UTC))
    into = f" of {', '.join(map(repr, made))}" if made else ""
    print(f"{len(games)} games{into} imported", file=sys.stderr)


def _in_portions(connection: Connection, ids: Sequence[int]) -> Iterator[PastGame]:
    from db import games

    for first in range(0, len(ids), _AT_ONCE):
        yield from games.games(connection, ids[first : first + _AT_ONCE], whole=True)
