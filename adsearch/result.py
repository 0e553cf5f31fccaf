"""Result: what a search returns.

Every algorithm returns a Result, so that agents, commands and tests can replace one algorithm by another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic

from adsearch.state import Move

Line = tuple[()] | tuple[Move, "Line[Move]"]
"""A line of play as searches build it: a linked list, (move, the rest of the line)."""


class Bound(StrEnum):
    """What a returned value says about the true value v."""

    EXACT = "exact"
    LOWER = "lower"
    """v >= the returned value: the search failed high (value >= beta)."""
    UPPER = "upper"
    """v <= the returned value: the search failed low (value <= alpha)."""


@dataclass(frozen=True, slots=True)
class Result(Generic[Move]):
    """The value of a position, the best move and the principal variation.

    `value` is the utility, or an estimate of it, for the seat to move at the root (for seat 0 if the root is a chance
    node)."""

    value: float
    move: Move | None
    """The first best move. None only at the end of the game and at a chance node."""
    line: tuple[Move, ...]
    """The principal variation: the moves if both sides play for `value`. It can end early, at an entry of a table."""
    depth: int | None
    """Search depth in plies; None: searched to the end; 0: the budget ended the search before it was complete."""
    nodes: int
    """Number of positions visited, the root included."""
    exact: bool
    """Whether `value` is the game-theoretic value: no estimate, budget or window affected it."""
    bound: Bound = Bound.EXACT
    """Whether `value` is the value at this depth, or only a bound of it because of the window. Without meaning if the
    budget ended the search (then `exact` is False)."""
    distance: int | None = None
    """Plies to the end if the winner wins as fast as possible and the loser delays it; in a draw along `line`; None:
    not proven."""
    values: tuple[float, ...] | None = None
    """The value for every seat, from searches for several players."""


def moves_of(line: Any) -> tuple[Any, ...]:
    """A Line as a tuple of moves."""
    moves = []
    while line:
        move, line = line
        moves.append(move)
    return tuple(moves)


def line_of(moves: Sequence[Any]) -> Any:
    """These moves as a Line."""
    line: Any = ()
    for move in reversed(moves):
        line = (move, line)
    return line
