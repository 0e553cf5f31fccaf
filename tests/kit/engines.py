"""Engines of this machine, for tests; a test that needs one that is not there is skipped, with the reason."""

from __future__ import annotations

import pytest

from arena.players.engines import KNOWN, find_program


def need(*names: str) -> None:
    """Skips the test unless all these engines are installed."""
    for name in names:
        if find_program(name) is None:
            pytest.skip(f"there is no {name} on this machine: apt install {KNOWN[name].package}")
