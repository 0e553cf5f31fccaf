"""`arena search compare`: the cost of search algorithms at each depth, side by side.

It measures wall time, which the searches do not use: apart from times, the output is the same on every run.
"""

import re
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from inspect import signature
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from adsearch import State
from adsearch.budget import Budget
from adsearch.errors import BadSearch, quote
from arena.cli.asking.playing_options import WallsOption
from arena.cli.asking.position_options import (
    GameArgument,
    MovesOption,
    Order,
    OrderOption,
    PositionOption,
    WindowOption,
    as_searched,
    asked_position,
    read_window,
)
from arena.cli.search.path_trace import is_path_search
from arena.cli.search.speed_up import ProcessesOption, check_processes, gains, worker_processes
from arena.cli.terminal.listings import Shown, listed, show
from arena.cli.terminal.notes import note
from arena.match.allowance import WallKind
from arena.players.player import split_path
from arena.results.columns import PROGRAMS, Column, fields

if TYPE_CHECKING:
    from adsearch.parallel import Workers
    from adsearch.wrapped import Seen

_LONGEST: Final = 600.0
"""Timeout of a student's function without --seconds, in seconds."""
_MOST_WATCHED: Final = 500_000
"""Number of nodes up to which different positions are counted; that takes about twice the time of the search."""
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


@listed(lambda: COMPARED)
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
    processes: ProcessesOption = 1,
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
    check_processes(processes, algorithms)
    depths = _depths(depth)
    state = asked_position(game, position, moves)
    if len({is_path_search(text) for text in algorithms}) > 1:
        raise BadSearch("path searches can only be compared with each other: their values are costs, not utilities")
    ends = None if window is None else read_window(window)
    rows: list[dict[str, Any]] = []
    failed = interrupted = False
    try:
        with ExitStack() as stack:
            workers = stack.enter_context(worker_processes(processes, game))
            searches = {
                text: _own_search(text, game, state, order=order, walls=walls, seconds=seconds, stack=stack)
                if split_path(text)
                else _our_search(text, as_searched(state, order), ends, nodes, seconds, workers)
                for text in algorithms
            }
            for plies in depths:
                for text, search in list(searches.items()):
                    begun = time.perf_counter()
                    try:
                        found = search(plies)
                    except _Failed as error:
                        failed = True
                        del searches[text]
                        note(f"{text}: {error}; left out from depth {plies} on")
                        continue
                    took = time.perf_counter() - begun
                    if limit := _limit_reached(found, took, nodes, seconds):
                        del searches[text]
                        note(f"{text}: depth {plies} takes more than {limit}; left out from this depth on")
                    else:
                        rows.append(_row(text, plies, found, took))
                        if split_path(text) and state.turn == 1:
                            _turn_to_mover(rows)
    except KeyboardInterrupt:
        interrupted = True
        print("\ninterrupted; the table has the searches that ended before", file=sys.stderr)
    if _flag(rows):
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


class _Failed(Exception):
    """A student's function gave no result; the text says why."""


@dataclass(frozen=True, slots=True)
class _Found:
    """The result of one search."""

    value: float
    bound: str
    move: str | None
    nodes: int
    cut: bool = False
    """Whether a limit ended the search before it was complete."""
    watched: "Callable[[Seen], object] | None" = None
    """Searches once more and records what it looks at; None for a student's function."""


_Search = Callable[[int], _Found]
"""Searches the position to a depth."""


def _our_search(
    text: str,
    state: State[Any],
    window: tuple[float, float] | None,
    nodes: int | None,
    seconds: float | None,
    workers: "Workers",
) -> _Search:
    from adsearch import searches
    from adsearch.wrapped import watched

    run, options = searches.configured(text)
    if window is not None and "alpha" in signature(run).parameters:
        options = dict(zip(("alpha", "beta"), window, strict=True)) | options
    elif window is not None:
        note(f"{text} has no window: it searches without --window")

    shared = {"workers": workers} if "workers" in signature(run).parameters else {}

    def search(depth: int) -> _Found:
        budget = None if nodes is None else Budget(nodes=nodes)
        if seconds is not None:
            budget = Budget.seconds(seconds, time.monotonic, nodes=nodes)
        result = run(state, depth=depth, budget=budget, **options, **shared)
        move = None if result.move is None else state.to_text(result.move)
        again = lambda seen: run(watched(state, seen), depth=depth, **options)  # noqa: E731
        # parallel never visits more nodes than the limit, so that only the depth says whether it was complete.
        cut = depth > 0 and result.depth == 0
        return _Found(result.value, result.bound.value, move, result.nodes, cut, again)

    return search


def _own_search(
    text: str,
    game: str,
    state: State[Any],
    *,
    order: Order,
    walls: WallKind | None,
    seconds: float | None,
    stack: ExitStack,
) -> _Search:
    """The search with a student's function, in a confined process."""
    from arena.course.lecture.student_process import StudentProcess, file_and_function

    if state.players > 2 or state.hidden:
        raise BadSearch(f"{text}: your own function can search only games of one or two players, without hidden cards")
    file, function = file_and_function(text)
    if not function:
        raise BadSearch(f"expected FILE.py:FUNCTION, such as {text}:alphabeta, got {quote(text)}")
    path = split_path(game)
    rules = game if path is None else f"{Path(path[0]).expanduser().absolute()}{path[1]}"
    limit = _LONGEST if seconds is None else seconds
    process = stack.enter_context(StudentProcess(file, function, walls=walls, seconds=limit, rules=rules))
    # Now, so that the first search is not charged for the start of the process.
    if failed := process.loaded().failed:
        raise BadSearch(f"{text}: {failed}")
    if not process.takes_depth:
        note(f"{text} has no parameter depth: it does the same search at every depth")

    def search(depth: int) -> _Found:
        answer = process.search(state.position(), depth, backwards=order is Order.REVERSED)
        if answer.failed or answer.value is None:
            if seconds is not None and answer.failed.startswith("no answer within"):
                return _Found(0.0, "exact", None, 0)  # too late: its time is over the limit
            raise _Failed(answer.failed)
        return _Found(answer.value, "exact", answer.move, answer.nodes)

    return search


def _turn_to_mover(rows: list[dict[str, Any]]) -> None:
    """If the last row's value is that of the first row of its depth for the other player, write it for the mover."""
    last = rows[-1]
    first = next(row for row in rows if row["depth"] == last["depth"])["value"]
    if first is not None and last["value"] is not None and abs(first + last["value"]) <= 1e-9:
        last["value"] = first


def _limit_reached(found: _Found, took: float, nodes: int | None, seconds: float | None) -> str:
    """The limit that a search has reached, in words; empty if it has reached none."""
    if nodes is not None and (found.nodes > nodes or (found.cut and (seconds is None or took < seconds))):
        return f"{nodes:,} nodes"
    return f"{seconds:g} s" if seconds is not None and took >= seconds else ""


def _row(text: str, depth: int, found: _Found, took: float) -> dict[str, Any]:
    from adsearch.size import effective_branching
    from adsearch.wrapped import Seen

    seen = None
    if found.watched is not None and found.nodes <= _MOST_WATCHED:
        # A second search, so that the timed one is as fast as always.
        seen = Seen()
        found.watched(seen)
    return {
        "depth": depth,
        "algorithm": text,
        "value": found.value if isfinite(found.value) else None,
        "bound": found.bound,
        "differs": False,
        "move": found.move,
        "nodes": found.nodes,
        "positions": None if seen is None else len(seen.positions),
        "leaves": None if seen is None else len(seen.leaves),
        "speed": round(found.nodes / took) if took else None,
        "branching": effective_branching(found.nodes, depth),
        "time": round(took * 1000),
    }


def _flag(rows: list[dict[str, Any]]) -> bool:
    """Mark the rows whose value differs from the first row of the same depth; return whether there are any."""
    first: dict[int, float | None] = {}
    for row in rows:
        value = first.setdefault(row["depth"], row["value"])
        if value is not None and row["value"] is not None:
            row["differs"] = abs(row["value"] - value) > 1e-9
    return any(row["differs"] for row in rows)


def _bounded(row: dict[str, Any]) -> str:
    """The value, or the bound of it."""
    sign = {"exact": "", "lower": ">= ", "upper": "<= "}[row["bound"]]
    return "-" if row["value"] is None else f"{sign}{round(row['value'], 4):.6g}"
