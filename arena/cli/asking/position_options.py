"""Arguments that name a position (a game, a position as text, moves to play first), and how a search looks at it."""

from enum import StrEnum
from math import isnan
from typing import Annotated, Any

import typer

from adsearch import State, games
from adsearch.errors import BadMove, BadPosition, BadSearch, quote

GameArgument = Annotated[
    str, typer.Argument(metavar="GAME", help="Game, with options if needed: connect4, connect4:rows=5.")
]
PositionOption = Annotated[
    str | None,
    typer.Option(
        "--position",
        metavar="TEXT",
        help="Position to start at, as text: arena games GAME explains it.",
        show_default="the start of the game",
    ),
]
MovesOption = Annotated[
    str,
    typer.Option("--moves", metavar="MOVES", help="Moves and dice rolls to play first, separated by spaces."),
]


class Order(StrEnum):
    """The order in which moves are tried."""

    GIVEN = "given"
    REVERSED = "reversed"


OrderOption = Annotated[Order, typer.Option("--order", help="Order in which moves are tried.")]
WindowOption = Annotated[
    str | None,
    typer.Option("--window", metavar="ALPHA,BETA", help="Window of the root, such as 9,11 or -inf,3."),
]


def asked_position(game: str, position: str | None, moves: str) -> State[Any]:
    """The start of `game`, or its `position`, after `moves`, a text of moves separated by spaces."""
    try:
        state = games.start(game) if position is None else games.load(game, position)
    except BadPosition as error:
        raise BadPosition(f"--position: {error}") from None
    for number, text in enumerate(moves.split(), 1):
        try:
            state = state.play(state.from_text(text))
        except BadMove as error:
            raise BadMove(f"--moves, ply {number}: {error}") from None
    return state


def position_title(what: str, position: str | None, moves: str) -> str:
    """The title of a picture of `what`: the position and the moves are named if they are given."""
    begun = what if position is None else f"{what}, from {position}"
    return f"{begun}, after {' '.join(moves.split())}" if moves.split() else begun


def as_searched(state: State[Any], order: Order) -> State[Any]:
    """`state` as a search gets it: with its moves in this order."""
    from adsearch.wrapped import backwards

    return backwards(state) if order is Order.REVERSED else state


def read_window(text: str) -> tuple[float, float]:
    """Alpha and beta of a --window; the search checks their order."""
    try:
        alpha, beta = map(float, text.split(","))
    except ValueError:
        alpha = beta = float("nan")
    if isnan(alpha) or isnan(beta):
        raise BadSearch(f"--window: expected a window such as 9,11 or -inf,3, got {quote(text)}")
    return alpha, beta
