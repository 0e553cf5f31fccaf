"""Boards as files: a position as its game draws it, written as a whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from adsearch import State
from adsearch.errors import quote
from adsearch.pictures.svg import framed
from arena.cli.terminal.files import write_file
from arena.errors import ArenaError

SvgOption = Annotated[
    Path | None, typer.Option("--svg", metavar="FILE", help="Draw the board into an SVG file instead.")
]


def write_board(file: Path, state: State[Any], last: Any = None) -> None:
    """Draws the position, to which the move `last` led, into `file`, and says where."""
    try:
        picture = state.svg(last)
    except Exception as error:  # a game of somebody's own may fail with anything
        raise ArenaError(f"svg of {type(state).__name__}: {type(error).__name__}: {error}") from error
    if not isinstance(picture, str):
        raise ArenaError(f"svg of {type(state).__name__}: expected a picture as text, got {quote(picture)}")
    write_file(file, picture if type(state).svg is State.svg else _as_image(state, picture))


def _as_image(state: State[Any], picture: str) -> str:
    """A picture that a user-supplied game drew: a browser that opens the file runs and loads nothing in it."""
    try:
        return framed(picture)
    except ValueError as error:
        raise ArenaError(f"svg of {type(state).__name__}: {error}") from None
