"""`arena rank`: who is better, and how sure is that.

Everything is computed from the record (or from a file of results) at the moment it is asked, and nothing is changed.
docs/ratings.md says what each number means.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from msgspec.structs import asdict, replace

from arena.cli.asking import rated_games
from arena.cli.asking.game_filters import AtOption, filtered
from arena.cli.asking.record_options import AllOption, DatabaseOption, asked_tournaments, read_standings, reading
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
    from db.search import Wanted

_WIDE: Final = 112
"""From so many columns on a table shows all of its own."""


@filtered(without=("tournament",))
def rank(
    wanted: Wanted,
    tournaments: Annotated[
        list[str] | None, typer.Argument(metavar="TOURNAMENT", help="Their names. Usual: the last one made.")
    ] = None,
    everything: AllOption = False,
    source: Annotated[
        str | None, typer.Option("--from", metavar="FILE|-", help="Rate a list of results instead: CSV or PGN.")
    ] = None,
    system: Annotated[System | None, typer.Option(help="Usual: elo, or plackett-luce for more than two.")] = None,
    anchor: rated_games.AnchorOption = None,
    prior: rated_games.PriorOption = None,
    k: Annotated[
        float | None, typer.Option("--k", min=0.0, help="incremental: how far one game moves a rating. Usual: 20.")
    ] = None,
    start: Annotated[
        float | None, typer.Option(help="incremental, glicko2: where everybody begins. Usual: 1500.")
    ] = None,
    floor: Annotated[float | None, typer.Option(help="incremental: no rating falls below. Usual: 100.")] = None,
    at: AtOption = None,
    svg: rated_games.SvgOption = None,
    format: FormatOption = OutputFormat.TABLE,
    db: DatabaseOption = None,
) -> None:
    """Who is better, and how sure is that: ratings with error bars.

    From rating - error to rating + error the truth lies 95 times in 100. Forfeits, void and overruled games are not
    rated. docs/ratings.md explains every number.

    Example: arena rank cs101 --anchor random=0

    Example: arena rank --all --agent alice --since 2026-05-01

    Example: arena rank --from results.csv --format json
    """
    from arena.ratings import ranking
    from db.search import Wanted

    options = {"prior": prior, "k": k, "start": start, "floor": floor}
    given = {name: value for name, value in options.items() if value is not None}
    settings = ranking.Settings(anchors=rated_games.anchors(anchor), **given)
    if source is not None:
        if tournaments or everything or at is not None or db is not None or wanted != Wanted():
            raise typer.BadParameter("--from takes all games of its file: no tournament, filter, date or database")
        games = rated_games.listed(source)
        found = ranking.rank(games, system=system or ranking.usual(games), settings=settings)
    else:
        asked = asked_tournaments(tournaments or [None], everything, what="tournaments")
        with reading(db) as connection:
            found, games = _of_record(connection, asked, wanted=wanted, at=at, system=system, settings=settings)
    _refuse_options_of_others([*given, *(["anchor"] if anchor else [])], found.system)
    if svg is not None:
        write_file(svg, _picture(found, title=_title(tournaments, source)))
    _warn(found, games)
    _show(found, format=format, prior=settings.prior)


def _warn(found: Ranking, games: Sequence[RatedGame]) -> None:
    """Says on stderr which games and players are not rated."""
    others = sum(len(game.names) != 2 for game in games) if found.system is System.ELO else 0
    if others:
        what = f"{others} game{'s' * (others > 1)} of more or fewer than two players"
        print(f"not rated: {what}; --system plackett-luce takes them", file=sys.stderr)
    for name, why in found.unrated.items():
        print(f"{printable(name)} cannot be rated without a prior: {why}", file=sys.stderr)


def _show(found: Ranking, *, format: OutputFormat, prior: float) -> None:
    if format is OutputFormat.JSON:
        show_json(_document(found))
        return
    if format is OutputFormat.TABLE and not found.players:
        print("no rated game")
        return
    rows = [_plain(player) for player in found.players]
    columns = _columns(found, csv=format is OutputFormat.CSV)
    show(rows, columns, format=format, narrowed="name", numbers=_NUMBERS)
    if format is OutputFormat.TABLE:
        print("\n".join(["", *_footer(found, prior)]))


def _of_record(
    connection: Connection,
    tournaments: Sequence[str | None],
    *,
    wanted: Wanted,
    at: str | None,
    system: System | None,
    settings: Settings,
) -> tuple[Ranking, list[RatedGame]]:
    """The ranking, and the games that were read one by one. Without anchors those of the descriptions hold."""
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
    system = system or (System.ELO if counts else ranking.usual(games))
    if system is System.GLICKO2 and len(scope.tournaments) != 1:
        games = [replace(game, round=None) for game in games]  # each tournament has a first round
    if not settings.anchors and described and system in FITTED:
        free = ranking.rank(games, counts, system=system, settings=settings)
        held = {
            player.name: described[player.name] for player in free.players if player.name in described and player.rank
        }
        settings = replace(settings, anchors=held)
    return ranking.rank(games, counts, system=system, settings=settings), games


def _refuse_options_of_others(given: Iterable[str], system: System) -> None:
    """Refuses the options that `system` does not take."""
    for name in given:
        if system not in _TAKEN_BY[name]:
            raise typer.BadParameter(f"--{name} is for --system {' and '.join(_TAKEN_BY[name])}, this is {system}")


_TAKEN_BY: Final = {
    "anchor": FITTED,
    "prior": FITTED,
    "k": (System.INCREMENTAL,),
    "start": (System.INCREMENTAL, System.GLICKO2),
    "floor": (System.INCREMENTAL,),
}


# What is printed.


def _title(tournaments: list[str] | None, source: str | None) -> str:
    return " and ".join(tournaments or []) or (source if source not in (None, "-") else None) or "Ratings"


def _plain(player: Any) -> dict[str, Any]:
    row = asdict(player)
    return row | {"draw_rate": row["draws"] / row["games"] if row["games"] else None}


def _document(found: Ranking) -> dict[str, Any]:
    """As JSON. With games of several kinds there is no one advantage: `advantages` has each."""
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
    """The rank, and where it may lie by the error bars."""
    if row["rank"] is None:
        return "-"
    low, high = row["rank_low"], row["rank_high"]
    return str(row["rank"]) if low == high else f"{row['rank']} ({low}-{high})"


def _whole(value: float | None) -> str:
    return "-" if value is None else str(round(value))


def _footer(found: Ranking, prior: float) -> list[str]:
    """By what method, and what else the games tell."""
    lines = [_METHODS[found.system]]
    if found.system is System.ELO:
        lines.append(f"prior: {prior:g} draw{'s' * (prior != 1)} each" if prior else "no prior")
    for kind, each in found.advantages.items():
        what = f"{printable(without_store(kind))}: " if kind and len(found.advantages) > 1 else ""
        lines.append(what + _advantage(each))
    if found.pools > 1:
        lines.append(f"{found.pools} pools of players that no games connect: compare within a pool")
    if found.repeated:
        what = "1 meeting repeats" if found.repeated == 1 else f"{found.repeated:,} meetings repeat"
        lines.append(f"{what} an earlier one move for move: no error gets shorter by that")
    marks = {mark for player in found.players for mark in player.marks}
    if marks & {">", "<"}:
        decides = ": their rating is set by the prior" if found.system in FITTED else ""
        lines.append(f"> won every game, < lost every game{decides}")
    return lines


def _advantage(each: Advantage) -> str:
    if each.error is None:
        return "first-move advantage: these games do not tell"
    return f"first-move advantage {round(each.elo):+} ± {each.error:.0f}; draws between equals {each.draw_rate:.1%}"


_METHODS: Final = {
    System.ELO: "Elo by Bradley-Terry, all games at once; ± is 95 %, from pairs of games",
    System.INCREMENTAL: "Elo, game after game in the order of play; it has no error bars",
    System.GLICKO2: "Glicko-2 by rounds or days; ± is 95 %",
    System.PLACKETT_LUCE: "Elo by Plackett-Luce, all games at once; ± is 95 %, from meetings",
    System.POINTS: "points; then direct encounter, Sonneborn-Berger, Buchholz and wins",
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
