"""`arena new`: creates a small agent to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adsearch import games
from arena.history.words import printable
from arena.student.starter import Language, Style


def new(
    file: Annotated[str, typer.Argument(metavar="FILE", help="File to create: my_agent.py, or .js, .java, .c.")],
    game: Annotated[str, typer.Option(metavar="GAME", help="Game for the agent, with options if needed.")] = "connect4",
    style: Annotated[
        Style | None,
        typer.Option(
            help="Kind of agent. simple: tries each move and each reply; search: uses adsearch; bare: reads and writes "
            "JSON lines, without our library.",
            show_default="simple; bare for other languages than Python",
        ),
    ] = None,
    language: Annotated[
        Language | None, typer.Option(help="Programming language.", show_default="by the ending of FILE")
    ] = None,
) -> None:
    """Create a new agent: a small file that already plays, as a start for your own.

    An existing file is never overwritten.

    Example: arena new my_agent.py --game connect4

    Example: arena new my_agent.js --game othello
    """
    from arena.student import starter

    path = Path(file).expanduser()
    made = starter.agent(path, game, games.start(game), style, language)
    starter.write(path, made.text)
    better = "worth" if "def worth(" in made.text else "choose"
    print(printable(f"{path} plays {game}; change `{better}` to make it stronger. Next:"))
    for command in made.next:
        print(printable(f"  {command}"))
    if game.partition(":")[0] == "rps":
        print("Nobody beats random at rps in the long run: all moves are equally good.")
