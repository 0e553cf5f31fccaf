"""The ways to rank, by the names that commands and documents know them by."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class System(StrEnum):
    """A way to rank."""

    ELO = "elo"
    """Bradley-Terry: all games fitted at once."""
    INCREMENTAL = "incremental"
    GLICKO2 = "glicko2"
    PLACKETT_LUCE = "plackett-luce"
    POINTS = "points"


FITTED: Final = (System.ELO, System.PLACKETT_LUCE)
"""Those in which a prior and anchors make sense."""
