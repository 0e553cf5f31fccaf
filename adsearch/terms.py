"""The terms on which a search takes a position: who may play, how deep, and within which window.

Every algorithm asks here first, so wrong use is one clear error before the first node, and the same one everywhere.
"""

from __future__ import annotations

from typing import Any, Final

from adsearch.budget import Budget
from adsearch.errors import BadSearch
from adsearch.state import CHANCE, State

DEEPEST: Final = 250
"""No search goes deeper, for Python's own stack does not; games that may last longer are not searched to the end."""


def zero_sum(state: State[Any], algorithm: str, *, chance: bool = False) -> None:
    """BadSearch unless one or two players play for opposite ends, without chance or (`chance`) with it."""
    if state.players > 2:
        raise BadSearch(f"{algorithm} is for two players, this game has {state.players}; try maxn or paranoid")
    if state.players == 2 and not state.zero_sum:
        raise BadSearch(f"{algorithm} needs utilities that sum to 0, in this game they do not; try maxn")
    if state.chance and not chance:
        raise BadSearch(f"{algorithm} knows no chance, this game has it; try expectiminimax or mcts")


def plies(state: State[Any], algorithm: str, depth: int | None, budget: Budget | None = None) -> int:
    """The depth to search to: DEEPEST where none is given, which means to the end; BadSearch where neither is
    and the end may never come."""
    if depth is not None:
        if isinstance(depth, bool) or not isinstance(depth, int) or depth < 0:
            raise BadSearch(f"{algorithm}: expected a depth of 0 or more plies, got {depth!r}")
        return min(depth, DEEPEST)
    if state.turn is not None and budget is None:
        if state.max_plies is None:
            raise BadSearch(f"{algorithm}: this game may never end; give a depth or a budget")
        if state.max_plies > DEEPEST:
            raise BadSearch(f"{algorithm}: this game may last {state.max_plies} plies; give a depth or a budget")
    return DEEPEST


def window(alpha: float, beta: float) -> None:
    """BadSearch unless alpha < beta."""
    if not alpha < beta:
        raise BadSearch(f"expected a window with alpha below beta, got [{alpha:g}, {beta:g}]")


def seat_of(state: State[Any], algorithm: str, seat: int | None) -> None:
    """BadSearch unless `seat` is one of the game's, or left open."""
    if seat is not None and (isinstance(seat, bool) or seat not in range(state.players)):
        raise BadSearch(f"{algorithm}: expected a seat from 0 to {state.players - 1}, got {seat!r}")


def bounds_for(state: State[Any], seat: int) -> tuple[float, float]:
    """The least and the greatest utility of `seat`."""
    low, high = state.bounds
    return (-high, -low) if seat == 1 and state.zero_sum else (low, high)


def root_seat(state: State[Any]) -> int:
    """The seat whose value a result has: the one to move, or seat 0."""
    return 0 if state.turn is None or state.turn == CHANCE else state.turn
