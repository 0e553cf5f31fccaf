"""`arena init`: the first text of a tournament's description."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from adsearch import games
from arena.history.words import printable


def init(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The tournament, or the file to make: cs101, cs101.toml.")
    ],
    game: Annotated[str, typer.Option(metavar="GAME", help="What is played, with options if you like.")] = "connect4",
) -> None:
    """Begin a tournament: a description with every setting in it, and what is usual.

    It can be run as it is, between agents of ours. A file that is there already is never overwritten.

    Example: arena init cs101

    Example: arena init cs101 --game othello:size=6
    """
    from arena.student import starter

    path = starter.description_file(name)
    starter.write(path, starter.tournament(path.stem, game, games.start(game)))
    file = shlex.quote(str(path))
    print(printable(f"{path} describes a tournament of {game}; every setting is in it. Next:"))
    for command in (
        f"arena run {file} --plan",
        f"arena collect submissions.zip --roster roster.csv --tournament {file}",
        f"arena run {file}",
    ):
        print(printable(f"  {command}"))
