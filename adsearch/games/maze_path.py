"""The maze as a path problem: the runner is alone and eats all pellets in as few rounds as possible.

`Maze` derives from `MazePath`; the searches of `adsearch.pathfinding` use it with ghosts=0. A place is the runner's
cell and the pellets that are left. The heuristics estimate the number of rounds that are still needed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import ClassVar

from adsearch.games.maze_map import cell_text
from adsearch.games.maze_setting import MazeSetting
from adsearch.path_state import Heuristic, PathState


def _left(state: MazePath) -> Iterator[int]:
    """The cells of the pellets that are left."""
    cells = state.pellets
    while cells:
        yield (cells & -cells).bit_length() - 1
        cells &= cells - 1


def farthest(state: MazePath) -> float:
    """The way to the farthest pellet. Admissible and consistent: the runner must go there, and comes one step closer in
    a round at most."""
    distances = state.setting.board.distances[state.runner]
    return float(max((distances[cell] for cell in _left(state)), default=0))


def manhattan(state: MazePath) -> float:
    """The lines and columns to the farthest pellet, as if there were no walls. Admissible and consistent, and never
    more than `farthest`."""
    places = state.setting.board.places
    line, column = places[state.runner]
    return float(max((abs(places[c][0] - line) + abs(places[c][1] - column) for c in _left(state)), default=0))


def pellets(state: MazePath) -> float:
    """The number of pellets left. Admissible and consistent: the runner eats one in a round at most."""
    return float(state.pellets.bit_count())


def total(state: MazePath) -> float:
    """The sum of the ways to all pellets. Not admissible: one way can serve several pellets."""
    distances = state.setting.board.distances[state.runner]
    return float(sum(distances[cell] for cell in _left(state)))


class MazePath(PathState[int]):
    """What path searches ask of a maze."""

    heuristics: ClassVar[Mapping[str, Heuristic]] = {
        "farthest": farthest,
        "manhattan": manhattan,
        "pellets": pellets,
        "total": total,
    }

    __slots__ = ()

    setting: MazeSetting
    runner: int
    pellets: int

    @property
    def goal(self) -> bool:
        return not self.pellets

    @property
    def place(self) -> Hashable:
        return self.runner, self.pellets

    @property
    def place_name(self) -> str:
        """The runner's line and column; if the map has several pellets, also how many are left."""
        board = self.setting.board
        left = f":{self.pellets.bit_count()}" if board.pellets.bit_count() > 1 else ""
        return f"{cell_text(board, self.runner)}{left}"
