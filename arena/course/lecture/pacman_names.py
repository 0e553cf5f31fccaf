"""The names that a file of Berkeley's project on multi-agent search imports from its modules `game`, `util` and
`pacman`, so that the file can be loaded without them.

`student_process.py` copies this file under each of these names. Nothing here plays Pacman: the game state of the judge
is `function_runner.GameState`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn

MODULES: Final = ("game", "util", "pacman")


class Agent:
    """The base class of agents."""

    def __init__(self, index: int = 0) -> None:
        self.index = index


class Directions:
    """The moves of Pacman."""

    NORTH = "North"
    SOUTH = "South"
    EAST = "East"
    WEST = "West"
    STOP = "Stop"


class GameState:
    """Only for annotations."""


def lookup(name: str, names: Mapping[str, Any]) -> Any:
    """The function or class of that name."""
    return names[name]


def manhattanDistance(one: tuple[float, float], other: tuple[float, float]) -> float:  # noqa: N802
    """The distance between two points in steps along the axes."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def raiseNotDefined() -> NoReturn:  # noqa: N802
    """What stands in a method that the student has not written yet."""
    raise NotImplementedError("this method is not written yet")
