"""The evaluation of a maze: its features, their weights, and the danger of a ghost by its distance.

`Maze.evaluate` computes the same sum itself, because it is called at every leaf; a test compares the two. All values
are the runner's, and a ghost's are the negatives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from adsearch.games.maze_map import HEADINGS, MOST_CELLS, Board
from adsearch.state import Feature

WEIGHT_OF_A_PELLET_LEFT = -2.0
WEIGHT_OF_THE_NEAREST_PELLET = 9.0
"""Less than a pellet's score, so that eating a pellet is always better than to be near it."""
WEIGHT_OF_A_SCARED_GHOST = 100.0
DANGER: Final = (150.0, 150.0, 60.0, 25.0, 10.0, 4.0, *(2.0 / distance for distance in range(6, MOST_CELLS + 2)))
"""The danger of a ghost that is not scared, by its distance. It is never 0, so that ghosts also come from far away."""

EVALUATION: Final = (
    Feature("score", 1.0, "the score so far"),
    Feature("pellets", WEIGHT_OF_A_PELLET_LEFT, "the pellets that are left"),
    Feature("nearest", WEIGHT_OF_THE_NEAREST_PELLET, "1 / distance of the nearest pellet"),
    Feature("danger", -1.0, "by the distance of each ghost that is not scared: 150, 150, 60, 25, 10, 4, 2 / distance"),
    Feature("scared", WEIGHT_OF_A_SCARED_GHOST, "1 / distance of each scared ghost that can be reached in time"),
)


def of_runner(
    board: Board, runner: int, pellets: int, ghosts: Sequence[int], scared: int, timer: int
) -> dict[str, float]:
    """The features of a position, except the score, as the runner sees them."""
    distances = board.distances[runner]
    found = [(distances[ghost // HEADINGS], scared >> index & 1) for index, ghost in enumerate(ghosts)]
    nearest = next((distance for distance, cells in board.rings[runner] if cells & pellets), 0)
    return {
        "pellets": float(pellets.bit_count()),
        "nearest": 1.0 / nearest if nearest else 0.0,
        "danger": sum(DANGER[distance] for distance, is_scared in found if not is_scared),
        "scared": sum(1.0 / (distance or 1) for distance, is_scared in found if is_scared and distance <= timer),
    }
