"""`arena progress`: one player's rating over time.

It is computed from the record at the moment it is asked, and nothing is changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from msgspec.structs import asdict

from arena.cli.asking import rated_games
from arena.cli.asking.game_filters import AtOption, filtered
from arena.cli.asking.record_options import DatabaseOption, reading
from arena.cli.terminal.files import write_file
from arena.cli.terminal.listings import Columns, FormatOption, OutputFormat, exact_columns, show
from arena.history.words import printable

if TYPE_CHECKING:
    from db.search import Wanted

_BLOCKS: Final = "▁▂▃▄▅▆▇█"


@filtered(without=("agent", "opponent", "seat", "result"))
def progress(
    agent: Annotated[str, typer.Argument(metavar="A", help="The player.")],
    wanted: Wanted,
    anchor: rated_games.AnchorOption = None,
    prior: rated_games.PriorOption = None,
    at: AtOption = None,
    svg: rated_games.SvgOption = None,
    format: FormatOption = OutputFormat.TABLE,
    db: DatabaseOption = None,
) -> None:
    """A player's rating over time, version after version.

    Each number is what `arena rank` would have said at that moment, with every version of everybody as a player of its
    own.

    Example: arena progress alice --svg alice.svg

    Example: arena progress alice --anchor random=0 --tournament cs101
    """
    from arena.ratings.estimates import PRIOR
    from arena.ratings.progress import ratings_over_time
    from db import lookup, search

    with reading(db) as connection:
        search.known(connection, agent)
        games = rated_games.read(connection, (), wanted=wanted, at=at, versions=True)
        anchors = rated_games.anchors(anchor)
        if not anchors:
            players = {player.rpartition("@")[0] for game in games for player in game.names}
            of = None if wanted.tournament is None else [lookup.find_tournament(connection, wanted.tournament)]
            described = lookup.anchors(connection, of)
            anchors = {name: rating for name, rating in described.items() if name in players}
    prior = PRIOR if prior is None else prior
    moments = ratings_over_time(games, of=agent, prior=prior, anchors=anchors).get(agent, [])
    if svg is not None:
        from arena.ratings import plots

        write_file(svg, plots.progress(plots.by_version(moments), title=f"{agent} over time"))
    rows = [asdict(moment) for moment in moments]
    if format is not OutputFormat.TABLE:
        show(rows, exact_columns(_FIELDS), format=format)
    elif rows:
        show(_by_version(rows), _BY_VERSION, format=format, numbers=("games", "rating", "±"))
    else:
        print(f"{printable(agent)} has no rated game" + " that tells a rating without a prior" * (prior == 0.0))


_FIELDS: Final = ("version", "at", "games", "total", "rating", "error")


def _by_version(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The last moment of each version, with all of them drawn in a line."""
    low, high = (pick((row["rating"] for row in rows), default=0.0) for pick in (min, max))
    found = []
    for version in dict.fromkeys(row["version"] for row in rows):
        own = [row for row in rows if row["version"] == version]
        heights = [round((row["rating"] - low) / (high - low or 1.0) * (len(_BLOCKS) - 1)) for row in own]
        found.append(own[-1] | {"line": "".join(_BLOCKS[height] for height in heights)})
    return found


_BY_VERSION: Final[Columns] = {
    "version": lambda row: row["version"],
    "games": lambda row: str(row["games"]),
    "rating": lambda row: f"{row['rating']:.0f}",
    "±": lambda row: f"{row['error']:.0f}",
    "until": lambda row: (row["at"] or "")[:10],
    "over time": lambda row: row["line"],
}
