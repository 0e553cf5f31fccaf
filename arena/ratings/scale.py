"""The Elo scale, without numpy, so that a director can read it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping
from math import log, tanh
from typing import Final

ELO: Final = 400.0 / log(10.0)
"""Elo points per unit of log odds."""
WIDTH: Final = 1.96
"""Standard errors to each side of a 95 % confidence interval."""
DIGITS: Final = 6
"""Decimal places to which ratings are rounded before they are compared."""


def middle(held: Collection[float]) -> float:
    """The mean of the held ratings, which a player without games starts from; 0 if none is held."""
    return sum(held) / max(1, len(held))


def ranks(ratings: Mapping[str, float], anchors: Collection[str] = ()) -> dict[str, int]:
    """The rank of each player by rating; equal ratings have the same rank. Anchors have none, and are not counted."""
    rated = {name: -round(rating, DIGITS) for name, rating in ratings.items() if name not in anchors}
    best_first = sorted(rated.values())
    return {name: 1 + bisect_left(best_first, rating) for name, rating in rated.items()}


def expected_score(difference: float) -> float:
    """The expected score at this rating difference: 1 / (1 + 10^(-difference / 400))."""
    return 0.5 * (1.0 + tanh(difference * log(10.0) / 800.0))
