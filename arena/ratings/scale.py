"""The Elo scale: two numbers, without numpy, so that a director can read them."""

from __future__ import annotations

from math import log
from typing import Final

ELO: Final = 400.0 / log(10.0)
"""Elo points per unit of log odds."""
WIDTH: Final = 1.96
"""Standard errors to each side of a 95 % confidence interval."""
