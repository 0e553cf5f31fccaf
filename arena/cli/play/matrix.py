"""`arena matrix`: some players in the first seat, each against each of some others: games won and mean scores."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from adsearch import games
from arena.cli.asking.game_options import CLOCK_HELP, GameArgument, SeedOption, WallsOption
from arena.cli.terminal import notes
from arena.cli.terminal.listings import Shown, listed, show
from arena.match.clock import TimeControl
from arena.match.conditions import Conditions
from arena.players.player import read_player, unique_names
from arena.results.columns import Column, fields
from arena.student.matrix import Matrix, MatrixScore, mean_text

if TYPE_CHECKING:
    from arena.match.schedule import Finished
    from arena.student.matrix import Cell

CELLS: Final[tuple[Column[tuple[Cell, MatrixScore]], ...]] = (
    Column("player", value=lambda row: row[0][0]),
    Column("against", value=lambda row: row[0][1]),
    Column("games", value=lambda row: row[1].games),
    Column("won", value=lambda row: row[1].won),
    Column("mean_score", value=lambda row: row[1].mean),
)
"""One row for each cell of the table."""


@listed(
    lambda: CELLS,
    about={
        "player, against": "in seat 0, and in all other seats (null in a game for one player)",
        "games, won, mean_score": "without void games; won by `player`; its mean utility",
    },
)
def matrix(
    shown: Shown,
    game: GameArgument,
    players: Annotated[
        list[str], typer.Argument(metavar="PLAYER", help="Players for seat 0: a row of the table for each.")
    ],
    against: Annotated[
        list[str] | None,
        typer.Option("--against", metavar="PLAYER", help="Player for all other seats: a column. Can be repeated."),
    ] = None,
    count: Annotated[int, typer.Option("--games", metavar="N", min=1, max=10_000, help="Games for each cell.")] = 10,
    openings: Annotated[
        int, typer.Option(metavar="N", min=0, max=1000, help="Random plies at the start of each game.")
    ] = 0,
    clock: Annotated[str, typer.Option(metavar="CLOCK", help=CLOCK_HELP)] = "none",
    seed: SeedOption = None,
    walls: WallsOption = None,
) -> None:
    """Compare players in a table: each cell has the games won and the mean score of seat 0.

    The players of the rows sit in seat 0, those of --against in all other seats. The games of a cell have different
    dice and openings, and all cells have the same ones. A game is won by the player that beats all others; alone in a
    game, by a score above 0. The games are not recorded.

    Example: arena matrix maze:2,map=trap paranoid expectimax --against random --against greedy

    Example: arena matrix connect4 pvs:depth=2 pvs:depth=6 --against pvs:depth=4 --openings 4
    """
    from arena.match import seeds
    from arena.match.schedule import repeated_games, repeats_tell

    plan = Matrix(
        game=game,
        rows=tuple(map(read_player, dict.fromkeys(players))),
        columns=tuple(map(read_player, dict.fromkeys(against or []))),
        games=count,
        openings=openings,
        conditions=Conditions(clock=str(TimeControl.parse(clock)), walls=walls),
        seed=seeds.short_seed() if seed is None else seed,
    )
    plan.check()
    start = games.start(plan.game)
    finished: list[Finished] = []
    interrupted = False
    try:
        with notes.temporary_line() as tell:
            for one in plan.play(warn=lambda text: print(f"warning: {text}", file=sys.stderr)):
                finished.append(one)
                tell(f"{len(finished)} of {plan.total} games")
    except KeyboardInterrupt:
        interrupted = True
        print(f"\ninterrupted after {len(finished)} of {plan.total} games", file=sys.stderr)
    cells = plan.cells(finished)
    if not shown.is_table:
        show(cells, CELLS, shown)
    else:
        _show(plan, cells)
        if faults := sum(one.record.fault is not None for one in finished):
            print(f"games that ended by a fault of a player: {faults}; arena play shows what went wrong")
        if repeats_tell(start) and (repeated := repeated_games(finished)):
            advice = "" if openings else "; --openings 4 gives each game a different start"
            print(f"{repeated} of {len(finished)} games repeat another game of their cell move for move{advice}")
        if seed is None:
            print(f"to repeat with the same random numbers: --seed {plan.seed}")
    if interrupted:
        raise typer.Exit(130)


def _show(plan: Matrix, cells: Sequence[tuple[Cell, MatrixScore]]) -> None:
    print(f"{plan.game}: games won by seat 0, and its mean score\n")
    others = unique_names(column.name for column in plan.columns) or ("alone",)
    rows = []
    for at, row in enumerate(plan.rows):
        scores_of_row = [score for _, score in cells[at * len(others) :][: len(others)]]
        rows.append({"player": row.name} | dict(zip(others, map(_text, scores_of_row), strict=True)))
    show(rows, fields(("player", *others)))


def _text(score: MatrixScore) -> str:
    return f"{score.won}/{score.games}" + ("" if score.mean is None else f"  {mean_text(score.mean)}")
