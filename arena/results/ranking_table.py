"""The ranking of recorded games: read from the database, and as rows and columns of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import asdict, replace

from arena.history.words import percent
from arena.ratings import ranking
from arena.ratings.systems import FITTED, System
from arena.tournament.standings import standings
from db import ladder, lookup, running
from db import rated_games as record

if TYPE_CHECKING:
    from arena.ratings.ranking import Ranking, Settings
    from arena.results.results_table import Columns, Row
    from db.database import Connection
    from db.rated_games import Scope
    from db.records import RatedGame

NUMBERS: Final = ("rating", "±", "games", "W", "D", "L", "points", "score", "draws", "opponents", "LOS", "pool")
"""The columns that are right-aligned."""
_METHODS: Final[Mapping[System, str]] = {
    System.ELO: "Elo (Bradley-Terry, all games together); ±: 95 % error, from pairs of games",
    System.INCREMENTAL: "Elo, updated after each game in the order of play; without errors",
    System.GLICKO2: "Glicko-2, updated after each round or day; ±: 95 % error",
    System.PLACKETT_LUCE: "Elo (Plackett-Luce, all games together); ±: 95 % error, from pairings",
    System.POINTS: "points; ties: direct encounter, Sonneborn-Berger, Buchholz, wins",
}
"""How each system computes its numbers."""


def recorded_ranking(
    connection: Connection, scope: Scope, *, system: System | None, settings: Settings
) -> tuple[Ranking, list[RatedGame]]:
    """The ranking, and the games if they were read one by one. Default anchors are those of the descriptions; those
    of a ladder keep their ratings, as in the ladder itself."""
    if system is System.POINTS and len(scope.tournaments) == 1 and scope.wanted is None and scope.at is None:
        return ranking.by_points(standings(connection, scope.tournaments[0]).lines), []
    if system in (None, System.ELO):
        counts, listed = record.counted(connection, scope)
    else:
        counts, listed = [], record.games(connection, scope)
    described = lookup.anchors(connection, scope.tournaments)
    games = listed
    system = system or (System.ELO if counts else ranking.default_system(games))
    if system is System.GLICKO2 and len(scope.tournaments) != 1:
        games = [replace(game, round=None) for game in games]  # rounds of different tournaments are unrelated
    if not settings.anchors and described and system in FITTED:
        free = ranking.rank(games, counts, system=system, settings=settings)
        held = {
            player.name: described[player.name] for player in free.players if player.name in described and player.rank
        }
        settings = replace(settings, anchors=held, hold=_is_ladder(connection, scope))
    return ranking.rank(games, counts, system=system, settings=settings), games


def _is_ladder(connection: Connection, scope: Scope) -> bool:
    return {running.format(connection, id) for id in scope.tournaments} == {ladder.FORMAT}


def not_rated(found: Ranking, games: Sequence[RatedGame]) -> list[str]:
    """Which games and players are not rated, and why."""
    others = sum(len(game.names) != 2 for game in games) if found.system is System.ELO else 0
    lines = [f"{name} cannot be rated without a prior: {why}" for name, why in found.unrated.items()]
    if others:
        what = f"{others} game{'s' * (others > 1)} of more or fewer than two players"
        lines.insert(0, f"not rated: {what}; the system plackett-luce rates them")
    return lines


def legend(found: Ranking) -> list[str]:
    """How the numbers are computed, and what the columns mean."""
    lines = [_METHODS[found.system]]
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
    if found.system is not System.POINTS:
        columns["rating"] = lambda row: _whole(row["rating"])
        columns["±"] = lambda row: _whole(row["error"])
    if wide:
        columns["games"] = lambda row: str(row["games"])
    columns |= {
        "W": lambda row: str(row["wins"]),
        "D": lambda row: str(row["draws"]),
        "L": lambda row: str(row["losses"]),
    }
    if wide or found.system is System.POINTS:
        columns["points"] = lambda row: f"{row['points']:.10g}"
    columns["score"] = lambda row: f"{row['score']:.1%}"
    if wide:
        columns["draws"] = lambda row: "-" if row["draw_rate"] is None else f"{row['draw_rate']:.1%}"
        if found.system is not System.POINTS:
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
