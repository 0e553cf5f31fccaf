"""What the page of an agent says of its goals."""

from __future__ import annotations

import pytest

from arena.pages.event import rating_goal as goal

GOALS = [("bronze", "random", 0.0), ("silver", "minimax", 400.0), ("pvs", "pvs", 700.0)]


@pytest.mark.parametrize(
    ("rating", "said"),
    [
        (-400.0, "Next goal: bronze (random), 400 Elo away; now it would score 9.1 %."),
        (
            0.0,
            "It beats bronze (random) with 50 %. Next goal: silver (minimax), 400 Elo away; now it would score 9.1 %.",
        ),
        (600.0, "It beats silver (minimax) with 76.0 %. Next goal: pvs, 100 Elo away; now it would score 36.0 %."),
        (891.0, "It beats pvs with 75.0 %."),
    ],
)
def test_the_last_goal_and_the_next_one_are_said(rating: float, said: str) -> None:
    assert goal(rating, GOALS) == said.replace(".0 %", " %")


def test_without_anchors_nothing_is_said() -> None:
    assert goal(100.0, []) == ""
