"""What several commands take to get at a position: a game, and moves to play first."""

from typing import Annotated, Any

import typer

from adsearch import State
from adsearch.errors import BadMove

GameArgument = Annotated[str, typer.Argument(metavar="GAME", help="The game, with options if you like.")]
MovesOption = Annotated[str, typer.Option("--moves", help="Play these first, with blanks between; throws of dice too.")]


def after(state: State[Any], moves: str) -> State[Any]:
    """The position after the moves whose texts `moves` holds."""
    for number, text in enumerate(moves.split(), 1):
        try:
            state = state.play(state.from_text(text))
        except BadMove as error:
            raise BadMove(f"--moves, ply {number}: {error}") from None
    return state
