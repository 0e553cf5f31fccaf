"""The result of a game for its seats: utilities, and points computed from them.

Pure functions. Games that end by the rules, by a fault or without an end are all scored here, and nowhere else.
"""

from __future__ import annotations

from math import isfinite, isinf, isnan
from numbers import Real
from typing import Any

from adsearch import State
from adsearch.errors import BadGame, quote
from agents.protocol import Verdict


def result(
    state: State[Any], verdict: Verdict, fault: int | None
) -> tuple[tuple[float, ...] | None, tuple[float, ...] | None]:
    """The utilities and the points of a game that ended at `state` with this verdict. `fault`: the seat at fault, or
    that lost by a rule of the conditions.

    BadGame if the rules do not give one number for each seat."""
    if verdict is Verdict.VOID:
        return None, None
    players = state.players
    if verdict is Verdict.NORMAL:
        utilities = _numbers(state)
        return utilities, points(utilities)
    if fault is None:
        return (0.0,) * players if state.zero_sum else None, (0.5,) * players
    others = tuple(float(seat != fault) for seat in range(players))
    if players == 1:
        return None, others
    if players > 2:
        return None, points(others)
    low, high = state.bounds
    if state.zero_sum and fault == 1:
        low = -high  # bounds are seat 0's
    low = -1.0 if isinf(low) else float(low)
    return tuple(low if seat == fault else 0.0 - low for seat in range(2)), others


def _numbers(state: State[Any]) -> tuple[float, ...]:
    """The utilities, checked: user-supplied rules may get them wrong in any way."""
    utilities: tuple[object, ...] = tuple(state.utilities())
    numbers = tuple(float(utility) for utility in utilities if isinstance(utility, Real))
    if not len(numbers) == len(utilities) == state.players or any(map(isnan, numbers)):
        name = type(state).__name__
        raise BadGame(f"{name}.utilities(): expected {state.players} numbers, one a seat, got {quote(utilities)}")
    return numbers


def finite(utility: float) -> float | None:
    """The utility for JSON documents; None if it is infinite."""
    return utility if isfinite(utility) else None


def points(utilities: tuple[float, ...]) -> tuple[float, ...]:
    """The points of each seat: the share of the other seats that it has beaten; a tie counts half."""
    if len(utilities) == 1:
        return (1.0,)
    return tuple(
        sum(
            (1.0 if own > other else 0.5 if own == other else 0.0) for seat, other in enumerate(utilities) if seat != me
        )
        / (len(utilities) - 1)
        for me, own in enumerate(utilities)
    )
