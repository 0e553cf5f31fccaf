"""`arena results progress`: the rating of each version of an agent, computed from all recorded games at each call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from arena.cli.asking import rated_games
from arena.cli.asking.game_filters import AtOption, filtered
from arena.cli.asking.record_options import DatabaseOption, reading
from arena.cli.terminal import bars
from arena.cli.terminal.files import write_file
from arena.cli.terminal.listings import Shown, listed, show
from arena.history.words import percent, printable
from arena.results.columns import Column

if TYPE_CHECKING:
    from arena.ratings.progress import VersionRating
    from db.search import GameFilter


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
    anchor: rated_games.AnchorOption = None,
    prior: rated_games.PriorOption = None,
    at: AtOption = None,
    svg: rated_games.SvgOption = None,
    db: DatabaseOption = None,
) -> None:
    """Rate each version of an agent: did it get stronger?

    All games are rated together, as by `arena results rank`, with each version of each agent as a separate player. So a
    rating does not fall when opponents improve.

    Example: arena results progress mcts

    Example: arena results progress mcts --anchor random=0 --svg mcts.svg
    """
    from arena.ratings import progress as ratings
    from arena.ratings.estimates import PRIOR
    from db import lookup, search

    with reading(db) as connection:
        search.versions_named(connection, agent)
        games = rated_games.read(connection, (), wanted=wanted, at=at, versions=True)
        anchors = rated_games.anchors(anchor)
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
