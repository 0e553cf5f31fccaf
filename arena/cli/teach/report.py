"""`arena report`: a tournament as a site to publish."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.asking.database import DatabaseOption, reading
from arena.cli.terminal.files import read_file
from arena.history.words import printable


def report(
    tournament: Annotated[str, typer.Argument(metavar="TOURNAMENT", help="Its name.")],
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A new or empty folder, or an earlier report to replace.")
    ],
    roster: Annotated[
        str | None,
        typer.Option(metavar="FILE.csv", help="Show aliases: a roster with the columns id, name, group, alias."),
    ] = None,
    games: Annotated[bool, typer.Option("--games/--no-games", help="A page for each game, to step through.")] = True,
    db: DatabaseOption = None,
) -> None:
    """Write a site to publish: standings, who beat whom, each agent, every game.

    Open DIR/index.html, or copy DIR to any web server; it needs no network. Nothing
    that agents printed or said is in it, and with a roster nobody's name.

    Example: arena report cs101 site --roster roster.csv
    """
    from arena.course import report as reports
    from arena.course import roster as rosters
    from arena.course import site
    from arena.course.publishing import published
    from arena.play import cores
    from db import lookup

    began = time.monotonic()
    known = None if roster is None else rosters.read(*read_file(roster, "a roster"))
    with published(folder) as begun:
        with reading(db) as connection:
            found = lookup.find_tournament(connection, tournament)
            told, names = reports.gather(connection, found, known, now=datetime.now(UTC))
        try:
            with _progress(len(told.meetings) if games else 0) as done:
                # Games in progress have clocks: one process does not disturb them.
                processes = 1 if told.status == "running" else cores.count()
                site.write(told, names, begun, database=db, games=games, processes=processes, done=done)
        except KeyboardInterrupt:
            print("interrupted; nothing was written", file=sys.stderr)
            raise
    count = f"{len(told.agents)} agents, {len(told.meetings):,} games" + " (without their pages)" * (not games)
    if told.status != "finished":
        print(
            f"{printable(tournament)} is {told.status}: {told.over} of {told.planned} games are over", file=sys.stderr
        )
    print(f"written: {folder / 'index.html'} ({count}, {time.monotonic() - began:.1f} s)")


@contextmanager
def _progress(games: int) -> Iterator[Callable[[int], None]]:
    """How far it is, on a terminal."""
    if not games or not sys.stderr.isatty():
        yield lambda _: None
        return

    def show(done: int) -> None:
        print(f"\r{done:,} of {games:,} games", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
