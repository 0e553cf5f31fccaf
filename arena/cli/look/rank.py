"""`arena results rank`, `progress` and `versus`: ratings with error bars, of players and of the versions of an
agent, and two players compared.

They are computed from recorded games, or from a file of results, at each call; nothing is stored. docs/results.md
explains each number.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from msgspec import to_builtins
from msgspec.structs import asdict, replace

from adsearch.errors import quote
from arena.cli.asking import game_filters
from arena.cli.asking.game_filters import AtOption, filtered
from arena.cli.asking.record_options import (
    AllOption,
    DatabaseOption,
    TournamentsArgument,
    asked_tournaments,
    reading,
    title_of,
    unlike_note,
)
from arena.cli.terminal import bars
from arena.cli.terminal.files import write_file
from arena.cli.terminal.listings import OF_ROWS, OutputFormat, Shown, listed, show, show_json, show_one
from arena.errors import BadRating
from arena.history import words
from arena.history.words import percent, printable, without_store
from arena.ratings import systems
from arena.ratings.match_statistics import Model, sprt
from arena.results.columns import Column
from db.errors import NotFound

if TYPE_CHECKING:
    from arena.ratings.bradley_terry import Advantage
    from arena.ratings.match_statistics import PairResults, Versus
    from arena.ratings.ranking import Ranked, Ranking
    from arena.ratings.recorded import VersionRating
    from db.database import Connection
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
            heading, note = title_of(connection, asked), unlike_note(connection, asked)
    for name in given:
        if name not in found.system.options:
            takers = " or ".join(systems.taking(name))
            raise typer.BadParameter(f"--{name} works only with --system {takers}, the system is {found.system}")
    if svg is not None:
        title = " and ".join(tournaments or []) or (source if source not in (None, "-") else None) or "Ratings"
        write_file(svg, ranking_plot(found, title=title))
    for line in ranking_table.not_rated(found, games):
        print(printable(line), file=sys.stderr)
    _show(found, shown, prior=settings.prior, heading=heading)
    if note and shown.is_table:
        print(note)


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


# Output.


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
    from db import lookup, rated_games, search

    with reading(db) as connection:
        search.versions_named(connection, agent)
        scope = game_filters.rated_scope(connection, (), wanted=wanted, at=at, versions=True)
        games = rated_games.games(connection, scope)
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


# `arena results versus`: two players compared, computed from all their recorded games at each call.


@listed(without=OF_ROWS)
@filtered(without=("agent", "opponent", "seat", "result"))
def versus(
    a: Annotated[str, typer.Argument(metavar="A", help="First player; alice@2 is version 2 of alice.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Second player.")],
    wanted: GameFilter,
    shown: Shown,
    elo0: Annotated[
        float | None,
        typer.Option("--elo0", metavar="ELO", help="Sequential test (SPRT): H0, A is at most ELO stronger than B."),
    ] = None,
    elo1: Annotated[
        float | None, typer.Option("--elo1", metavar="ELO", help="H1 of the test: A is at least ELO stronger than B.")
    ] = None,
    alpha: Annotated[float, typer.Option(metavar="P", help="Probability of accepting H1 although H0 is true.")] = 0.05,
    beta: Annotated[float, typer.Option(metavar="P", help="Probability of accepting H0 although H1 is true.")] = 0.05,
    model: Annotated[Model, typer.Option(help="Elo scale of --elo0 and --elo1.")] = Model.LOGISTIC,
    at: AtOption = None,
    db: DatabaseOption = None,
) -> None:
    """Compare two players head to head: score by seat, Elo difference with error, verdicts.

    Forfeits, void games and games changed by a ruling do not count.

    Example: arena results versus pvs mcts

    Example: arena results versus pvs random --elo0 0 --elo1 50
    """
    from arena.ratings import match_statistics
    from arena.tournament.format import SprtTerms
    from db import rated_games

    if (elo0 is None) is not (elo1 is None):
        raise typer.BadParameter("a sequential test needs both --elo0 and --elo1")
    with reading(db) as connection:
        (own, own_version), (other, other_version) = (_version(connection, name) for name in (a, b))
        if own == other and (own_version == other_version or None in (own_version, other_version)):
            raise BadRating(f"expected two players, or two versions of one, got {quote(a)} and {quote(b)}")
        versions = (own_version, other_version) != (None, None)
        wanted = replace(wanted, agent=own, opponent=other)
        scope = game_filters.rated_scope(connection, (), wanted=wanted, at=at, versions=versions)
        games = rated_games.games(connection, scope)
    found = match_statistics.versus(games, a, b)
    test, sentence = None, ""
    if elo0 is not None and elo1 is not None:
        terms = SprtTerms(of=a, elo0=elo0, elo1=elo1, alpha=alpha, beta=beta, model=model)
        test = sprt(found.pentanomial, elo0, elo1, alpha, beta, model)
        outcome = words.printable(terms.outcome(test.verdict, b))
        sentence = f"sequential test: {outcome} (LLR {test.llr:.2f}, bounds {test.lower:.2f} and {test.upper:.2f})"
    if shown.in_words:
        print("\n".join(_lines(found)))
        if sentence:
            print(f"\n{sentence}")
        return
    document = _comparison(found)
    if test is not None:
        document["sprt"] = asdict(test)
    show_one(document, shown)


def _version(connection: Connection, name: str) -> tuple[str, int | None]:
    """The agent that `name` means, and its version, or None for all versions."""
    from db.search import versions_named

    agent, sign, number = name.rpartition("@")
    try:
        versions_named(connection, name)
    except NotFound:
        if not sign:
            raise
        there_are = len(versions_named(connection, agent))
        versions = f"{agent}@1" + (f" to {agent}@{there_are}" if there_are > 1 else "")
        if number not in map(str, range(1, there_are + 1)):
            raise BadRating(f"expected {versions}, got {quote(name)}") from None
        return agent, int(number)
    return name, None


def _comparison(found: Versus) -> dict[str, Any]:
    document: dict[str, Any] = to_builtins(found)
    difference = document.pop("difference")
    order = ("a", "b", "games", "wins", "draws", "losses", "by_seat")
    return (
        {name: document[name] for name in order}
        | {"elo": difference["elo"], "error": difference["error"], "normalized": difference["normalized"]}
        | document
    )


def _lines(found: Versus) -> list[str]:
    a, b = words.printable(found.a), words.printable(found.b)
    lines = [f"{a} against {b}: {found.games} game{'s' * (found.games != 1)}"]
    if not found.games:
        return lines
    lines += ["", f"{'':<12}{'W':>5}{'D':>5}{'L':>5}   score"]
    rows: list[tuple[str, Any]] = [("total", found)]
    rows += [(f"in seat {one.seat}", one) for one in found.by_seat]
    for title, one in rows:
        score = (one.wins + one.draws / 2.0) / one.games
        line = f"{title:<12}{one.wins:>5}{one.draws:>5}{one.losses:>5}   {score:.1%}"
        lines.append(f"{line:<40}{bars.results(one.wins, one.draws, one.losses)}" if bars.has_room() else line)
    lines += ["", _difference(found, a), f"likelihood that {a} is better (LOS): {words.percent(found.los)}"]
    if any(found.pentanomial):
        pairs = zip(("0", "½", "1", "1½", "2"), found.pentanomial, strict=True)
        counts = ", ".join(f"{points}: {count}" for points, count in pairs)
        lines.append(f"pentanomial (pairs by points of {a}): {counts}")
    if found.single:
        lines.append(f"games outside pairs: {found.single}")
    if found.repeated:
        lines.append(f"pairs and single games that repeat earlier ones: {found.repeated}; the error counts them once")
    lines.append(
        "verdicts: " + ", ".join(f"{words.printable(verdict)} {count}" for verdict, count in found.verdicts.items())
    )
    if found.longest is not None and found.shortest is not None:
        lines.append(f"longest: {_met(found.longest)}")
        lines.append(f"shortest: {_met(found.shortest)}")
    lines += ["", "last games", *(f"  {_met(one)}" for one in found.last)]
    return lines


def _difference(found: Versus, a: str) -> str:
    difference = found.difference
    if difference.elo is None:
        line = f"Elo difference: not known, because {a} {'won' if found.wins else 'lost'} every game"
        if found.bound is not None:
            line += f"; at {'least' if found.wins else 'most'} {round(found.bound):+} (95 %)"
        return line
    error = "; too few games for an error" if difference.error is None else f" ± {difference.error:.0f} (95 %)"
    line = f"Elo difference: {round(difference.elo):+}{error}"
    if difference.normalized is not None:
        line += f"; normalized {round(difference.normalized):+}"
    return line


def _met(one: PairResults) -> str:
    result = {1.0: "won", 0.5: "drew", 0.0: "lost"}[one.points]
    how = "" if one.verdict == "normal" else f", {words.printable(one.verdict)}"
    length = "" if one.plies is None else f", {words.plies(one.plies)}"
    return f"game {one.id}: {result} in seat {one.seat}{how}{length}"
