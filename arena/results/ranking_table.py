"""The ranking of recorded games: read from the database, and as rows and columns of a table; `standings` and `ratings`
for Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace as changed

from arena.history.words import percent
from arena.ratings import ranking, systems
from arena.results.columns import ALL, PROGRAMS, TABLES, Column, Medium, fields, standing_in
from arena.results.report import reported_agents
from arena.results.standings_table import STANDINGS, ResultsTable
from arena.results.standings_table import columns_of as standings_columns
from arena.tournament import standings as tournament_standings
from db import ladder, lookup, running
from db import rated_games as record
from db.database import Connection, Database

if TYPE_CHECKING:
    from arena.ratings.ranking import Ranked, Ranking, RankingSettings, RatingSystem
    from db.rated_games import Scope
    from db.records import RatedGame


def recorded_ranking(
    connection: Connection, scope: Scope, *, system: RatingSystem | None, settings: RankingSettings
) -> tuple[Ranking, list[RatedGame]]:
    """The ranking, and the games if they were read one by one. Default anchors are those of the descriptions; those
    of a ladder keep their ratings, as in the ladder itself."""
    is_one = len(scope.tournaments) == 1
    if system is not None and system.for_points and is_one and scope.wanted is None and scope.at is None:
        return ranking.by_points(system, tournament_standings.standings(connection, scope.tournaments[0]).lines), []
    if system is None or system.for_two:
        counts, listed = record.counted(connection, scope)
    else:
        counts, listed = [], record.games(connection, scope)
    described = lookup.anchors(connection, scope.tournaments)
    games = listed
    system = system or systems.default([] if counts else games)
    if system.by_rounds and not is_one:
        games = [changed(game, round=None) for game in games]  # rounds of different tournaments are unrelated
    if not settings.anchors and described and "anchor" in system.options:
        free = systems.rank(games, counts, system=system, settings=settings)
        held = {
            player.name: described[player.name] for player in free.players if player.name in described and player.rank
        }
        formats = {running.format(connection, id) for id in scope.tournaments}
        settings = changed(settings, anchors=held, hold=formats == {ladder.FORMAT})
    return systems.rank(games, counts, system=system, settings=settings), games


def not_rated(found: Ranking, games: Sequence[RatedGame]) -> list[str]:
    """Which games and players are not rated, and why."""
    others = sum(len(game.names) != 2 for game in games) if found.system.for_two else 0
    lines = [f"{name} cannot be rated without a prior: {why}" for name, why in found.unrated.items()]
    if others:
        what = f"{others} game{'s' * (others > 1)} of more or fewer than two players"
        lines.insert(0, f"not rated: {what}; the system {systems.FOR_SEVERAL} rates them")
    return lines


def legend(found: Ranking) -> list[str]:
    """How the numbers are computed, and what the columns mean."""
    lines = [found.system.method]
    if any(player.los is not None for player in found.players):
        lines.append("(1-3): possible ranks; LOS: likelihood of being stronger than the next player")
    return lines


def _ranks(row: Ranked) -> str:
    """The rank, with its range by the error bars."""
    low, high = row.rank_low, row.rank_high
    return "-" if row.rank is None else str(row.rank) if low == high else f"{row.rank} ({low}-{high})"


def _whole(value: float | None) -> str:
    return "-" if value is None else str(round(value))


_FOR_ELO: Final = ("rating", "error", "opponents")

RANKING: Final[tuple[Column[Ranked], ...]] = (
    Column("rank", text=_ranks),
    *fields(("rank_low", "rank_high"), on=PROGRAMS),
    Column("name", narrow=24),
    Column("rating", text=lambda row: _whole(row.rating), number=True),
    Column("error", "±", text=lambda row: _whole(row.error), number=True),
    Column("games", number=True, spare=1),
    Column("wins", "W", number=True),
    Column("draws", "D", number=True),
    Column("losses", "L", number=True),
    Column("points", text=lambda row: f"{row.points:.10g}", number=True, spare=1),
    Column("score", text=lambda row: f"{row.score:.1%}", number=True),
    Column("draw_rate", "draws", value=lambda row: row.draws / row.games if row.games else None, number=True, spare=1,
           text=lambda row: f"{row.draws / row.games:.1%}" if row.games else "-", on=Medium.TABLE | Medium.CSV),
    Column("opponents", text=lambda row: _whole(row.opponents), number=True, spare=1),
    Column("los", "LOS", text=lambda row: percent(row.los), number=True, optional=TABLES),
    Column("marks", " ", text=lambda row: " ".join(row.marks), optional=TABLES),
    Column("pool", number=True),
)  # fmt: skip


def columns_of(found: Ranking) -> list[Column[Ranked]]:
    """The columns; in a table those that have something to show."""
    idle = {"pool"} if found.pools < 2 else set[str]()
    idle |= {*_FOR_ELO} if found.system.for_points else set()
    return [replace(one, on=one.on & ~Medium.TABLE) if one.name in idle else one for one in RANKING]


# `standings` and `ratings`: what `arena results` and `arena results rank` print, in Python.


Where = str | PathLike[str] | None
"""A database: a path or a URL; None: ARENA_DB, else arena.db."""


def standings(tournament: str | None = None, *, db: Where = None, everything: bool = False) -> ResultsTable:
    """The standings of a tournament (default: the newest), or with `everything` of all recorded games."""
    with _reading(db) as connection:
        number, title = _asked(connection, tournament, everything)
        found = tournament_standings.standings(connection, number)
    rows = reported_agents(found)
    columns = standings_columns(rows, Medium.TABLE)
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
    from arena.ratings.plots import ranking_plot
    from arena.ratings.ranking import MARKS

    chosen = None if system is None else systems.find(system)
    settings = ranking.RankingSettings(anchors=anchors or {})
    with _reading(db) as connection:
        number, title = _asked(connection, tournament, everything)
        for_points = chosen is not None and chosen.for_points
        scope = record.Scope(tournaments=() if number is None else (number,), for_points=for_points)
        found, games = recorded_ranking(connection, scope, system=chosen, settings=settings)
    columns = [
        replace(one, title="note", text=lambda row: ", ".join(MARKS[mark] for mark in row.marks))
        if one.name == "marks"
        else one
        for one in standing_in(columns_of(found), Medium.TABLE, found.players)
    ]
    return ResultsTable(
        title=f"Ratings: {title}",
        listed=found.players,
        fields=[replace(one, on=ALL) for one in RANKING],
        columns=columns,
        note=". ".join([*legend(found), *not_rated(found, games)]),
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
