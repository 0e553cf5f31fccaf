"""`arena rank`: ratings with error bars.

They are computed from recorded games, or from a file of results, at each call; nothing is stored. docs/ratings.md
explains each number.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from msgspec.structs import asdict, replace

from arena.cli.asking import rated_games
from arena.cli.asking.game_filters import AtOption, filtered
from arena.cli.asking.record_options import (
    AllOption,
    DatabaseOption,
    asked_tournaments,
    read_standings,
    reading,
    title_of,
)
from arena.cli.terminal.files import write_file
from arena.cli.terminal.listings import Columns, FormatOption, OutputFormat, exact_columns, percent, show, show_json
from arena.cli.terminal.wrapping import table_width
from arena.history.words import printable, without_store
from arena.ratings.systems import FITTED, System

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arena.ratings.bradley_terry import Advantage
    from arena.ratings.ranking import Ranking, Settings
    from db.database import Connection
    from db.records import RatedGame
    from db.search import GameFilter

_WIDE: Final = 112
"""Smallest terminal width at which the table has all columns."""


@filtered(without=("tournament",))
def rank(
    wanted: GameFilter,
    tournaments: Annotated[
        list[str] | None,
        typer.Argument(metavar="TOURNAMENT", help="Names of one or more tournaments.", show_default="the newest"),
    ] = None,
    everything: AllOption = False,
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="FILE|-", help="List of results to rate instead of the database: CSV or PGN."),
    ] = None,
    system: Annotated[
        System | None,
        typer.Option(
            metavar="SYSTEM",
            help=f"Rating system: {', '.join(System)}.",
            show_default="elo; plackett-luce for games of more than 2 players",
        ),
    ] = None,
    anchor: rated_games.AnchorOption = None,
    prior: rated_games.PriorOption = None,
    k: Annotated[
        float | None,
        typer.Option("--k", metavar="K", min=0.0, help="K-factor of --system incremental.", show_default="20"),
    ] = None,
    start: Annotated[
        float | None,
        typer.Option(
            metavar="RATING", help="First rating of a player in incremental and glicko2.", show_default="1500"
        ),
    ] = None,
    floor: Annotated[
        float | None, typer.Option(metavar="RATING", help="Lowest rating in incremental.", show_default="100")
    ] = None,
    at: AtOption = None,
    svg: rated_games.SvgOption = None,
    format: FormatOption = OutputFormat.TABLE,
    db: DatabaseOption = None,
) -> None:
    """Rate the players of a tournament: Elo ratings with 95 % error bars.

    With 95 % probability the true rating lies within rating ± error. Forfeits, void games and games changed by a ruling
    are not rated. docs/ratings.md explains every number.

    Example: arena rank demo --anchor random=0

    Example: arena rank --all --since 2026-05-01 --system glicko2
    """
    from arena.ratings import ranking
    from db.search import GameFilter

    options = {"prior": prior, "k": k, "start": start, "floor": floor}
    given = {name: value for name, value in options.items() if value is not None}
    settings = ranking.Settings(anchors=rated_games.anchors(anchor), **given)
    if source is not None:
        if tournaments or everything or at is not None or db is not None or wanted != GameFilter():
            raise typer.BadParameter(
                "--from rates all games of its file: leave out tournaments, filters, --at and --db"
            )
        heading = ""
        games = rated_games.listed(source)
        found = ranking.rank(games, system=system or ranking.default_system(games), settings=settings)
    else:
        asked = asked_tournaments(tournaments or [None], everything, what="tournaments")
        with reading(db) as connection:
            found, games = _of_record(connection, asked, wanted=wanted, at=at, system=system, settings=settings)
            heading = title_of(connection, asked)
    _refuse_options_of_others([*given, *(["anchor"] if anchor else [])], found.system)
    if svg is not None:
        write_file(svg, _picture(found, title=_title(tournaments, source)))
    _warn(found, games)
    _show(found, format=format, prior=settings.prior, heading=heading)


def _warn(found: Ranking, games: Sequence[RatedGame]) -> None:
    """Report on stderr which games and players are not rated."""
    others = sum(len(game.names) != 2 for game in games) if found.system is System.ELO else 0
    if others:
        what = f"{others} game{'s' * (others > 1)} of more or fewer than two players"
        print(f"not rated: {what}; --system plackett-luce rates them", file=sys.stderr)
    for name, why in found.unrated.items():
        print(f"{printable(name)} cannot be rated without a prior: {why}", file=sys.stderr)


def _show(found: Ranking, *, format: OutputFormat, prior: float, heading: str) -> None:
    if format is OutputFormat.JSON:
        show_json(_document(found))
        return
    if format is OutputFormat.TABLE and not found.players:
        print("no rated games")
        return
    if format is OutputFormat.TABLE and heading:
        print(heading)
    rows = [_plain(player) for player in found.players]
    columns = _columns(found, csv=format is OutputFormat.CSV)
    show(rows, columns, format=format, narrowed="name", numbers=_NUMBERS)
    if format is OutputFormat.TABLE:
        print("\n".join(["", *_footer(found, prior)]))


def _of_record(
    connection: Connection,
    tournaments: Sequence[str | None],
    *,
    wanted: GameFilter,
    at: str | None,
    system: System | None,
    settings: Settings,
) -> tuple[Ranking, list[RatedGame]]:
    """The ranking, and the games if they were read one by one. Default anchors are those of the descriptions."""
    from arena.ratings import ranking
    from db import lookup
    from db import rated_games as record

    scope = rated_games.scope(connection, tournaments, wanted=wanted, at=at, for_points=system is System.POINTS)
    if system is System.POINTS and len(scope.tournaments) == 1 and scope.wanted is None and at is None:
        return ranking.by_points(read_standings(connection, tournaments).lines), []
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
        settings = replace(settings, anchors=held)
    return ranking.rank(games, counts, system=system, settings=settings), games


def _refuse_options_of_others(given: Iterable[str], system: System) -> None:
    """Raise BadParameter for options that `system` does not use."""
    for name in given:
        if system not in _TAKEN_BY[name]:
            raise typer.BadParameter(
                f"--{name} works only with --system {' or '.join(_TAKEN_BY[name])}, the system is {system}"
            )


_TAKEN_BY: Final = {
    "anchor": FITTED,
    "prior": FITTED,
    "k": (System.INCREMENTAL,),
    "start": (System.INCREMENTAL, System.GLICKO2),
    "floor": (System.INCREMENTAL,),
}


# Output.


def _title(tournaments: list[str] | None, source: str | None) -> str:
    return " and ".join(tournaments or []) or (source if source not in (None, "-") else None) or "Ratings"


def _plain(player: Any) -> dict[str, Any]:
    row = asdict(player)
    return row | {"draw_rate": row["draws"] / row["games"] if row["games"] else None}


def _document(found: Ranking) -> dict[str, Any]:
    """The JSON document. `advantage` is null for games of several kinds; `advantages` has one entry for each kind."""
    one = next(iter(found.advantages.values())) if len(found.advantages) == 1 else None
    return {
        "system": str(found.system),
        "players": [asdict(player) for player in found.players],
        "advantage": None if one is None else one.elo,
        "advantage_error": None if one is None else one.error,
        "draw_rate": None if one is None else one.draw_rate,
        "pools": found.pools,
        "advantages": {kind: asdict(each) for kind, each in found.advantages.items()},
        "unrated": found.unrated,
        "repeated": found.repeated,
    }


def _columns(found: Ranking, *, csv: bool) -> Columns:
    if csv:
        return exact_columns((*_FIELDS, "marks", "pool"))
    columns: dict[str, Any] = {"rank": _ranks, "name": lambda row: row["name"]}
    if found.system is not System.POINTS:
        columns["rating"] = lambda row: _whole(row["rating"])
        columns["±"] = lambda row: _whole(row["error"])
    wide = (table_width() or _WIDE) >= _WIDE
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


_FIELDS: Final = (
    *("rank", "rank_low", "rank_high", "name", "rating", "error", "games", "wins", "draws", "losses"),
    *("points", "score", "draw_rate", "opponents", "los"),
)
_NUMBERS: Final = ("rating", "±", "games", "W", "D", "L", "points", "score", "draws", "opponents", "LOS", "pool")


def _ranks(row: Any) -> str:
    """The rank, with its range by the error bars."""
    if row["rank"] is None:
        return "-"
    low, high = row["rank_low"], row["rank_high"]
    return str(row["rank"]) if low == high else f"{row['rank']} ({low}-{high})"


def _whole(value: float | None) -> str:
    return "-" if value is None else str(round(value))


def _footer(found: Ranking, prior: float) -> list[str]:
    """The lines below the table: method, prior, first-move advantage, pools, marks."""
    lines = [_METHODS[found.system]]
    if any(player.los is not None for player in found.players):
        lines.append("(1-3): possible ranks; LOS: likelihood of being stronger than the next player")
    if found.system is System.ELO:
        lines.append(f"prior: {prior:g} virtual draw{'s' * (prior != 1)} per player" if prior else "no prior")
    for kind, each in found.advantages.items():
        what = f"{printable(without_store(kind))}: " if kind and len(found.advantages) > 1 else ""
        lines.append(what + _advantage(each))
    if found.pools > 1:
        lines.append(f"{found.pools} pools with no games between them: compare ratings only within a pool")
    if found.repeated:
        what = "1 pairing repeats" if found.repeated == 1 else f"{found.repeated:,} pairings repeat"
        lines.append(f"{what} an earlier one move for move, so the errors count it once")
    marks = {mark for player in found.players for mark in player.marks}
    if marks & {">", "<"}:
        decides = ": their rating is set by the prior" if found.system in FITTED else ""
        lines.append(f"> won every game, < lost every game{decides}")
    return lines


def _advantage(each: Advantage) -> str:
    if each.error is None:
        return "first-move advantage: not known from these games"
    return (
        f"first-move advantage: {round(each.elo):+} ± {each.error:.0f} Elo; "
        f"draws between equal players: {each.draw_rate:.1%}"
    )


_METHODS: Final = {
    System.ELO: "Elo (Bradley-Terry, all games together); ±: 95 % error, from pairs of games",
    System.INCREMENTAL: "Elo, updated after each game in the order of play; without errors",
    System.GLICKO2: "Glicko-2, updated after each round or day; ±: 95 % error",
    System.PLACKETT_LUCE: "Elo (Plackett-Luce, all games together); ±: 95 % error, from pairings",
    System.POINTS: "points; ties: direct encounter, Sonneborn-Berger, Buchholz, wins",
}


def _picture(found: Ranking, title: str) -> str:
    from arena.ratings.plots import RatingBar, ratings

    bars = [
        RatingBar(
            player.name,
            player.rating,
            player.error,
            " ".join(player.marks),
            player.rank,
            f"pool {player.pool}" if found.pools > 1 else "",
        )
        for player in found.players
        if player.rating is not None and player.rank is not None
    ]
    return ratings(bars, title=title, unit="points" if found.system is System.POINTS else "Elo")
