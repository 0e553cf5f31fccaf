"""`arena new`: the first text of an agent."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adsearch import games
from arena.history.words import printable
from arena.student.starter import Language, Style


def new(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to make: my_agent.py, or .js, or .c.")],
    game: Annotated[
        str, typer.Option(metavar="GAME", help="What it shall play, with options if you like.")
    ] = "connect4",
    style: Annotated[
        Style | None,
        typer.Option(
            help="simple: looks at each move and the answers to it; search: uses adsearch; bare: JSON lines, without "
            "our kit. Usual: simple, in other languages than Python bare."
        ),
    ] = None,
    language: Annotated[Language | None, typer.Option(help="Usual: by the end of the file's name.")] = None,
) -> None:
    """Begin an agent: a small file that plays at once, to be changed.

    A file that is there already is never overwritten.

    Example: arena new my_agent.py --game connect4

    Example: arena new my_agent.py --game pig --style search

    Example: arena new my_agent.js --game othello
    """
    from arena.student import starter

    path = Path(file).expanduser()
    made = starter.agent(path, game, games.start(game), style, language)
    starter.write(path, made.text)
    better = "worth" if "def worth(" in made.text and style is starter.Style.SEARCH else "choose"
    print(printable(f"{path} plays {game}; change `{better}` to make it better. Next:"))
    for command in made.next:
        print(printable(f"  {command}"))
    if game.partition(":")[0] == "rps":
        print("Nobody beats random at rps in the long run: every move is as good as any other.")
