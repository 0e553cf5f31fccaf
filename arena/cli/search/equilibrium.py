"""`arena search solve --equilibrium`: how often to play each move in a game with hidden information."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from adsearch import State, cfr
from arena.cli.asking.position_options import asked_position
from arena.cli.terminal.listings import OutputFormat, Shown, show, show_json
from arena.results.columns import Column, fields

if TYPE_CHECKING:
    from adsearch.budget import Budget

MOST_LINES: Final = 150
"""Largest number of lines of a printed strategy."""
_UNLIMITED: Final = 10**9
_NEVER: Final = 0.0005
"""The table leaves out moves with a smaller probability."""


def print_equilibrium(game: str, state: State[Any], budget: Budget | None, shown: Shown) -> None:
    """Solve `state`, the start of `game`, and print the strategies of both players."""
    begun = perf_counter()
    found = cfr.solve(state, iterations=cfr.ITERATIONS if budget is None else _UNLIMITED, budget=budget)
    time = perf_counter() - begun
    strategy: list[dict[str, Any]] = []
    for view, odds in found.strategy.items():
        seen = asked_position(game, view, "")
        strategy.append(
            {"seat": seen.turn, "view": view, "moves": {seen.to_text(move): chance for move, chance in odds.items()}}
        )
    strategy.sort(key=lambda row: row["seat"])
    if shown.format is OutputFormat.JSON:
        show_json(
            {
                "value": found.value,
                "exploitability": found.exploitability,
                "iterations": found.iterations,
                "nodes": found.nodes,
                "time": round(time * 1000),
                "strategy": shown.documents(strategy, fields(("seat", "view", "moves"))),
            }
        )
    elif not shown.in_words:
        rows = [
            {"seat": row["seat"], "view": row["view"], "move": move, "probability": chance}
            for row in strategy
            for move, chance in row["moves"].items()
        ]
        show(rows, fields(("seat", "view", "move", "probability")), shown)
    else:
        print(f"worth {found.value:.6f} to the first player, with an exploitability of {found.exploitability:.6f}")
        print(f"after {found.iterations:,} iterations over {found.nodes:,} nodes, {time:.2f} s")
        print()
        show(strategy[:MOST_LINES], STRATEGY)
        if len(strategy) > MOST_LINES:
            print(f"{len(strategy) - MOST_LINES:,} more; --format csv lists all of them")


def _plays(row: dict[str, Any]) -> str:
    """How often each move is played, in words."""
    return ", ".join(f"{move} {chance:.1%}" for move, chance in row["moves"].items() if chance >= _NEVER)


STRATEGY: Final = (*fields(("seat", "view")), Column("plays", value=_plays, wrapped=40))
