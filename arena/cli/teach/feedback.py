"""`arena course feedback` and `bundle`: what the author of an agent gets: why it lost and what to do next, and the
agent's games in a file.
"""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.asking.course_options import CourseArgument, RosterOption, course_of, roster_of
from arena.cli.asking.record_options import DatabaseOption, TrustOption, reading, submissions
from arena.cli.terminal import notes


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
    from arena.history.words import printable, time_left, without_store
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
