"""Which database, which tournament, which game: what every command about the record asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from arena.players.submissions import Store
    from db.database import Database

DatabaseOption = Annotated[
    str | None,
    typer.Option("--db", metavar="PATH|URL", help="The database. Usual: ARENA_DB, else arena.db in this folder."),
]
TournamentArgument = Annotated[
    str | None, typer.Argument(metavar="TOURNAMENT", help="Its name. Usual: the one that was made last.")
]
AllOption = Annotated[bool, typer.Option("--all", help="All games on record, whatever the tournament.")]
GameIdArgument = Annotated[
    str, typer.Argument(metavar="ID", help="A game: its id, 'last', or tournament and number such as cs101-812.")
]


def submissions(database: Database) -> Store:
    """What was entered: the folder "arena.store" beside "arena.db"."""
    from arena.players.submissions import Store
    from db.bundles import store_beside

    return Store(store_beside(database.file))
