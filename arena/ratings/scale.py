"""The Elo scale, without numpy, so that a director can read it."""

from __future__ import annotations

from collections.abc import Collection
from math import log
from typing import Final

ELO: Final = 400.0 / log(10.0)
"""Elo points per unit of log odds."""
WIDTH: Final = 1.96
"""Standard errors to each side of a 95 % confidence interval."""


def middle(held: Collection[float]) -> float:
    """The mean of the held ratings, which a player without games starts from; 0 if none is held."""
    return sum(held) / max(1, len(held))
