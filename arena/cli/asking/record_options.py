"""Which database, which tournament, which game: arguments of all commands about the record; how it is opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from arena.players.submissions import Store
    from arena.tournament.standings import TournamentStandings
    from db.database import Connection, Database

DatabaseOption = Annotated[
    str | None,
    typer.Option("--db", metavar="PATH|URL", help="The database. Usual: ARENA_DB, else arena.db in this folder."),
]
TournamentArgument = Annotated[
    str | None, typer.Argument(metavar="TOURNAMENT", help="Its name. Usual: the one that was made last.")
]
TrustOption = Annotated[
    bool,
    typer.Option(
        "--trust-rules",
        help="Run the record's rules (in debug also its agent) even if they are not yours.",
    ),
]
"""Nothing else in a command loads rules or agents that are not this user's own."""
AllOption = Annotated[bool, typer.Option("--all", help="All games on record, whatever the tournament.")]
GameIdArgument = Annotated[
    str, typer.Argument(metavar="ID", help="A game: its id, 'last', or tournament and number such as cs101-812.")
]


@contextmanager
def reading(db: str | None) -> Iterator[Connection]:
    """A connection that reads the database, which must be there."""
    from db.database import Database

    with Database(db, create=False) as database, database.reading() as connection:
        yield connection


def asked_tournaments(
    names: Sequence[str | None], everything: bool, *, what: str = "a tournament"
) -> Sequence[str | None]:
    """The tournaments that a command is about: the last one (None) if nobody named one, none of them with --all."""
    if everything and any(name is not None for name in names):
        raise typer.BadParameter(f"expected {what} or --all, got both")
    return () if everything else names


def read_standings(connection: Connection, tournaments: Sequence[str | None]) -> TournamentStandings:
    """The standings of the tournament, or of all games on record."""
    from arena.tournament.standings import standings
    from db import lookup

    return standings(connection, lookup.find_tournament(connection, tournaments[0]) if tournaments else None)


def submissions(database: Database) -> Store:
    """What was entered: the folder "arena.store" beside "arena.db"."""
    from arena.players.submissions import Store
    from db.bundles import store_beside

    return Store(store_beside(database.file))
