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


def test_the_time_that_is_left() -> None:
    assert words.time_left(1, 11, 60) == "about 10 minutes left"
    assert words.time_left(0, 10, 60) == words.time_left(10, 10, 60) == ""
