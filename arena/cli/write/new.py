"""`arena new`: creates a small agent to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from adsearch import games
from arena.history.words import printable
from arena.student import starter
from arena.student.starter import Style

_LANGUAGES: Final = starter.with_templates()
_OTHERS: Final = ", ".join(language.ending for language in _LANGUAGES.values() if not language.hosted)


def new(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help=f"File to create: my_agent.py, or {_OTHERS}; or a folder: my_agent/."),
    ],
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
        str | None,
        typer.Option(
            metavar="LANGUAGE",
            help=f"Programming language: {', '.join(_LANGUAGES)}.",
            autocompletion=lambda: [*_LANGUAGES],
            show_default="by the ending of FILE",
        ),
    ] = None,
) -> None:
    """Create a new agent that already plays, as a start for your own: a small file, or a folder with two files.

    An existing file or folder is never overwritten. In another language than Python, an agent of connect4 or othello
    comes with a second file that has the rules of the game, so that it can search.

    Example: arena new my_agent.py --game connect4

    Example: arena new my_agent/ --game othello

    Example: arena new bot.cpp --game connect4
    """
    path = Path(file).expanduser()
    folder = file.endswith("/")
    made = starter.agent(path, game, games.start(game), style, language, folder=folder)
    kept: list[str] = []
    if folder:
        starter.write_folder(path, made.files)
    else:
        kept = starter.write_with_rules(path, made.files)
    better = "worth" if any("def worth(" in text for text in made.files.values()) else "choose"
    beside = [name for name in made.files if not folder and name != path.name]
    for name in beside:
        there = (
            "is there already, with another text, and was not changed" if name in kept else "has the rules of the game"
        )
        print(printable(f"{path.with_name(name)} {there}."))
    print(printable(f"{path}{'/' * folder} plays {game}; change `{better}` to make it stronger. Next:"))
    for command in made.next:
        print(printable(f"  {command}"))
    if game.partition(":")[0] == "rps":
        print("Nobody beats random at rps in the long run: all moves are equally good.")
