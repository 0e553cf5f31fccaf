"""What every command about the record takes: which database, and what lies beside it."""

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


def submissions(database: Database) -> Store:
    """What was entered: the folder "arena.store" beside "arena.db"."""
    from arena.players.submissions import Store
    from db.bundles import store_beside

    return Store(store_beside(database.file))
