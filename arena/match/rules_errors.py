"""The errors of user-supplied rules on one line. Rules can raise anything; nothing here raises an error."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Final

from adsearch.errors import BadGame
from agents.errors import one_line
from arena.errors import ArenaError

RULES_FAILED: Final = "the rules failed"
"""Prefix of `detail` when user-supplied rules raised."""
_LONGEST_ERROR: Final = 500
"""In characters."""


def failure(error: BaseException) -> str:
    """That the rules failed, with the error and its place."""
    return f"{RULES_FAILED}: {rules_error(error)}"


def rules_error(error: BaseException) -> str:
    """The error, and where in the rules it was raised."""
    if isinstance(error, BadGame):
        return error_line(error)  # its message is complete
    frames = traceback.extract_tb(error.__traceback__)
    at = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno}, in {frames[-1].name})" if frames else ""
    return f"{error_line(error)}{at}"


def error_line(error: BaseException) -> str:
    """The error on one line; `str` of a user-supplied error can fail."""
    try:
        words = str(error)
    except Exception:
        words = "(its message cannot be shown)"
    kind = type(error).__name__
    return one_line(
        words if isinstance(error, ArenaError | BadGame) else f"{kind}: {words}" if words else kind, most=_LONGEST_ERROR
    )
