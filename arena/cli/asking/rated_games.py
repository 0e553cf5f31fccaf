"""What the commands about ratings share: which games, anchors, files of results, and pictures."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.asking.game_filters import moment_of, refuse_unknown_game
from arena.cli.terminal.files import read_file
from arena.cli.terminal.tables import Row

if TYPE_CHECKING:
    from db.database import Connection
    from db.rated_games import Scope
    from db.records import RatedGame
    from db.search import Wanted

AnchorOption = Annotated[
    list[str] | None,
    typer.Option("--anchor", metavar="NAME=RATING", help="Give this player that rating; may be repeated."),
]
PriorOption = Annotated[
    float | None,
    typer.Option("--prior", min=0.0, max=1e6, help="Virtual draws of each player; 0 turns them off. Usual: 1."),
]
SvgOption = Annotated[str | None, typer.Option("--svg", metavar="FILE", help="Write this picture of it too.")]


def scope(
    connection: Connection,
    tournaments: Sequence[str | None],
    wanted: Wanted,
    at: str | None,
    *,
    versions: bool = False,
    for_points: bool = False,
) -> Scope:
    """The games of the `tournaments` (none: all; None: the last one), as they are `wanted` and were `at` that date."""
    from db import lookup, rated_games
    from db.search import Wanted

    refuse_unknown_game(connection, wanted)
    return rated_games.Scope(
        tournaments=tuple(lookup.find_tournament(connection, name) for name in tournaments),
        wanted=None if wanted == Wanted() else wanted,
        at=None if at is None else moment_of("--at", at, end=True),
        versions=versions,
        for_points=for_points,
    )


def named(given: Sequence[str] | None, option: str, form: str, *, last: bool = False) -> dict[str, str]:
    """What an option that may be repeated says: "pass=random". Of several signs the first one counts, or the `last`."""
    told = {}
    for text in given or ():
        name, sign, value = text.rpartition("=") if last else text.partition("=")
        if not sign or not name or not value:
            raise typer.BadParameter(f"{option}: expected {form}, got {text!r}")
        if name in told:
            raise typer.BadParameter(f"{option}: {name!r} is there twice")
        told[name] = value
    return told


def anchors(given: Sequence[str] | None) -> dict[str, float]:
    """The ratings that anchors are given."""
    told = {}
    for name, text in named(given, "--anchor", "NAME=RATING", last=True).items():
        try:
            told[name] = float(text)
        except ValueError:
            told[name] = float("nan")
        if not abs(told[name]) <= 1e6:
            raise typer.BadParameter(f"--anchor: expected a rating after {name}=, such as 1500, got {text!r}")
    return told


def listed(file: str) -> list[RatedGame]:
    """The games of a list of results that are to be rated."""
    from arena.history.exchange.result_files import read

    return read(*read_file(file, "a list of results"))


def exact(name: str) -> Callable[[Row], str]:
    """The text of a value in CSV, with all its digits."""

    def text(row: Row) -> str:
        value = row[name]
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            return " ".join(value)
        if isinstance(value, list | dict):
            return json.dumps(value)
        return "" if value is None else repr(value) if isinstance(value, float) else str(value)

    return text


def percent(share: float) -> str:
    """A likelihood for people: never 0 or 100 % where it is not."""
    return f"{min(max(share, 0.001), 0.999):.1%}" if 0.0 < share < 1.0 else f"{share:.0%}"
