"""`arena init`: creates the description of a tournament."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from adsearch import games
from arena.history.words import printable


def init(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Name of the tournament, or file to create: cs101, cs101.toml.")
    ],
    game: Annotated[
        str, typer.Option(metavar="GAME", help="Game of the tournament, with options if needed.")
    ] = "connect4",
) -> None:
    """Create the description of a tournament: a TOML file with every setting and its default.

    `arena run` can play it immediately, with built-in agents. An existing file is never overwritten.

    Example: arena init cs101

    Example: arena init cs101 --game othello:size=6
    """
    from arena.student import starter

    path = starter.description_file(name)
    starter.write(path, starter.tournament(path.stem, game, games.start(game)))
    file = shlex.quote(str(path))
    print(printable(f"{path} describes a tournament of {game}; it lists every setting. Next:"))
    for command in (
        f"arena run {file} --plan",
        f"arena collect submissions.zip --roster roster.csv --tournament {file}",
        f"arena run {file}",
    ):
        print(printable(f"  {command}"))
