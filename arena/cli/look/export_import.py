"""`arena data export` and `import`: write games to files, and read games from files.

An export has only games that are over. An import is one transaction: all games of the file, or none.
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
"""Number of games in memory at a time."""


def export(
    tournament: TournamentArgument = None,
    everything: AllOption = False,
    form: Annotated[
        FileFormat,
        typer.Option(
            "--format",
            help="File format. csv: results and moves; pgn: clocks too, standard PGN for chess; sgf: games of Go; "
            "ndjson: everything.",
        ),
    ] = FileFormat.NDJSON,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE|-", help="File to write; - is standard output.")
    ] = "-",
    db: DatabaseOption = None,
) -> None:
    """Export the games of a tournament to a file: CSV, PGN, SGF or NDJSON.

    `arena data import` can read each of these formats again.

    Example: arena data export demo --format pgn -o demo.pgn
    """
    from db import games, lookup

    asked = asked_tournaments([tournament], everything)
    with reading(db) as connection:
        found = lookup.find_tournament(connection, asked[0]) if asked else None
        ids = games.ids(connection, found, every=everything)
        seats = games.most_seats(connection, found)
        with nullcontext(sys.stdout) if output == "-" else whole_file(output) as out:
            count = exchange.write(_in_portions(connection, ids), form, out, most_seats=seats)
    print(f"{_number(count)} exported", file=sys.stderr)


def import_games(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="Export of games, SGF file, or CSV list of results.")],
    tournament: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of a new tournament for the games.")
    ] = None,
    db: DatabaseOption = None,
) -> None:
    """Import games from a file into the database: all games of the file, or none if one is invalid.

    The file was written by `arena data export`, or is a list of results, or an SGF file with games of Go. Each line of
    a list has the round, the first player, the second player and the result (1-0, 0-1, 1/2-1/2 or points):
    1,alice,bob,1-0

    Example: arena data import results.csv --tournament club-2026
    """
    from db import imports
    from db.database import Database

    text, name = read_file(file, "games or a list of results")
    games = exchange.read(text, name, tournament=tournament)
    with Database(db) as database, database.writing() as connection:
        made = imports.add(connection, games, datetime.now(UTC))
    into = f" of {', '.join(map(repr, made))}" if made else ""
    print(f"{_number(len(games))}{into} imported", file=sys.stderr)


def _number(count: int) -> str:
    return f"{count} game" + "s" * (count != 1)


def _in_portions(connection: Connection, ids: Sequence[int]) -> Iterator[PastGame]:
    from db import games

    for first in range(0, len(ids), _AT_ONCE):
        yield from games.games(connection, ids[first : first + _AT_ONCE], whole=True)
