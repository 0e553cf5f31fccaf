"""`arena course report`: writes a website about a tournament."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from arena.cli.asking.course_options import CourseArgument, RosterOption, course_of, roster_of
from arena.cli.asking.record_options import DatabaseOption, TrustOption, reading
from arena.cli.terminal import notes

if TYPE_CHECKING:
    from arena.results.report import ListedGame


def report(
    tournament: CourseArgument,
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="New or empty folder, or an earlier report to replace.")
    ],
    roster: RosterOption = None,
    games: Annotated[
        GamesShown | None,
        typer.Option(
            help="Games with a page to step through; lost: only those lost by a fault, such as time or a crash.",
            show_default="all; lost if there are more than 10,000",
        ),
    ] = None,
    no_games: Annotated[bool, typer.Option("--no-games", help="Same as --games none.")] = False,
    trust_rules: TrustOption = False,
    db: DatabaseOption = None,
) -> None:
    """Write a website (HTML report) about a tournament: standings, crosstable, agents, games.

    Open DIR/index.html, or copy DIR to any web server; the pages need no network. The site does not include the output
    of agents. With a roster, aliases replace the names of students.

    Example: arena course report cs101.toml site

    Example: arena course report cs101 site --roster roster.csv

    Example: arena course report cs101 site --games lost
    """
    from arena.course.output_folder import REPORT, replacing
    from arena.course.report import gather, write_site
    from arena.history.recorded_rules import why_untrusted
    from arena.history.words import counted, printable, without_store
    from arena.play import cores
    from db import games as record
    from db import lookup

    began = time.monotonic()
    if no_games and games not in (None, GamesShown.NONE):
        raise typer.BadParameter(f"expected --games {games} or --no-games, got both")
    name, course = course_of(tournament)
    known = roster_of(roster, course)
    try:
        with replacing(folder, REPORT) as begun, notes.temporary_line() as show_progress:
            show_progress("reading the games")
            with reading(db) as connection:
                found = lookup.find_tournament(connection, name)
                gathered, names = gather(connection, found, known, now=datetime.now(UTC))
                which = GamesShown.NONE if no_games else games or default(gathered.games)
                replays = chosen(gathered.games, which)
                first = record.games(connection, [game.id for game in replays[:1]])
            show_progress("writing the pages")
            total = counted(len(replays), "game")
            # While games are played, use one process only: more would take processor time from their clocks.
            processes = 1 if gathered.status == "running" else cores.count()
            write_site(
                gathered,
                names,
                begun,
                database=db,
                replays=replays,
                processes=processes,
                trust=trust_rules,
                done=lambda count: show_progress(f"{count:,} of {total}"),
            )
    except KeyboardInterrupt:
        print("interrupted; no report was written", file=sys.stderr)
        raise
    if not trust_rules and (untrusted := "".join(map(why_untrusted, first))):
        print(f"the pages have no boards: {printable(without_store(untrusted))}", file=sys.stderr)
    if games is None and which is GamesShown.LOST:
        why = f"there are more than {MOST:,} games, so only those lost by a fault have a page"
        print(f"{why}; --games all writes all", file=sys.stderr)
    count = f"{counted(len(gathered.agents), 'agent')}, {counted(gathered.over, 'game')}"
    if which is not GamesShown.ALL:
        count += f", {counted(len(replays), 'page')} of games"
    if gathered.status != "finished":
        over = f"{gathered.over:,} of {gathered.planned:,} games are over"
        print(f"{printable(name)} is {gathered.status}: {over}", file=sys.stderr)
    print(f"written: {folder / 'index.html'} ({count}, {time.monotonic() - began:.1f} s)")


# Chooses the games that have a page of their own in a report, to step through.


MOST: Final = 10_000
"""With more games, not all of them have a page by default."""


class GamesShown(StrEnum):
    """Which games have a page."""

    ALL = "all"
    LOST = "lost"
    """Those that were played and that an agent lost by a fault: out of time, an illegal move, a crash and so on."""
    NONE = "none"


def default(games: Sequence[ListedGame]) -> GamesShown:
    """The default for these games."""
    return GamesShown.ALL if len(games) <= MOST else GamesShown.LOST


def chosen(games: Sequence[ListedGame], which: GamesShown) -> list[ListedGame]:
    """Those of these games that have a page."""
    match which:
        case GamesShown.ALL:
            return list(games)
        case GamesShown.LOST:
            return [game for game in games if game.fault is not None and not game.forfeited]
        case GamesShown.NONE:
            return []
