"""Engines of this machine, for tests; a test that needs one that is not there is skipped, with the reason."""

from __future__ import annotations

import pytest

from arena.players.engines import find_program, known
from tests.kit import needs


def need(name: str) -> str:
    """The path of this engine; without it the test is skipped."""
    program = find_program(name)
    if program is None:
        pytest.skip(needs.package(f"the engine {name}", known()[name][1].package))
    return program
