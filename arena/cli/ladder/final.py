"""`arena ladder final`: the tournament that decides a ladder, and how to grade from it.

It only reads the database; `arena serve` plays the final.
"""

from __future__ import annotations

from datetime import UTC, datetime
from shlex import quote
from typing import TYPE_CHECKING

from arena.cli.asking.record_options import DatabaseOption, LadderArgument, submissions
from arena.cli.terminal.listings import Shown, listed
from arena.cli.terminal.standings_table import show_standings, standings_columns
from arena.errors import BadLeague
from arena.history import words
from arena.history.words import printable

if TYPE_CHECKING:
    from pathlib import Path

    from arena.serve.opened import OpenLadder
    from db.database import Connection


@listed(standings_columns)
def final(shown: Shown, name: LadderArgument = None, db: DatabaseOption = None) -> None:
    """Show the final of a ladder: its standings, and how to grade from it.

    The final is a tournament of the versions that play when the ladder is closed. `arena serve` begins it by itself.

    Example: arena ladder final cs101
    """
    from arena.serve.opened import opened
    from arena.tournament.standings import standings
    from db import running
    from db.database import Database

    with Database(db, create=False) as database, database.reading() as connection:
        ladder = opened(connection, name)
        row = running.tournament(connection, ladder.final)
        if row is None:
            raise BadLeague(_not_begun(connection, ladder, submissions(database).folder))
        is_over = row["status"] == "finished"
        over, all = running.counts(connection, row["id"])
        if not is_over:  # later rounds are scheduled when the round before is over
            entered = running.entries(connection, row["id"])
            all = max(all, ladder.ladder.final.format.estimate(len(entered), 2).games)
        found = standings(connection, row["id"])
    if shown.is_table:
        print(printable(f"{ladder.final}: {row['format']}, {over} of {all} games are over, {row['status']}") + "\n")
    show_standings(found, shown)
    if shown.is_table:
        print("\n" + printable(_what_next(ladder, is_over=is_over)))


def state(connection: Connection, ladder: OpenLadder) -> str:
    """The end of a sentence about the ladder: whether its final is over or in progress; empty before it."""
    from db import running

    row = running.tournament(connection, ladder.final)
    if row is None:
        return ""
    is_over = row["status"] == "finished"
    verb = "is over; its results" if is_over else "has begun; its standings"
    return f"; the final {verb}: arena ladder final {quote(ladder.name)}"


def _what_next(ladder: OpenLadder, *, is_over: bool) -> str:
    if is_over:
        return f"grade list: arena course grades {quote(ladder.final)}"
    return "the final is not over; `arena serve` plays it"


def _not_begun(connection: Connection, ladder: OpenLadder, store: Path) -> str:
    """Why the final has not begun, and what to do."""
    from arena.tournament.lock import running_in
    from db import ladder as record

    if ladder.closes > datetime.now(UTC):
        return (
            f"the final of {ladder.name!r} begins when the ladder closes, {words.moment(ladder.closes)}; "
            f"to close it now: arena ladder close {quote(ladder.name)}"
        )
    begun = f"the ladder {ladder.name!r} is closed, but its final has not begun"
    last = record.last_extension(connection, ladder.id)
    if last is not None and last > datetime.now(UTC):
        return f"{begun}: it waits for the extension until {words.moment(last)}"
    if waiting := len(record.open_submissions(connection, ladder.id)):
        begun += f": it waits for the check of {words.counted(waiting, 'submission')}"
    if running_in(store, ladder.name) is None:
        return f"{begun}; start `arena serve FILE.toml`, which plays it"
    return f"{begun}; `arena serve` is running and begins it, if at least two agents take part"
