"""The ranking of recorded games: read from the database, and as rows and columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace as changed

from arena.history.words import percent
from arena.ratings import ranking, systems
from arena.results.columns import PROGRAMS, TABLES, Column, Medium, fields
from arena.tournament.standings import standings
from db import ladder, lookup, running
from db import rated_games as record

if TYPE_CHECKING:
    from arena.ratings.ranking import Ranked, Ranking, RatingSystem, Settings
    from db.database import Connection
    from db.rated_games import Scope
    from db.records import RatedGame


def recorded_ranking(
    connection: Connection, scope: Scope, *, system: RatingSystem | None, settings: Settings
) -> tuple[Ranking, list[RatedGame]]:
    """The ranking, and the games if they were read one by one. Default anchors are those of the descriptions; those
    of a ladder keep their ratings, as in the ladder itself."""
    is_one = len(scope.tournaments) == 1
    if system is not None and system.for_points and is_one and scope.wanted is None and scope.at is None:
        return ranking.by_points(system, standings(connection, scope.tournaments[0]).lines), []
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
        settings = changed(settings, anchors=held, hold=_is_ladder(connection, scope))
    return systems.rank(games, counts, system=system, settings=settings), games


def _is_ladder(connection: Connection, scope: Scope) -> bool:
    return {running.format(connection, id) for id in scope.tournaments} == {ladder.FORMAT}


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
