"""`arena grades`: a grade list for a course, joined with its roster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from msgspec.structs import replace

from arena.cli.asking import rated_games
from arena.cli.asking.game_filters import AtOption, filtered
from arena.cli.asking.record_options import DatabaseOption, TournamentArgument, reading, title_of
from arena.cli.terminal.files import read_file
from arena.cli.terminal.listings import FormatOption, OutputFormat, exact_columns, show
from arena.history.words import number, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from db.search import GameFilter

_MOST: Final = 1_000_000
"""Largest number of faults that are read."""


@filtered(without=("agent", "opponent", "seat", "result", "tournament"))
def grades(
    wanted: GameFilter,
    tournament: TournamentArgument = None,
    bar: Annotated[
        list[str] | None,
        typer.Option("--bar", metavar="NAME=AGENT", help="Bar: an agent to compare with; can be repeated."),
    ] = None,
    join: Annotated[
        str | None, typer.Option("--join", metavar="FILE.csv", help="Roster whose columns are added to the list.")
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(
            "--on",
            metavar="COLUMN",
            help="Column of the roster with the agents' names.",
            show_default="the one with most of the names",
        ),
    ] = None,
    at: AtOption = None,
    format: FormatOption = OutputFormat.CSV,
    db: DatabaseOption = None,
) -> None:
    """Make a grade list for a course: score, rating, faults, and who is better than each bar.

    A bar is a player of known strength. "better" and "not better" hold with 95 % confidence, from all rated games of
    the tournament. Points and score are those of the standings. CSV and JSON also have each agent's games against the
    bars. All columns of the roster are kept.

    Example: arena grades demo --bar pass=random --format table

    Example: arena grades cs101 --bar pass=random --join roster.csv
    """
    from arena.course import roster as rosters
    from arena.ratings import grades as grading
    from arena.ratings import points, ranking
    from arena.tournament import standings as ranked_by
    from db import lookup, search
    from db import rated_games as record

    if on is not None and join is None:
        raise typer.BadParameter("--on names a column of the roster, so it needs --join FILE.csv too")
    bars = rated_games.named(bar, "--bar", "NAME=AGENT")
    roster = None if join is None else [row for _, row in rosters.table(*read_file(join, "a roster"))]
    with reading(db) as connection:
        scope = rated_games.scope(connection, (tournament,), wanted=wanted, at=at)
        name = lookup.tournament_name(connection, scope.tournaments[0])
        heading = title_of(connection, (tournament,))
        games = record.games(connection, scope)
        for_points = record.games(connection, replace(scope, for_points=True))
        described = lookup.anchors(connection, scope.tournaments)
        entered = lookup.entry_statuses(connection, scope.tournaments[0])
        order = ranked_by.order(connection, scope.tournaments[0])
        byes = lookup.byes(connection, scope.tournaments[0]) if scope.wanted is None and at is None else {}
        narrowed = replace(wanted, tournament=name, fault=search.ANYBODY, until=scope.at or wanted.until)
        faults = search.page(connection, narrowed, limit=_MOST)
    played = games
    names = {player for game in played for player in game.names}
    anchors = {player: rating for player, rating in described.items() if player in names}
    rows = grading.table(
        standings=points.standings(points.of(for_points), entered, byes, order),
        ranking=ranking.rank(games, system=ranking.default_system(games), settings=ranking.Settings(anchors=anchors)),
        bars=grading.bars(games, bars, name),
        faults=grading.reasons(faults, {game.id for game in for_points}),
        wanted=tuple(bars),
        statuses=entered,
    )
    if format is OutputFormat.TABLE:
        rows = [_short(row, tuple(bars), statuses=set(entered.values()) != {"active"}) for row in rows]
    if roster is not None:
        rows = grading.joined(rows, roster, on)
    columns = exact_columns(rows[0] if rows else ("agent",))
    if format is OutputFormat.TABLE and heading:
        print(heading)
    show(
        rows,
        columns,
        format=format,
        narrowed="agent" if roster is None else None,
        numbers=_NUMBERS,
        multiline=() if not roster else tuple(roster[0]),
    )
    if format is OutputFormat.TABLE and bars:
        compared = ", ".join(f"{printable(name)} = {printable(agent)}" for name, agent in bars.items())
        print(f"\nbars: {compared}; better, not better: with 95 % confidence")
    if format is OutputFormat.TABLE and any(
        str(row.get(bar, "")).startswith(_UNDECIDED) for row in rows for bar in bars
    ):
        print(f"undecided ~N: about N more games would decide; without ~N: more than {grading.MOST_MORE:,} games")


def _against(row: dict[str, Any], bar: str) -> str | None:
    """The comparison of the agent with the bar, and about how many more games would decide it."""
    outcome, more = row[bar], row[f"{bar}_more"]
    return outcome if more is None else f"{outcome} ~{more}"


_UNDECIDED: Final = "undecided"
_NUMBERS: Final = ("rank", "games", "points", "score", "rating", "±", "faults")


def _short(row: dict[str, Any], bars: Sequence[str], *, statuses: bool) -> dict[str, Any]:
    """The row of the table: fewer columns and digits than in CSV."""
    return {
        "agent": row["agent"],
        **({"status": row["status"]} if statuses else {}),
        "rank": "-" if row["rank"] is None else row["rank"],
        "games": row["games"],
        "points": number(row["points"]),
        "score": "-" if row["score"] is None else f"{row['score']:.1%}",
        "rating": "-" if row["rating"] is None else round(row["rating"]),
        "±": "-" if row["error"] is None else round(row["error"]),
        **{bar: _against(row, bar) for bar in bars},
        "faults": row["faults"],
    }
