"""`standings` and `ratings`: what `arena results` and `arena results rank` print, in Python.

They only read. A name or a file that does not exist raises NotFound, and a request that no rating system can answer
raises BadRating; both say what to do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike, fspath

from arena.ratings import systems
from arena.results.columns import ALL, Medium, standing_in
from arena.results.report import reported_agents
from arena.results.standings_table import STANDINGS, ResultsTable, columns_of
from arena.tournament import standings as tournament_standings
from db import lookup
from db.database import Connection, Database

Where = str | PathLike[str] | None
"""A database: a path or a URL; None: ARENA_DB, else arena.db."""


def standings(tournament: str | None = None, *, db: Where = None, everything: bool = False) -> ResultsTable:
    """The standings of a tournament (default: the newest), or with `everything` of all recorded games."""
    with _reading(db) as connection:
        number, title = _asked(connection, tournament, everything)
        found = tournament_standings.standings(connection, number)
    rows = reported_agents(found)
    columns = columns_of(rows, Medium.TABLE)
    return ResultsTable(title=f"Standings: {title}", listed=rows, fields=STANDINGS, columns=columns)


def ratings(
    tournament: str | None = None,
    *,
    db: Where = None,
    everything: bool = False,
    system: str | None = None,
    anchors: Mapping[str, float] | None = None,
) -> ResultsTable:
    """The ratings of the players of a tournament (default: the newest), or with `everything` from all recorded games.

    `system`: a rating system of `arena results rank --system`; `anchors`: fixed ratings, by player, such as
    {"random": 0}."""
    # Imported here, because numpy loads slowly and standings do not need it.
    from arena.ratings import ranking
    from arena.ratings.plots.dot_plot import MARKS, ranking_plot
    from arena.results import ranking_table
    from db.rated_games import Scope

    chosen = None if system is None else systems.find(system)
    settings = ranking.Settings(anchors=anchors or {})
    with _reading(db) as connection:
        number, title = _asked(connection, tournament, everything)
        for_points = chosen is not None and chosen.for_points
        scope = Scope(tournaments=() if number is None else (number,), for_points=for_points)
        found, games = ranking_table.recorded_ranking(connection, scope, system=chosen, settings=settings)
    columns = [
        replace(one, title="note", text=lambda row: ", ".join(MARKS[mark] for mark in row.marks))
        if one.name == "marks"
        else one
        for one in standing_in(ranking_table.columns_of(found), Medium.TABLE, found.players)
    ]
    return ResultsTable(
        title=f"Ratings: {title}",
        listed=found.players,
        fields=[replace(one, on=ALL) for one in ranking_table.RANKING],
        columns=columns,
        note=". ".join([*ranking_table.legend(found), *ranking_table.not_rated(found, games)]),
        picture=ranking_plot(found, title=title),
    )


@contextmanager
def _reading(db: Where) -> Iterator[Connection]:
    with Database(None if db is None else fspath(db), create=False) as database, database.reading() as connection:
        yield connection


def _asked(connection: Connection, tournament: str | None, everything: bool) -> tuple[int | None, str]:
    """The tournament's id and name; None for all recorded games."""
    if everything:
        if tournament is not None:
            raise ValueError(f"expected a tournament or everything=True, got both ({tournament!r})")
        return None, "all recorded games"
    number = lookup.find_tournament(connection, tournament)
    return number, lookup.tournament_name(connection, number)
