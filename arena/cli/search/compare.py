"""`arena search compare`: the cost of search algorithms at each depth, side by side."""

import re
import sys
from typing import Annotated, Any, Final

import typer

from adsearch.errors import BadSearch, quote
from arena.cli.asking.game_options import (
    GameArgument,
    MovesOption,
    Order,
    OrderOption,
    PositionOption,
    WallsOption,
    WindowOption,
    asked_position,
    read_window,
)
from arena.cli.search.trace import is_path_search
from arena.cli.terminal.listings import Shown, listed, show
from arena.cli.terminal.notes import note
from arena.course.lecture.comparison import Comparison, gains, mark_differences
from arena.results.columns import PROGRAMS, Column, fields

COMPARED: Final[tuple[Column[dict[str, Any]], ...]] = (
    Column("depth"),
    Column("algorithm"),
    Column("value", text=lambda row: _bounded(row) + (" !" if row["differs"] else "")),
    *fields(("bound", "differs"), on=PROGRAMS),
    Column("move", text=lambda row: row["move"] or "-"),
    Column("nodes", text=lambda row: f"{row['nodes']:,}"),
    Column("positions", "distinct", text=lambda row: "-" if row["positions"] is None else f"{row['positions']:,}"),
    Column("leaves", text=lambda row: "-" if row["leaves"] is None else f"{row['leaves']:,}"),
    Column("speed", text=lambda row: "-" if row["speed"] is None else f"{row['speed'] / 1000:>4.0f} k"),
    Column("branching", "b", text=lambda row: "-" if row["branching"] is None else f"{row['branching']:.1f}"),
    Column("time", text=lambda row: f"{row['time'] / 1000:.2f} s"),
)
_FIRST: Final = ("depth", "nodes", "positions", "leaves", "time", "speed", "branching", "value", "move")
"""The order of the table; the algorithm, whose name can be long, stands last."""


@listed(
    lambda: COMPARED,
    about={
        "depth, algorithm, value, move, time": "`value`: for the seat to move",
        "bound": "`exact`, `lower` or `upper`",
        "differs": "whether the value is not that of the first algorithm",
        "nodes, branching, speed": "visits; effective branching factor; nodes per second",
        "positions, leaves": (
            "different positions, and those whose value was read; null for your own function, and above 500,000 nodes"
        ),
    },
)
def compare(
    shown: Shown,
    game: GameArgument,
    algorithms: Annotated[
        list[str],
        typer.Argument(
            metavar="ALGORITHM",
            help="Searches, with options if needed (minimax alphabeta:table=true pvs), or your own: FILE.py:FUNCTION.",
        ),
    ],
    depth: Annotated[str, typer.Option("--depth", metavar="N|N-M", help="Search depth, or a range of depths.")] = "1-4",
    order: OrderOption = Order.GIVEN,
    window: WindowOption = None,
    position: PositionOption = None,
    moves: MovesOption = "",
    nodes: Annotated[
        int | None,
        typer.Option(
            "--nodes",
            metavar="N",
            min=1,
            help="Node limit of each search; an algorithm that needs more is not run deeper.",
            show_default="none",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            metavar="SECONDS",
            min=0.0,
            help="Time limit of each search; after a timeout the algorithm is not run deeper.",
            show_default="none",
        ),
    ] = None,
    processes: Annotated[
        int, typer.Option("--processes", metavar="N", min=1, max=64, help="Number of processes for parallel.")
    ] = 1,
    walls: WallsOption = None,
) -> None:
    """Compare search algorithms: value, nodes and time at each depth.

    Nodes are visits. The column distinct counts the different positions that were looked at, leaves the different ones
    whose value was read: ends of the game and estimates. Both are "-" above 500,000 nodes. The column speed has
    thousands of nodes per second. The column b is the effective branching factor: a uniform tree with 1 + b + b^2 + ...
    + b^depth nodes has the same size. A value that differs from the first algorithm's at the same depth is marked with
    "!".

    --window is for all algorithms that have a window; alphabeta:alpha=9,beta=11 is for one.

    parallel shares its search among --processes. A line below the table says how much faster it is than alphabeta, and
    how many nodes more it needs: the wasted ones.

    Your own function runs in a sandbox and has the parameters that arena course judge --help lists. Its nodes are the
    positions that it creates with state.play, and the root. Its value can be for the player to move or for MAX.
    A function without the parameter depth does the same search at every depth: compare it on a small game, at the depth
    at which the game ends.

    Example: arena search compare connect4 minimax alphabeta pvs --depth 1-6

    Example: arena search compare tictactoe alphabeta alphabeta:table=true --depth 9

    Example: arena search compare connect4 alphabeta pvs --depth 1-20 --nodes 100000

    Example: arena search compare connect4 alphabeta parallel --processes 2 --depth 8

    Example: arena search compare nap:9 alphabeta my_search.py:alphabeta --depth 9
    """
    if processes > 1 and "parallel" not in algorithms:
        raise BadSearch("--processes is for parallel; add it to the algorithms, such as alphabeta parallel")
    depths = _depths(depth)
    state = asked_position(game, position, moves)
    if len({is_path_search(text) for text in algorithms}) > 1:
        raise BadSearch("path searches can only be compared with each other: their values are costs, not utilities")
    comparison = Comparison(
        game=game,
        state=state,
        backwards=order is Order.REVERSED,
        window=None if window is None else read_window(window),
        nodes=nodes,
        seconds=seconds,
        processes=processes,
        walls=walls,
        tell=note,
    )
    rows: list[dict[str, Any]] = []
    failed = interrupted = False
    try:
        failed = not comparison.run(algorithms, depths, rows)
    except KeyboardInterrupt:
        interrupted = True
        print("\ninterrupted; the table has the searches that ended before", file=sys.stderr)
    if mark_differences(rows):
        note('a value marked "!" differs from the first algorithm at the same depth')
    show(rows, COMPARED, shown, first=_FIRST)
    if shown.is_table:
        for line in gains(rows, processes):
            print(line)
    if interrupted:
        raise typer.Exit(130)
    if failed:
        raise typer.Exit(1)


def _depths(text: str) -> range:
    """The depths in a text such as "5" or "1-8"."""
    found = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", text.strip(), re.ASCII)
    if not found or int(found[1]) > int(found[2] or found[1]):
        raise BadSearch(f"--depth: expected a depth or a range of them, such as 6 or 1-8, got {quote(text)}")
    return range(int(found[1]), int(found[2] or found[1]) + 1)


def _bounded(row: dict[str, Any]) -> str:
    """The value, or the bound of it."""
    sign = {"exact": "", "lower": ">= ", "upper": "<= "}[row["bound"]]
    return "-" if row["value"] is None else f"{sign}{round(row['value'], 4):.6g}"
