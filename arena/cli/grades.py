"""`arena grades`: a grade list for a course, beside the lines of its roster."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Annotated, Final

import typer

from arena.cli import rated
from arena.cli.database import DatabaseOption
from arena.cli.filters import AtOption, filtered
from arena.cli.listing import Format, FormatOption, show

if TYPE_CHECKING:
    from db.history import Wanted


_MOST: Final = 1_000_000
"""Faults that are read."""


@filtered(without=("agent", "opponent", "seat", "result", "tournament"))
def grades(
    wanted: Wanted,
    tournament: Annotated[str | None, typer.Argument(metavar="[TOURNAMENT]", help="Usual: the last one made.")] = None,
    bar: Annotated[
        list[str] | None, typer.Option("--bar", metavar="NAME=AGENT", help="Who is to be beaten; may be repeated.")
    ] = None,
    join: Annotated[
        str | None, typer.Option("--join", metavar="FILE.csv", help="Put beside the lines of this roster.")
    ] = None,
    on: Annotated[
        str | None, typer.Option("--on", metavar="COLUMN", help="The roster's column with the agents' names.")
    ] = None,
    at: AtOption = None,
    format: FormatOption = Format.CSV,
    db: DatabaseOption = None,
) -> None:
    """A grade list for a course: score, rating, faults, and who is better than each bar.

    "better" and "not better" are 95 % sure, by all rated games of the tournament; each agent's own games with the bar
    are listed. Score and points are those of the standings. All columns of the roster are kept.

    Example: arena grades cs101 --bar pass=random --bar merit=alphabeta:depth=4 --join roster.csv
    """
    from msgspec.structs import replace

    from arena import grades as grading
    from arena.ranking import rank
    from arena.ratings import points
    from arena.ratings.results import of_record
    from db import history, queries
    from db import rated as record
    from db.database import Database

    if on is not None and join is None:
        raise typer.BadParameter("--on is about the roster: give that too, with --join")
    bars = rated.named(bar, "--bar", "NAME=AGENT")
    roster = None if join is None else _roster(join)
    with Database(db, create=False) as database, database.reading() as connection:
        scope = rated.scope(connection, (tournament,), wanted, at)
        name = queries.tournament_name(connection, scope.tournaments[0])
        games = record.games(connection, scope)
        for_points = record.games(connection, rated.scope(connection, (tournament,), wanted, at, for_points=True))
        entered = queries.entry_statuses(connection, scope.tournaments[0])
        byes = queries.byes(connection, scope.tournaments[0]) if scope.wanted is None and at is None else {}
        narrowed = replace(wanted, tournament=name, fault=history.ANYBODY, until=scope.at or wanted.until)
        faults = history.page(connection, narrowed, limit=_MOST)
    rows = grading.table(
        standings=points.standings(points.of(of_record(for_points)), entered, byes),
        ranking=rank(of_record(games)),
        bars=grading.bars(games, bars, name),
        faults=grading.reasons(faults, {game.id for game in for_points}),
        wanted=tuple(bars),
        statuses=entered,
    )
    if roster is not None:
        rows = grading.joined(rows, roster, on)
    columns = {title: rated.exact(title) for title in (rows[0] if rows else ())}
    show(rows, columns, format=format)


def add_to(app: typer.Typer) -> None:
    """Adds the command to `app`."""
    app.command()(grades)


def _roster(file: str) -> list[dict[str, str]]:
    """The lines of a roster, by column."""
    from arena.cli.exchange import read_file
    from arena.errors import BadRating

    text, name = read_file(file)
    rows = [row for row in csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")) if any(map(str.strip, row))]
    if not rows:
        raise BadRating(f"{name}: expected a line with the names of the columns, got nothing")
    columns = [title.strip() for title in rows[0]]
    if len(set(columns)) < len(columns) or not all(columns):
        raise BadRating(f"{name}, line 1: expected a name of its own for each column, got {', '.join(columns)}")
    for number, row in enumerate(rows[1:], 2):
        if len(row) > len(columns):
            raise BadRating(f"{name}, row {number}: expected {len(columns)} cells, got {len(row)}")
    return [dict(zip(columns, row + [""] * (len(columns) - len(row)), strict=True)) for row in rows[1:]]
