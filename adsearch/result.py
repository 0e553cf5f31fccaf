"""Result: what a search found.

Every algorithm answers with one, so that agents, commands and tests can exchange one algorithm for another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic

from adsearch.state import Move

Line = tuple[()] | tuple[Move, "Line[Move]"]
"""A line of play as searches build it: a move and the line after it."""


class Bound(StrEnum):
    """How a value relates to the true one."""

    EXACT = "exact"
    LOWER = "lower"
    """The true value is this or more: the search was cut off above its window."""
    UPPER = "upper"
    """The true value is this or less: nothing reached the window."""


@dataclass(frozen=True, slots=True)
class Result(Generic[Move]):
    """The value of a position and how to play it.

    `value` is a utility of the seat to move at the root (of seat 0, where chance moves there), or an estimate of it."""

    value: float
    move: Move | None
    """The move to play; the first such in order. None only where there is none to choose: at the end, or at chance."""
    line: tuple[Move, ...]
    """What both sides play if they play for this value; it may end early where a table knew the rest."""
    depth: int | None
    """The plies looked ahead, None: all of them; 0 where the budget ended the search before it had looked that far."""
    nodes: int
    """The positions visited, the root counted."""
    exact: bool
    """Whether the value is the game's own: no estimate, budget or window went into it."""
    bound: Bound = Bound.EXACT
    """How `value` relates to the value at this depth: what a window made of it. It says nothing where the budget ended
    the search, which is then not `exact`."""
    distance: int | None = None
    """Plies to the end when the winner hurries and the loser holds out, in a draw along `line`; None: not proven."""
    values: tuple[float, ...] | None = None
    """For every seat, from searches for several players."""


def moves_of(line: Any) -> tuple[Any, ...]:
    """The moves of a Line, in order."""
    moves = []
    while line:
        move, line = line
        moves.append(move)
    return tuple(moves)


def line_of(moves: Sequence[Any]) -> Any:
    """The Line of these moves."""
    line: Any = ()
    for move in reversed(moves):
        line = (move, line)
    return line
