"""`arena results rank` and `progress`: ratings with error bars, of players and of the versions of an agent.

They are computed from recorded games, or from a file of results, at each call; nothing is stored. docs/results.md
explains each number.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from msgspec.structs import asdict

from arena.cli.asking import game_filters
from arena.cli.asking.game_filters import AtOption, filtered
from arena.cli.asking.record_options import (
    AllOption,
    DatabaseOption,
    TournamentsArgument,
    asked_tournaments,
    clocks_note,
    reading,
    title_of,
)
from arena.cli.terminal import bars
from arena.cli.terminal.files import write_file
from arena.cli.terminal.listings import OutputFormat, Shown, listed, show, show_json
from arena.errors import BadRating
from arena.history.words import percent, printable, without_store
from arena.ratings import systems
from arena.results.columns import Column

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arena.ratings.bradley_terry import Advantage
    from arena.ratings.ranking import Ranked, Ranking, RatingSystem
    from arena.ratings.recorded import VersionRating
    from db.records import RatedGame
    from db.search import GameFilter


def _columns() -> tuple[Column[Ranked], ...]:
    from arena.results.ranking_table import RANKING

    return RANKING


@listed(
    _columns,
    about={
        "rank, rank_low, rank_high": "the rank, and the range where it can be",
        "name, games, wins, draws, losses, points, score, rating, error, pool": "",
        "opponents": "their mean rating",
        "los": "over the next player below",
        "marks": "an array of `>`, `<` and `anchor`",
    },
)
@filtered(without=("tournament",))
def rank(
    wanted: GameFilter,
    shown: Shown,
    tournaments: TournamentsArgument = None,
    everything: AllOption = False,
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="FILE|-", help="List of results to rate instead of the database: CSV or PGN."),
    ] = None,
    system: Annotated[
        str | None,
        typer.Option(
            metavar="SYSTEM",
            help=f"Rating system: {', '.join(systems.names())}, or one that an installed package brings.",
            autocompletion=systems.names,
            show_default="elo; plackett-luce for games of more than 2 players",
        ),
    ] = None,
    anchor: game_filters.AnchorOption = None,
    prior: game_filters.PriorOption = None,
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
    svg: game_filters.SvgOption = None,
    db: DatabaseOption = None,
) -> None:
    """Rate the players of a tournament: Elo ratings with 95 % error bars.

    With 95 % probability the true rating lies within rating ± error. Forfeits, void games and games changed by a ruling
    are not rated. `arena docs results` explains every number.

    Example: arena results rank demo --anchor random=0

    Example: arena results rank --all --since 2026-05-01 --system glicko2
    """
    from arena.ratings import ranking
    from arena.ratings.estimates import PRIOR
    from arena.ratings.plots import ranking_plot
    from arena.results import ranking_table
    from db.search import GameFilter

    numbers = {name: value for name, value in (("k", k), ("start", start), ("floor", floor)) if value is not None}
    given = [*numbers, *(["prior"] if prior is not None else []), *(["anchor"] if anchor else [])]
    by_default = PRIOR if prior is None else prior
    settings = ranking.RankingSettings(anchors=game_filters.read_anchors(anchor), prior=by_default, numbers=numbers)
    try:
        chosen = None if system is None else systems.find(system)
    except BadRating as error:
        raise typer.BadParameter(f"--system: {error}") from None
    if source is not None:
        if tournaments or everything or at is not None or db is not None or wanted != GameFilter():
            raise typer.BadParameter(
                "--from rates all games of its file: leave out tournaments, filters, --at and --db"
            )
        heading = note = ""
        games = game_filters.listed_results(source)
        found = systems.rank(games, system=chosen, settings=settings)
    else:
        asked = asked_tournaments(tournaments or [None], everything, what="tournaments")
        with reading(db) as connection:
            scope = game_filters.rated_scope(
                connection, asked, wanted=wanted, at=at, for_points=chosen is not None and chosen.for_points
            )
            found, games = ranking_table.recorded_ranking(connection, scope, system=chosen, settings=settings)
            heading, note = title_of(connection, asked), clocks_note(connection, asked)
    _refuse_options_of_others(given, found.system)
    if svg is not None:
        write_file(svg, ranking_plot(found, title=_title(tournaments, source)))
    _warn(found, games)
    _show(found, shown, prior=settings.prior, heading=heading)
    if note and shown.is_table:
        print(note)


def _warn(found: Ranking, games: Sequence[RatedGame]) -> None:
    """Report on stderr which games and players are not rated."""
    from arena.results.ranking_table import not_rated

    for line in not_rated(found, games):
        print(printable(line), file=sys.stderr)


def _show(found: Ranking, shown: Shown, *, prior: float, heading: str) -> None:
    from arena.results import ranking_table

    columns = ranking_table.columns_of(found)
    if shown.format is OutputFormat.JSON:
        show_json(_document(found, shown.documents(found.players, columns)))
    elif shown.is_table and not found.players:
        print("no rated games")
    else:
        if shown.is_table and heading:
            print(heading)
        if shown.is_table and not found.system.for_points:
            drawn = bars.ratings([(row.rating, row.error) for row in found.players])
            columns = [*bars.with_bar(columns, "lowest to highest", lambda row: drawn(row.rating, row.error))]
        show(found.players, columns, shown)
        if shown.is_table:
            print("\n".join(["", *_footer(found, prior)]))


def _refuse_options_of_others(given: Iterable[str], system: RatingSystem) -> None:
    """Raise BadParameter for options that `system` does not use."""
    for name in given:
        if name not in system.options:
            takers = " or ".join(systems.taking(name))
            raise typer.BadParameter(f"--{name} works only with --system {takers}, the system is {system}")


# Output.


def _title(tournaments: list[str] | None, source: str | None) -> str:
    return " and ".join(tournaments or []) or (source if source not in (None, "-") else None) or "Ratings"


def _document(found: Ranking, players: list[dict[str, Any]]) -> dict[str, Any]:
    """The JSON document. `advantage` is null for games of several kinds, and if it is not known; `advantages` has one
    entry for each kind."""
    advantages = {
        kind: asdict(each) | ({"elo": None} if each.error is None else {}) for kind, each in found.advantages.items()
    }
    one = next(iter(advantages.values())) if len(advantages) == 1 else {}
    return {
        "system": str(found.system),
        "players": players,
        "advantage": one.get("elo"),
        "advantage_error": one.get("error"),
        "draw_rate": one.get("draw_rate"),
        "pools": found.pools,
        "advantages": advantages,
        "unrated": found.unrated,
        "repeated": found.repeated,
    }


def _footer(found: Ranking, prior: float) -> list[str]:
    """The lines below the table: method, prior, first-move advantage, pools, marks."""
    from arena.results.ranking_table import legend

    lines = legend(found)
    if found.system.for_two:
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
        decides = ": their rating is set by the prior" if "prior" in found.system.options else ""
        lines.append(f"> won every game, < lost every game{decides}")
    return lines


def _advantage(each: Advantage) -> str:
    if each.error is None:
        return "first-move advantage: not known from these games"
    return (
        f"first-move advantage: {round(each.elo):+} ± {each.error:.0f} Elo; "
        f"draws between equal players: {each.draw_rate:.1%}"
    )


# `arena results progress`: the rating of each version of an agent, computed from all recorded games at each call.


@listed(
    lambda: VERSIONS,
    about={
        "version, games, rating, error, at": "`at`: when its last game ended",
        "better": "likelihood of superiority over the version before; null for the first",
    },
)
@filtered(without=("agent", "opponent", "seat", "result"))
def progress(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="Agent whose versions to rate.")],
    wanted: GameFilter,
    shown: Shown,
    anchor: game_filters.AnchorOption = None,
    prior: game_filters.PriorOption = None,
    at: AtOption = None,
    svg: game_filters.SvgOption = None,
    db: DatabaseOption = None,
) -> None:
    """Rate each version of an agent: did it get stronger?

    All games are rated together, as by `arena results rank`, with each version of each agent as a separate player. So a
    rating does not fall when opponents improve.

    Example: arena results progress mcts

    Example: arena results progress mcts --anchor random=0 --svg mcts.svg
    """
    from arena.ratings import recorded as ratings
    from arena.ratings.estimates import PRIOR
    from db import lookup, search

    with reading(db) as connection:
        search.versions_named(connection, agent)
        games = game_filters.read_rated(connection, (), wanted=wanted, at=at, versions=True)
        anchors = game_filters.read_anchors(anchor)
        if not anchors:
            players = {player.rpartition("@")[0] for game in games for player in game.names}
            of = None if wanted.tournament is None else [lookup.find_tournament(connection, wanted.tournament)]
            described = lookup.anchors(connection, of)
            anchors = {name: rating for name, rating in described.items() if name in players}
    prior = PRIOR if prior is None else prior
    versions = ratings.progress(games, prior=prior, anchors=anchors).get(agent, [])
    if svg is not None:
        from arena.ratings import plots

        write_file(svg, plots.progress([plots.of_versions(agent, versions)], title=f"Versions of {agent}"))
    if versions or not shown.is_table:
        drawn = bars.ratings([(row.rating, row.error) for row in versions])
        columns = bars.with_bar(VERSIONS, "lowest to highest", lambda row: drawn(row.rating, row.error))
        show(versions, columns if shown.is_table else VERSIONS, shown, first=_FIRST)
    else:
        print(f"{printable(agent)} has no rated game" + " from which a rating follows without a prior" * (prior == 0.0))


_FIRST: Final = ("version", "games", "rating", "error", "better")
VERSIONS: Final[tuple[Column[VersionRating], ...]] = (
    Column("version"),
    Column("at", "last game (UTC)", text=lambda row: (row.at or "")[:10]),
    Column("games", number=True),
    Column("rating", number=True, text=lambda row: f"{round(row.rating)}"),
    Column("error", "±", number=True, text=lambda row: f"{row.error:.0f}"),
    Column("better", "better than before", number=True, text=lambda row: percent(row.better)),
)
