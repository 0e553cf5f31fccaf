"""The rating systems, by their names on the command line."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class System(StrEnum):
    """A rating system."""

    ELO = "elo"
    """Bradley-Terry: the fit of all games."""
    INCREMENTAL = "incremental"
    GLICKO2 = "glicko2"
    PLACKETT_LUCE = "plackett-luce"
    POINTS = "points"


FITTED: Final = (System.ELO, System.PLACKETT_LUCE)
"""The systems with a prior and anchors."""
