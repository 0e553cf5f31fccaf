"""Checks the arguments of a search: the kind of game, the depth, the window and the seat.

Every algorithm calls these functions first, so that wrong use raises the same clear error in all algorithms.
"""

from __future__ import annotations

from typing import Any, Final

from adsearch.budget import Budget
from adsearch.errors import BadSearch
from adsearch.state import CHANCE, State

DEEPEST: Final = 250
"""The largest search depth in plies, because Python's stack is limited. Longer games are not searched to the end."""


def zero_sum(state: State[Any], algorithm: str, *, chance: bool = False) -> None:
    """Raise BadSearch unless the game has one player, or two and is zero-sum; and no chance, unless `chance` is set."""
    if state.players > 2:
        raise BadSearch(f"{algorithm} is for two players, this game has {state.players}; try maxn or paranoid")
    if state.players == 2 and not state.zero_sum:
        raise BadSearch(f"{algorithm} needs a zero-sum game, and this game is not zero-sum; try maxn")
    if state.chance and not chance:
        raise BadSearch(f"{algorithm} does not support chance, and this game has it; try expectiminimax or mcts")


def plies(state: State[Any], algorithm: str, depth: int | None, budget: Budget | None = None) -> int:
    """The depth to search to: `depth`, or DEEPEST without one (to the end). BadSearch if there is neither a depth nor a
    budget and the game can be longer than DEEPEST."""
    if depth is not None:
        if isinstance(depth, bool) or not isinstance(depth, int) or depth < 0:
            raise BadSearch(f"{algorithm}: expected a depth of 0 or more plies, got {depth!r}")
        return min(depth, DEEPEST)
    if state.turn is not None and budget is None:
        if state.max_plies is None:
            raise BadSearch(f"{algorithm}: this game has no limit of plies; give a depth or a budget")
        if state.max_plies > DEEPEST:
            raise BadSearch(f"{algorithm}: this game can last {state.max_plies} plies; give a depth or a budget")
    return DEEPEST


def window(alpha: float, beta: float) -> None:
    """Raise BadSearch unless alpha < beta."""
    if not alpha < beta:
        raise BadSearch(f"expected a window with alpha below beta, got [{alpha:g}, {beta:g}]")


def seat_of(state: State[Any], algorithm: str, seat: int | None) -> None:
    """Raise BadSearch unless `seat` is a seat of the game, or None."""
    if seat is not None and (isinstance(seat, bool) or seat not in range(state.players)):
        raise BadSearch(f"{algorithm}: expected a seat from 0 to {state.players - 1}, got {seat!r}")


def bounds_for(state: State[Any], seat: int) -> tuple[float, float]:
    """The smallest and the largest possible utility of `seat`."""
    low, high = state.bounds
    return (-high, -low) if seat == 1 and state.zero_sum else (low, high)


def root_seat(state: State[Any]) -> int:
    """The seat that a result's value is for: the seat to move, else seat 0 (chance node or finished game)."""
    return 0 if state.turn is None or state.turn == CHANCE else state.turn
