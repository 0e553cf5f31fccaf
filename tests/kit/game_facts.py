"""Counts and solves small games through the State interface only, and published facts to compare with."""

import json
from functools import cache
from typing import Any

from tests.kit.every_game import AnyState
from tests.kit.places import TRUTHS


@cache
def facts(name: str) -> dict[str, Any]:
    """A file of tests/truths."""
    read: dict[str, Any] = json.loads((TRUTHS / name).read_text("utf-8"))
    return read


def perft(state: AnyState, plies: int) -> int:
    """The number of move sequences of `plies` plies; a game that ends earlier counts 1."""
    if plies == 0 or state.turn is None:
        return 1
    if plies == 1:
        return len(state.moves())
    return sum(perft(state.play(move), plies - 1) for move in state.moves())


def value(state: AnyState, known: dict[Any, float] | None = None) -> float:
    """What a zero-sum game without chance is worth to seat 0, by trying everything once."""
    known = {} if known is None else known
    if state.turn is None:
        return float(state.utilities()[0])
    if state.key not in known:
        values = [value(state.play(move), known) for move in state.moves()]
        known[state.key] = max(values) if state.turn == 0 else min(values)
    return known[state.key]


def winning_moves(state: AnyState) -> list[Any]:
    """The moves with which the side to move wins."""
    sign = 1 if state.turn == 0 else -1
    return [move for move in state.moves() if value(state.play(move)) * sign > 0]
