"""`arena bundle`: one agent's games and sources as one file, for its author."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.asking.record_options import DatabaseOption, submissions
from arena.cli.terminal.files import read_file


def bundle(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="Whose games.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file, such as alice.arena.")],
    tournament: Annotated[str | None, typer.Option(metavar="NAME", help="The games of this tournament alone.")] = None,
    roster: Annotated[
        str | None,
        typer.Option(metavar="FILE.csv", help="Call everybody by the alias: a roster with id, name, group, alias."),
    ] = None,
    db: DatabaseOption = None,
) -> None:
    """Write one agent's games, logs, versions and sources into one file, which every command opens with --db.

    Of opponents there is what anybody sees: names, moves, clocks and results. What they wrote, thought and used, and
    their sources, are left out. As long as a tournament goes on, so is its seed.

    Example: arena bundle alice alice.arena --tournament cs101

    Example: arena replay last --db alice.arena
    """
    from arena.course import bundle as bundles
    from arena.course import roster as rosters
    from arena.history.words import printable, without_store
    from db import lookup
    from db.database import Database

    known = None if roster is None else rosters.read(*read_file(roster, "a roster"))
    with Database(db, create=False) as database, database.reading() as connection:
        found = None if tournament is None else lookup.find_tournament(connection, tournament)
        written = bundles.write(
            connection, submissions(database), agent, file, now=datetime.now(UTC), tournament=found, roster=known
        )
    for reason in written.missing:
        print(f"left out: {without_store(printable(reason))}", file=sys.stderr)
    size = file.stat().st_size / 1024
    what = f"{written.games:,} game{'s' * (written.games != 1)} of {agent}"
    sources = f"{written.sources} source{'s' * (written.sources != 1)}"
    print(printable(f"{file}: {what}, {sources} ({size:,.0f} KiB)"))
    print(printable(f"open it anywhere: arena history --db {file}"))
