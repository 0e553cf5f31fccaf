"""Texts for people."""

from __future__ import annotations

import pytest

from arena.history import words


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0.01 s"),
        (0.036, "0.04 s"),
        (3, "3 s"),
        (200, "3 minutes"),
        (9000, "2.5 hours"),
        (5 * 24 * 3600, "5.0 days"),
    ],
)
def test_rough_durations(seconds: float, said: str) -> None:
    assert words.rough_duration(seconds) == said
