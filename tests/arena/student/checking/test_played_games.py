"""Whether an agent is too slow is computed with the clock of the game itself."""

from __future__ import annotations

import pytest

from arena.match.clock import MILLISECOND, SECOND, Clock, TimeControl
from arena.student.checking.played_games import too_slow


@pytest.mark.parametrize(
    ("seconds", "clock", "moves", "ends"),
    [
        (1.5, "10+0.1", 21, 8),
        (1.5, "10+0.1", 7, None),
        (0.5, "10+0.1", 21, None),
        (1.0, "10+1", 500, None),
        (1.5, "10", 21, 7),
        (3.0, "40/60", 100, 21),
        (1.4, "40/60", 100, None),
        (3.0, "6+2x2", 100, 4),
        (1.9, "6+2x2", 1000, None),
        (0.9, "move=1", 1000, None),
        (20.0, "none", 1000, None),
        (0.09, "0.5", 100, None),
        (0.0, "0.001", 100, None),
    ],
)
def test_a_pace_too_slow_for_the_clock_ends_at_a_move(seconds: float, clock: str, moves: int, ends: int | None) -> None:
    found = too_slow(int(seconds * SECOND), clock, margin=50 * MILLISECOND, moves=moves)
    assert (None if found is None else found.ends) == ends


def test_the_short_clock_forces_a_faster_move() -> None:
    found = too_slow(int(1.5 * SECOND), "10+0.1", margin=0, moves=21)
    assert found is not None
    assert str(found.short_clock) == "0.75+0.1"
    assert Clock([TimeControl.parse(str(found.short_clock))]).limit(0) < found.taken
    assert str(found) == (
        "at this pace the agent loses on time at its move 8, and a game can have 21; "
        "in a test with 0.75 s left, the agent used more"
    )


@pytest.mark.parametrize("margin", [0, 50, 300, 500])
@pytest.mark.parametrize("taken", [120, 600, 1500])
def test_the_short_clock_and_the_margin_leave_at_most_half_its_time(taken: int, margin: int) -> None:
    found = too_slow(taken * MILLISECOND, "1", margin=margin * MILLISECOND, moves=100)
    fair = taken // 2 - margin >= 100
    assert (found is not None) == fair
    if found is not None:
        asked = Clock([found.short_clock], margins=[margin * MILLISECOND])
        assert asked.limit(0) <= found.taken / 2
