"""The ranking of recorded games: read from the database, and as rows and columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import asdict, replace

from arena.history.words import percent
from arena.ratings import ranking, systems
from arena.tournament.standings import standings
from db import ladder, lookup, running
from db import rated_games as record

if TYPE_CHECKING:
    from arena.ratings.ranking import Ranking, RatingSystem, Settings
    from arena.results.results_table import Columns, Row
    from db.database import Connection
    from db.rated_games import Scope
    from db.records import RatedGame

NUMBERS: Final = ("rating", "±", "games", "W", "D", "L", "points", "score", "draws", "opponents", "LOS", "pool")
"""The columns that are right-aligned."""


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
        games = [replace(game, round=None) for game in games]  # rounds of different tournaments are unrelated
    if not settings.anchors and described and "anchor" in system.options:
        free = systems.rank(games, counts, system=system, settings=settings)
        held = {
            player.name: described[player.name] for player in free.players if player.name in described and player.rank
        }
        settings = replace(settings, anchors=held, hold=_is_ladder(connection, scope))
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


def rows_of(found: Ranking) -> list[dict[str, Any]]:
    """A row for each player: the fields of `Ranked`, and the share of draws."""
    rows = [asdict(player) for player in found.players]
    return [row | {"draw_rate": row["draws"] / row["games"] if row["games"] else None} for row in rows]


def columns_of(found: Ranking, *, wide: bool) -> Columns:
    """The columns that have something to show; `wide`: all of them, for a table with enough room."""
    columns: dict[str, Any] = {"rank": _ranks, "name": lambda row: row["name"]}
    if not found.system.for_points:
        columns["rating"] = lambda row: _whole(row["rating"])
        columns["±"] = lambda row: _whole(row["error"])
    if wide:
        columns["games"] = lambda row: str(row["games"])
    columns |= {
        "W": lambda row: str(row["wins"]),
        "D": lambda row: str(row["draws"]),
        "L": lambda row: str(row["losses"]),
    }
    if wide or found.system.for_points:
        columns["points"] = lambda row: f"{row['points']:.10g}"
    columns["score"] = lambda row: f"{row['score']:.1%}"
    if wide:
        columns["draws"] = lambda row: "-" if row["draw_rate"] is None else f"{row['draw_rate']:.1%}"
        if not found.system.for_points:
            columns["opponents"] = lambda row: _whole(row["opponents"])
    if any(player.los is not None for player in found.players):
        columns["LOS"] = lambda row: "" if row["los"] is None else percent(row["los"])
    if found.pools > 1:
        columns["pool"] = lambda row: str(row["pool"] or "-")
    if any(player.marks for player in found.players):
        columns[""] = lambda row: " ".join(row["marks"])
    return columns


def _ranks(row: Row) -> str:
    """The rank, with its range by the error bars."""
    if row["rank"] is None:
        return "-"
    low, high = row["rank_low"], row["rank_high"]
    return str(row["rank"]) if low == high else f"{row['rank']} ({low}-{high})"


def _whole(value: float | None) -> str:
    return "-" if value is None else str(round(value))
