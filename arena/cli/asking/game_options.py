"""Options about games: the position, the clock, the random seed, how agents are confined, and on which machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from math import isnan
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from adsearch import State, games
from adsearch.errors import BadMove, BadPosition, BadSearch, quote
from arena.match.allowance import WallKind
from arena.match.clock import SECOND, TimeControl

if TYPE_CHECKING:
    from arena.hosts.home import Cluster
    from arena.walls.run_folder import RunFolder

# Arguments that name a position (a game, a position as text, moves to play first), and how a search looks at it.


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


# How games are played.


CLOCK_HELP: Final = (
    "Clock in seconds: 60, 60+0.5 (+0.5 a move), 40/300+3 (300 for 40 moves), 60+5x10 (byo-yomi), move=0.1 or none."
)
SLOW: Final = 5 * SECOND
"""A move without a clock that takes longer is explained once."""
NO_CLOCK: Final = "there is no clock, so a player may think this long; --clock 10+0.1 sets one"
MARGIN_HELP: Final = "Seconds that a player can exceed its time."
OpeningsOption = Annotated[
    str,
    typer.Option(
        metavar="N|FILE",
        help="Random plies at the start, or a file of openings: moves in each line, book.epd, or book.pgn,plies=16. "
        "After it ,order=given plays them as in the file, ,start=N from the Nth on.",
    ),
]
FromOption = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="POSITION",
        help="Position from which the games begin, as text: arena games GAME explains it.",
        show_default="as the rules say",
    ),
]
MaxPliesOption = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Number of plies after which a game is a draw.", show_default="no limit"),
]


def clocks_asked(texts: Sequence[str]) -> dict[str, Any]:
    """The key `clock`, if it was given, and the clocks of single players by name, written NAME=CLOCK."""
    common: list[str] = []
    own: dict[str, str] = {}
    for text in texts:
        name, _, clock = text.rpartition("=")
        if name == "move" or name.endswith("=move"):
            name, clock = name[: -len("=move")], f"move={clock}"
        if name.strip() in own:
            raise typer.BadParameter(f"--clock: {name.strip()} is given twice")
        if name:
            own[name.strip()] = str(TimeControl.parse(clock))
        else:
            common.append(text)
    if len(common) > 1:
        raise typer.BadParameter(f"--clock: expected one clock for all, got {' and '.join(common)}")
    return {"clock": common[0] if common else None, "own_clocks": own}


def openings_asked(text: str) -> int | dict[str, int | str]:
    """The value of the key `openings` that an option means: a number of plies, or a file with what is said of it."""
    if text.lstrip("-").isdigit():
        return int(text)
    file, *more = text.split(",")
    pairs = [part.partition("=") for part in more]
    return {"file": file} | {key: int(value) if value.isdigit() else value for key, _, value in pairs}


def rule_asked(text: str | None, option: str, names: Sequence[str], flag: str = "") -> dict[str, float | bool] | None:
    """The table of a rule that ends games early, from numbers separated by commas; at the end can be a flag's name."""
    if text is None:
        return None
    parts = text.split(",")
    is_set = flag != "" and parts[-1] == flag
    try:
        numbers = [float(part) if "." in part else int(part) for part in parts[: len(parts) - is_set]]
    except ValueError:
        numbers = []
    if len(numbers) != len(names):
        expected = ",".join(map(str.upper, names)) + f"[,{flag}]" * bool(flag)
        raise typer.BadParameter(f"{option}: expected {expected} as numbers, got {text!r}")
    return {**dict(zip(names, numbers, strict=True)), **({flag: True} if is_set else {})}


SeedOption = Annotated[
    int | None,
    typer.Option(
        min=0,
        metavar="N",
        help="Random seed, to repeat openings, chance events and agents' random choices.",
        show_default="random",
    ),
]
BEST_WALLS: Final = "sandbox if possible, else limits"
WallsOption = Annotated[
    WallKind | None,
    typer.Option(
        metavar="WALLS", help="Walls around user-supplied code: limits, sandbox or container.", show_default=BEST_WALLS
    ),
]


# The option --on: a Dask cluster whose game hosts do the work.


OnOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Dask scheduler whose game hosts do the work, such as tcp://scheduler:8786; or dask, for a cluster on "
        "this machine.",
        show_default="this process",
    ),
]
NoHostsOption = Annotated[str | None, typer.Option(hidden=True)]
"""--on of a command that once used hosts."""


def refuse_hosts(on: str | None, command: str) -> None:
    """BadParameter if --on is given to a command that runs on this machine only."""
    if on is not None:
        raise typer.BadParameter(
            f"--on: checks run on this machine only; start {command} on the machine that has more cores"
        )


def check_on(on: str | None) -> None:
    """ArenaError if the value of --on is no address that can be used here, or Dask is missing."""
    if on is None:
        return
    from arena.hosts.messages import LOCAL, check_address, check_certificate, check_dask

    if on != LOCAL:
        check_address(on, "--on", f", or {LOCAL} for a cluster on this machine")
    check_dask("--on")
    if on != LOCAL:
        check_certificate(on, "--on", "client")


@contextmanager
def cluster_at(on: str, folder: RunFolder, games: int) -> Iterator[tuple[Cluster, bool]]:
    """The cluster, and whether it is one of this machine, which then plays this number of games at the same time."""
    from arena.hosts.home import Cluster
    from arena.hosts.messages import LOCAL

    if on != LOCAL:
        with Cluster(on) as cluster:
            yield cluster, False
        return
    from arena.hosts.worker import local_cluster

    with local_cluster(folder, games) as (address, security), Cluster(address, security=security) as cluster:
        yield cluster, True
