"""The option --svg of commands that show a board, and the function that writes the SVG file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from adsearch import State
from adsearch.errors import quote
from arena.cli.terminal.files import check_folder, write_file
from arena.errors import ArenaError

SvgOption = Annotated[
    Path | None, typer.Option("--svg", metavar="FILE", help="SVG file to draw the board into, instead of printing it.")
]


def write_board(file: Path, state: State[Any], last: Any = None) -> None:
    """Draw the position into `file`, with the move `last` that led to it, and print the file's name to stderr."""
    check_folder(file)
    try:
        picture = state.svg(last)
    except Exception as error:  # a user-supplied game can raise anything
        raise ArenaError(f"svg of {type(state).__name__}: {type(error).__name__}: {error}") from error
    if not isinstance(picture, str):
        raise ArenaError(f"svg of {type(state).__name__}: expected a picture as text, got {quote(picture)}")
    write_file(file, picture if type(state).svg is State.svg else _as_image(state, picture))


def _as_image(state: State[Any], picture: str) -> str:
    """The SVG of a user-supplied game, wrapped as an image, in which a browser runs no script and loads no file."""
    from adsearch.pictures.svg import framed

    try:
        return framed(picture)
    except ValueError as error:
        raise ArenaError(f"svg of {type(state).__name__}: {error}") from None
