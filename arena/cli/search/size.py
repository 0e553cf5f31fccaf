"""`arena search size`: how large games are, and how much of them minimax and alpha-beta look at.

It measures wall time only for its limit: what it prints within the limit is the same on every run.
"""

import re
import time
from itertools import product
from typing import Annotated, Any, Final

import typer

from adsearch import State
from adsearch.budget import Budget, OutOfBudget
from adsearch.errors import BadSearch, quote
from arena.cli.asking.game_options import MovesOption, PositionOption, asked_position
from arena.cli.terminal.listings import Shown, listed, show
from arena.cli.terminal.notes import note
from arena.history import words
from arena.results.columns import PROGRAMS, Column, fields

_MOST_ROWS: Final = 200
_RANGE: Final = re.compile(r"(?<=[:=,])(\d{1,4})-(\d{1,4})(?=[,)]|$)")
"""A range of numbers as the value of a game option."""
_WINS: Final = {"first": "1st", "second": "2nd", "draw": "draw", None: "-"}


def _counted(name: str, title: str = "") -> Column[dict[str, Any]]:
    return Column(name, title, text=lambda row: _count(row[name]), number=True)


SIZES: Final[tuple[Column[dict[str, Any]], ...]] = (
    Column("game"),
    *(_counted("nodes"), _counted("leaves"), _counted("height", "h")),
    *fields(("positions", "up_to_symmetry"), on=PROGRAMS),
    Column("winner", "win", text=lambda row: _WINS[row["winner"]]),
    _counted("nimber", "nim"),
    Column("mean_moves", on=PROGRAMS),
    Column("branching", "b", text=lambda row: _decimals(row["branching"]), number=True),
    *(_counted("alphabeta"), _counted("uniform_leaves", "b^h"), _counted("best_case_leaves", "best")),
)


@listed(
    lambda: SIZES,
    about={
        "game": "a row for each number of a range",
        "nodes, leaves, height": "like all fields below null if not measured in time",
        "positions, up_to_symmetry": "different ones; turned and mirrored ones counted once, if a symmetry is known",
        "winner": "`first`, `second` or `draw`; else null",
        "nimber": "of an impartial game; else null",
        "mean_moves, branching": "of inner nodes; effective branching factor b",
        "alphabeta": "nodes that alpha-beta visits",
        "uniform_leaves, best_case_leaves": "b^h, and b^⌈h/2⌉+b^⌊h/2⌋-1",
    },
)
def size(
    shown: Shown,
    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME",
            help="Game; a range of numbers in its options is a row for each: nap:4-20, connect4:rows=4-5.",
        ),
    ],
    position: PositionOption = None,
    moves: MovesOption = "",
    seconds: Annotated[
        float,
        typer.Option("--seconds", metavar="SECONDS", min=0.0, help="Time limit for each game, and for its alpha-beta."),
    ] = 10.0,
) -> None:
    """Measure a small game: nodes, leaves, height, winner, and what minimax and alpha-beta look at.

    Equal positions are measured once and remembered, so trees of billions of nodes take seconds. One game is explained
    line by line, a range is a table. Its columns: h is the height, the plies of the longest game; nim is the nimber of
    an impartial game; b is the effective branching factor (a tree of height h with b moves everywhere has as many
    nodes); alphabeta counts the nodes that alpha-beta visits (minimax visits all nodes); b^h is the number of leaves of
    the tree with b moves everywhere; best is b^⌈h/2⌉+b^⌊h/2⌋-1, the leaves of it that alpha-beta needs if the best move
    always comes first. What cannot be measured is "-".

    Example: arena search size tictactoe

    Example: arena search size nap:4-20

    Example: arena search size connect4:rows=4,columns=4
    """
    rows: list[dict[str, Any]] = []
    for spec in _specs(game):
        row, whole = _measured(spec, asked_position(spec, position, moves), seconds)
        if row["nodes"] is None and row["alphabeta"] is None and not rows:
            raise BadSearch(
                f"{spec} is too large to measure within {seconds:g} s; try a smaller game, a position near the end "
                "(--moves), or more --seconds"
            )
        rows.append(row)
        if not whole:
            note(f"{spec} is too large to measure all of it within {seconds:g} s; --seconds sets the limit")
            break
    if shown.is_table and len(rows) == 1 and rows[0]["game"] == game:
        _explain(rows[0])
        return
    has_nimbers = any(row["nimber"] for row in rows)
    show(rows, [one for one in SIZES if one.name != "nimber" or has_nimbers or not shown.is_table], shown)


def _specs(game: str) -> list[str]:
    """The games that `game` names: one for each number of its ranges."""
    ranges = list(_RANGE.finditer(game))
    numbers = [range(int(found[1]), int(found[2]) + 1) for found in ranges]
    for found, values in zip(ranges, numbers, strict=True):
        if not values:
            raise BadSearch(f"expected a range from a smaller to a larger number, such as 4-20, got {quote(found[0])}")
    specs = []
    for chosen in product(*numbers):
        left = iter(chosen)
        specs.append(_RANGE.sub(lambda _, left=left: str(next(left)), game))  # type: ignore[misc]
        if len(specs) > _MOST_ROWS:
            raise BadSearch(f"expected at most {_MOST_ROWS} games to measure, got {quote(game)}")
    return specs


def _measured(game: str, state: State[Any], seconds: float) -> tuple[dict[str, Any], bool]:
    """The row of a game, and whether all of it could be measured in time."""
    from adsearch.size import alphabeta_nodes, best_case_leaves, effective_branching, uniform_leaves
    from adsearch.size import size as size_of

    row = dict.fromkeys(one.name for one in SIZES) | {"game": game}
    whole = True
    try:
        row["alphabeta"] = alphabeta_nodes(state, Budget.seconds(seconds, time.monotonic))
    except OutOfBudget:
        whole = False
    try:
        found = size_of(state, Budget.seconds(seconds, time.monotonic))
    except OutOfBudget:
        return row, False
    tree, mean = found.tree, found.mean_moves
    b = effective_branching(tree.nodes, tree.height)
    row |= {"nodes": tree.nodes, "leaves": tree.leaves, "height": tree.height, "nimber": tree.nimber}
    row |= {"positions": found.positions, "winner": _winner(state, tree.value), "branching": b}
    row["mean_moves"] = None if mean is None else round(mean, 4)
    if type(state).canonical is not State.canonical:  # the default makes no two positions equal
        row["up_to_symmetry"] = found.up_to_symmetry
    if b is not None:
        row["uniform_leaves"] = round(uniform_leaves(b, tree.height))
        row["best_case_leaves"] = round(best_case_leaves(b, tree.height))
    return row, whole


def _winner(state: State[Any], value: float | None) -> str | None:
    """Who wins with best play, if two players can win, lose or draw."""
    low, high = state.bounds
    if value is None or state.players != 2 or low != -high:
        return None
    return "first" if value > 0 else "second" if value < 0 else "draw"


def _explain(row: dict[str, Any]) -> None:
    """Print the sizes of one game, a line each."""
    height = "-" if row["height"] is None else words.plies(row["height"])
    lines = {
        "nodes": (_count(row["nodes"]), "sequences of moves; minimax visits all of them"),
        "leaves": (_count(row["leaves"]), "different games"),
        "height": (height, "the longest game"),
        "positions": (_count(row["positions"]), "different ones; those with equal futures can be one"),
        "up to symmetry": (_count(row["up_to_symmetry"]), "turned and mirrored ones counted once"),
        "winner": ({"first": "first player", "second": "second player"}.get(row["winner"], row["winner"] or "-"), ""),
        "nimber": (_count(row["nimber"]), "0: the player to move loses"),
        "mean moves": (_decimals(row["mean_moves"]), "of the nodes that are not leaves"),
        "branching b": (_decimals(row["branching"]), "a tree with b moves everywhere has as many nodes"),
        "alphabeta": (_count(row["alphabeta"]), "nodes that alpha-beta visits"),
        "b^h": (_count(row["uniform_leaves"]), "leaves of that tree"),
        "best case": (_count(row["best_case_leaves"]), "b^⌈h/2⌉+b^⌊h/2⌋-1: those that alpha-beta needs"),
    }
    shown = {name: line for name, line in lines.items() if name != "nimber" or row["nimber"] is not None}
    width = max(len(number) for number, _ in shown.values())
    for name, (number, about) in shown.items():
        print(f"{name:<14}  {number:>{width}}  {about}".rstrip())


def _count(number: int | None) -> str:
    """A number with separators; a very large one rounded."""
    return "-" if number is None else f"{number:,}" if number < 10**9 else f"{number:.2e}"


def _decimals(number: float | None) -> str:
    return "-" if number is None else f"{number:.2f}"
