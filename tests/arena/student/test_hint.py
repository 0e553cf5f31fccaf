"""A hint is in words that a person reads at a glance."""

from __future__ import annotations

from adsearch import Result, games
from arena.student import hint


def test_a_value_of_almost_zero_has_no_sign_of_its_own() -> None:
    state = games.start("connect4")
    for value in (-0.001, 0.0, -0.0):
        found = Result(move=3, value=value, line=(3,), depth=1, nodes=1, exact=False)
        assert hint._worth(state, found) == "its value for you is about +0.00 (from -1 to 1)"
