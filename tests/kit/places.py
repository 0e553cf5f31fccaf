"""The paths that several tests use."""

from __future__ import annotations

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
"""The repository."""
EXAMPLES: Final = ROOT / "examples"
GREEDY: Final = EXAMPLES / "greedy.py"
COUNTDOWN: Final = EXAMPLES / "countdown.py"
"""A game of one's own in one file."""
TRUTHS: Final = ROOT / "tests" / "truths"
"""Facts from elsewhere; its README says from where."""
RATING_TRUTHS: Final = TRUTHS / "ratings"
WRITTEN_BEFORE: Final = TRUTHS / "written_before"
"""A record and a bundle of each released version, in a folder named by it."""
