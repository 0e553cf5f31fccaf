"""Stub."""

from __future__ import annotations

import sys
from typing import Final, Literal

Form = Literal["compiled", "interpreted"]
INTERPRETED: Final = "adsearch=interpreted"
"""The value for Python's option -X with which a process searches in the Python sources."""


def form() -> Form:
    """The form that this process searches in."""
    if sys._xoptions.get("adsearch") == "interpreted":
        return "interpreted"
    # As `importlib.util.find_spec`, which takes milliseconds to import.
    found = any(finder.find_spec("adsearch_compiled", None) for finder in sys.meta_path)
    return "compiled" if found else "interpreted"


def why_interpreted() -> str:
    """Why this process searches in the Python sources, and what to do; empty if it does not, or nothing is to say."""
    return ""
