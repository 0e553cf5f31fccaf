"""`arena course bundle`: writes one agent's games and sources into a file for its author."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.asking.course_options import RosterOption, course_of, roster_of
from arena.cli.asking.record_options import DatabaseOption, submissions


def bundle(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="Agent whose games to write.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="New file, such as alice.arena.")],
    tournament: Annotated[
        str | None,
        typer.Option(metavar="TOURNAMENT|FILE.toml", help="Only the games of this tournament, or its description."),
    ] = None,
    roster: RosterOption = None,
    db: DatabaseOption = None,
) -> None:
    """Bundle one agent's games, logs, versions and sources into a file for its author.

    The file is a database: every command opens it with --db FILE. Opponents appear only with names, moves, clocks and
    results, without their sources, output and memory use. The seed of a running tournament is left out.

    Example: arena course bundle mcts mcts.arena --tournament demo

    Example: arena replay last --db mcts.arena
    """
    from arena.course import bundle as bundles
    from arena.history.words import printable, without_store
    from db import lookup
    from db.database import Database

    name, course = (None, None) if tournament is None else course_of(tournament)
    known = roster_of(roster, course)
    with Database(db, create=False) as database, database.reading() as connection:
        found = None if name is None else lookup.find_tournament(connection, name)
        written = bundles.write(
            connection, submissions(database), agent, file, now=datetime.now(UTC), tournament=found, roster=known
        )
    for reason in written.missing:
        print(f"left out: {without_store(printable(reason))}", file=sys.stderr)
    for package in written.needed:
        print(printable(f"to replay its games, install {package}"))
    size = file.stat().st_size / 1024
    what = f"{written.games:,} game{'s' * (written.games != 1)} of {agent}"
    sources = f"{written.sources} source{'s' * (written.sources != 1)}"
    print(printable(f"{file}: {what}, {sources} ({size:,.0f} KiB)"))
    print(printable(f"to open it: arena results history --db {file}"))
