"""Options and functions that the commands about ratings share: games to read, anchors, lists of results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.asking.game_filters import moment_of, refuse_unknown_game
from arena.cli.terminal.files import read_file

if TYPE_CHECKING:
    from db.database import Connection
    from db.rated_games import Scope
    from db.records import RatedGame
    from db.search import GameFilter

AnchorOption = Annotated[
    list[str] | None,
    typer.Option("--anchor", metavar="NAME=RATING", help="Fixed rating of a player; can be repeated."),
]
PriorOption = Annotated[
    float | None,
    typer.Option(
        "--prior",
        metavar="N",
        min=0.0,
        max=1e6,
        help="Virtual draws added to the results of each player; 0 adds none.",
        show_default="1",
    ),
]
SvgOption = Annotated[
    str | None, typer.Option("--svg", metavar="FILE", help="SVG file to draw the results into as well.")
]


def scope(
    connection: Connection,
    tournaments: Sequence[str | None],
    *,
    wanted: GameFilter,
    at: str | None,
    versions: bool = False,
    for_points: bool = False,
) -> Scope:
    """The games of `tournaments` (empty: all; [None]: the newest) that match `wanted`, as they were `at` a date."""
    from db import lookup, rated_games
    from db.search import GameFilter

    refuse_unknown_game(connection, wanted)
    return rated_games.Scope(
        tournaments=tuple(lookup.find_tournament(connection, name) for name in tournaments),
        wanted=None if wanted == GameFilter() else wanted,
        at=None if at is None else moment_of("--at", at, end=True),
        versions=versions,
        for_points=for_points,
    )


def read(
    connection: Connection,
    tournaments: Sequence[str | None],
    *,
    wanted: GameFilter,
    at: str | None,
    versions: bool = False,
    for_points: bool = False,
) -> list[RatedGame]:
    """The games of `scope`, with the same arguments."""
    from db import rated_games as record

    asked = scope(connection, tournaments, wanted=wanted, at=at, versions=versions, for_points=for_points)
    return record.games(connection, asked)


def named(given: Sequence[str] | None, option: str, form: str, *, last: bool = False) -> dict[str, str]:
    """The values of an option such as --bar pass=random, by name; split at the first "=", or at the `last` one."""
    found = {}
    for text in given or ():
        name, sign, value = text.rpartition("=") if last else text.partition("=")
        if not sign or not name or not value:
            raise typer.BadParameter(f"{option}: expected {form}, got {text!r}")
        if name in found:
            raise typer.BadParameter(f"{option}: {name!r} is given twice")
        found[name] = value
    return found


def anchors(given: Sequence[str] | None) -> dict[str, float]:
    """The rating of each --anchor, by player."""
    found = {}
    for name, text in named(given, "--anchor", "NAME=RATING", last=True).items():
        try:
            found[name] = float(text)
        except ValueError:
            found[name] = float("nan")
        if not abs(found[name]) <= 1e6:
            raise typer.BadParameter(f"--anchor: expected a rating after {name}=, such as 1500, got {text!r}")
    return found


def listed(file: str) -> list[RatedGame]:
    """The games in a list of results."""
    from arena.history.exchange.result_files import read

    return read(*read_file(file, "a list of results"))
