"""Arguments that name a position: a game, and the moves to play first."""

from typing import Annotated, Any

import typer

from adsearch import State
from adsearch.errors import BadMove

GameArgument = Annotated[
    str, typer.Argument(metavar="GAME", help="Game, with options if needed: connect4, connect4:rows=5.")
]
MovesOption = Annotated[
    str,
    typer.Option("--moves", metavar="MOVES", help="Moves and dice rolls to play first, separated by spaces."),
]


def after(state: State[Any], moves: str) -> State[Any]:
    """The position after `moves`, a text of moves separated by spaces."""
    for number, text in enumerate(moves.split(), 1):
        try:
            state = state.play(state.from_text(text))
        except BadMove as error:
            raise BadMove(f"--moves, ply {number}: {error}") from None
    return state
