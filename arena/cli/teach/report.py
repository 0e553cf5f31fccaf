"""`arena course report`, `feedback` and `bundle`: what is written of a tournament: a website for everyone, and for each
author why an agent lost and its games in a file.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from arena.cli.asking.record_options import (
    CourseArgument,
    DatabaseOption,
    RosterOption,
    TrustOption,
    course_of,
    reading,
    roster_of,
    submissions,
)
from arena.cli.terminal import notes
from arena.history.words import counted, printable, time_left, without_store

if TYPE_CHECKING:
    from arena.results.report import ListedGame


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


# `arena course feedback`: tells the author of each agent why it lost, and what to do next.


def feedback(
    tournament: CourseArgument,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="New or empty folder, or earlier feedback to replace.")],
    roster: RosterOption = None,
    trust_rules: TrustOption = False,
    db: DatabaseOption = None,
) -> None:
    """Write private feedback for the author of each agent: why it lost, and what to type next.

    DIR has a folder for each agent with a page (index.html), the same as text (feedback.txt) and a bundle of its games
    for the commands on the page. DIR/mail.csv has a line for each student, with address and text, for mail merge.
    Opponents have their public names. DIR is private: only you can read it, and it must not be inside a report.

    Example: arena course feedback cs101.toml feedback

    Example: arena course feedback cs101 feedback --roster roster.csv
    """
    from arena.course.feedback.write import MAIL, Shared, without_agent, write_feedback
    from arena.course.output_folder import FEEDBACK, replacing
    from arena.course.report import gather
    from arena.history.recorded_rules import why_untrusted
    from arena.play import cores
    from arena.tournament import collected_file
    from db import games as record
    from db import lookup

    began = time.monotonic()
    name, course = course_of(tournament)
    known = roster_of(roster, course)
    files = [] if course is None else collected_file.named_in(course.file)
    refused = [one for file in files for one in collected_file.read_refused(file)]
    with replacing(folder, FEEDBACK) as begun:
        try:
            with notes.temporary_line() as show_progress, reading(db) as connection:
                found = lookup.find_tournament(connection, name)
                gathered, names = gather(connection, found, known, now=datetime.now(UTC))
                first = record.games(connection, [game.id for game in gathered.games[:1]])

                moments: list[float] = []

                def show(done: int, total: int) -> None:
                    moments.append(time.monotonic())
                    # The first agent took longer, because the processes had to start.
                    left = time_left(done - 1, total - 1, moments[-1] - moments[0])
                    show_progress(", ".join(filter(None, (f"{done} of {total} agents", left))))

                letters = write_feedback(
                    connection,
                    Shared(
                        report=gathered,
                        names=names,
                        folder=str(begun),
                        tournament=found,
                        roster=known,
                        trust=trust_rules,
                        refused=refused,
                    ),
                    database=db,
                    # While games are played, use one process only: more would take processor time from their clocks.
                    processes=1 if gathered.status == "running" else cores.count(),
                    done=show,
                )
        except KeyboardInterrupt:
            print("interrupted; no feedback was written", file=sys.stderr)
            raise
    if not trust_rules and (why := "".join(map(why_untrusted, first))):
        print(f"the pages have no boards and name no mistakes: {printable(without_store(why))}", file=sys.stderr)
    if gathered.status != "finished":
        over = f"{gathered.over} of {gathered.planned} games are over"
        print(f"{printable(name)} is {gathered.status}: {over}", file=sys.stderr)
    for letter in letters:
        for reason in letter.left_out:
            print(printable(f"left out of {letter.bundle}: {without_store(reason)}"), file=sys.stderr)
    seconds = time.monotonic() - began
    print(f"written: {folder} ({len(letters)} agents, {seconds:.1f} s); it is private")
    if known is None:
        print(f"{folder / MAIL} has no addresses: add --roster FILE")
    else:
        missing = without_agent(letters, known)
        without = f", {missing} of them without an agent" if missing else ""
        print(f"to send it: {folder / MAIL} ({len(known.students)} students{without})")


# `arena course bundle`: writes one agent's games and sources into a file for its author.


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
