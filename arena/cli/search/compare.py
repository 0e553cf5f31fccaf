"""`arena compare`: the cost of search algorithms at each depth, side by side.

It measures wall time, which the searches do not use: apart from times, the output is the same on every run.
"""

import re
import sys
import time
from math import isfinite
from typing import Annotated, Any

import typer

from adsearch import State, games
from adsearch.budget import Budget
from adsearch.errors import BadSearch, quote
from arena.cli.asking.position_options import GameArgument, MovesOption, after
from arena.cli.terminal.listings import Columns, FormatOption, OutputFormat, Row, exact_columns, show

COMPARED: Columns = {
    "depth": lambda row: str(row["depth"]),
    "nodes": lambda row: f"{row['nodes']:,}",
    "time": lambda row: f"{row['time'] / 1000:.3f} s",
    "branching": lambda row: "-" if row["branching"] is None else f"{row['branching']:.2f}",
    "value": lambda row: _bounded(row) + (" !" if row["differs"] else ""),
    "move": lambda row: row["move"] or "-",
    "algorithm": lambda row: row["algorithm"],
}


def compare(
    game: GameArgument,
    algorithms: Annotated[
        list[str],
        typer.Argument(metavar="ALGORITHM", help="Searches, with options if needed: minimax alphabeta:table=true pvs."),
    ],
    depth: Annotated[str, typer.Option("--depth", metavar="N|N-M", help="Search depth, or a range of depths.")] = "1-4",
    moves: MovesOption = "",
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
    format: FormatOption = OutputFormat.TABLE,
) -> None:
    """Compare search algorithms: value, nodes and time at each depth.

    The column branching is the effective branching factor b: a uniform tree with 1 + b + b^2 + ... + b^depth nodes has
    the same size. A value that differs from the first algorithm's at the same depth is marked with "!".

    Example: arena compare connect4 minimax alphabeta pvs --depth 1-6

    Example: arena compare tictactoe alphabeta alphabeta:table=true --depth 9
    """
    from adsearch import algorithms as known

    depths = _depths(depth)
    searches = {text: known.configured(text) for text in algorithms}
    state = after(games.start(game), moves)
    rows: list[dict[str, Any]] = []
    for plies in depths:
        for text, search in list(searches.items()):
            row = _measured(state, text, search=search, depth=plies, seconds=seconds)
            if row is None:
                del searches[text]
                _note(f"{text}: depth {plies} takes more than {seconds:g} s; left out from this depth on")
            else:
                rows.append(row)
    if _flag(rows):
        _note('a value marked "!" differs from the first algorithm at the same depth')
    show(rows, exact_columns(rows[0]) if rows and format is OutputFormat.CSV else COMPARED, format=format)


def _note(text: str) -> None:
    print(f"arena: {text}", file=sys.stderr)


def _depths(text: str) -> range:
    """The depths in a text such as "5" or "1-8"."""
    found = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", text.strip(), re.ASCII)
    if not found or int(found[1]) > int(found[2] or found[1]):
        raise BadSearch(f"--depth: expected a depth or a range of them, such as 6 or 1-8, got {quote(text)}")
    return range(int(found[1]), int(found[2] or found[1]) + 1)


def _measured(
    state: State[Any], text: str, search: tuple[Any, dict[str, Any]], depth: int, seconds: float | None
) -> dict[str, Any] | None:
    """The row of one search; None if it exceeded the time limit."""
    run, options = search
    budget = None if seconds is None else Budget.seconds(seconds, time.monotonic)
    begun = time.perf_counter()
    result = run(state, depth=depth, budget=budget, **options)
    took = time.perf_counter() - begun
    if seconds is not None and took >= seconds:
        return None
    return {
        "depth": depth,
        "algorithm": text,
        "value": result.value if isfinite(result.value) else None,
        "bound": result.bound.value,
        "differs": False,
        "move": None if result.move is None else state.to_text(result.move),
        "nodes": result.nodes,
        "branching": effective_branching(result.nodes, depth),
        "time": round(took * 1000),
    }


def effective_branching(nodes: int, depth: int) -> float | None:
    """The b for which 1 + b + b^2 + ... + b^depth is `nodes`; None without a depth."""
    if depth == 0:
        return None
    low, high = 0.0, float(nodes)
    for _ in range(100):
        middle = (low + high) / 2
        # From the inside out, so that no power overflows before the sum is compared.
        total = 1.0
        for _ in range(depth):
            total = min(1.0 + middle * total, 2.0 * nodes + 2.0)
        low, high = (middle, high) if total < nodes else (low, middle)
    return round(high, 4)


def _flag(rows: list[dict[str, Any]]) -> bool:
    """Mark the rows whose value differs from the first row of the same depth; return whether there are any."""
    first: dict[int, float | None] = {}
    for row in rows:
        value = first.setdefault(row["depth"], row["value"])
        if value is not None and row["value"] is not None:
            row["differs"] = abs(row["value"] - value) > 1e-9
    return any(row["differs"] for row in rows)


def _bounded(row: Row) -> str:
    """The value, or the bound of it."""
    sign = {"exact": "", "lower": ">= ", "upper": "<= "}[row["bound"]]
    return "-" if row["value"] is None else f"{sign}{row['value']:.6g}"
