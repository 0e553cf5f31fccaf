"""The maze as a path problem: the runner is alone and eats all pellets in as few rounds as possible.

`Maze` derives from `MazePath`; the searches of `adsearch.pathfinding` use it with ghosts=0. A place is the runner's
cell and the pellets that are left. The heuristics estimate the number of rounds that are still needed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from math import prod
from typing import ClassVar

from adsearch.games.maze_map import MazeSetting, cell_text
from adsearch.path_state import Heuristic, PathState


def _cells(cells: int) -> Iterator[int]:
    """The cells of a set, in reading order."""
    while cells:
        yield (cells & -cells).bit_length() - 1
        cells &= cells - 1


def farthest(state: MazePath) -> float:
    """The way to the farthest pellet. Admissible and consistent: the runner must go there, and comes one step closer in
    a round at most."""
    rings = state.setting.board.rings[state.runner]
    return next((float(distance) for distance, cells in reversed(rings) if cells & state.pellets), 0.0)


def manhattan(state: MazePath) -> float:
    """The lines and columns to the farthest pellet, as if there were no walls. Admissible and consistent, and never
    more than `farthest`."""
    places = state.setting.board.places
    line, column = places[state.runner]
    return float(max((abs(places[c][0] - line) + abs(places[c][1] - column) for c in _cells(state.pellets)), default=0))


def pellets(state: MazePath) -> float:
    """The number of pellets left. Admissible and consistent: the runner eats one in a round at most."""
    return float(state.pellets.bit_count())


def total(state: MazePath) -> float:
    """The sum of the ways to all pellets. Not admissible: one way can serve several pellets."""
    rings = state.setting.board.rings[state.runner]
    return float(sum(distance * (cells & state.pellets).bit_count() for distance, cells in rings))


def count_world_states(*, cells: int, pellets: int, ghosts: Sequence[int], directions: int = 1) -> int:
    """The number of world states: the runner's cells, the sets of pellets, for each ghost the number of its cells, and
    the directions of all who have one."""
    return cells * (1 << pellets) * prod(ghosts) * directions


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
    def world_states(self) -> str:
        """The number with its factors: an upper bound, without scores, rounds and scared ghosts."""
        board, ghosts = self.setting.board, self.setting.ghosts
        cells, pellets = len(board.places), board.pellets.bit_count() + board.power.bit_count()
        count = count_world_states(cells=cells, pellets=pellets, ghosts=[cells] * ghosts, directions=4**ghosts)
        hunters = f" x {cells}^{ghosts} cells x 4^{ghosts} directions for the ghosts" if ghosts else ""
        return f"{cells} cells for the runner x 2^{pellets} for the pellets{hunters} = {count:,}"

    @property
    def goal(self) -> bool:
        return not self.pellets

    @property
    def place(self) -> Hashable:
        return self.runner, self.pellets

    @property
    def short_name(self) -> str:
        """Without ghosts: the runner's line and column, and which pellets are left: a is the first of the map, in
        reading order. Of more than six only the number is named; a single pellet is not named."""
        if self.setting.ghosts:
            return self.position()
        pellets = list(_cells(self.setting.board.pellets))
        left = "".join(letter for letter, cell in zip("abcdef", pellets, strict=False) if self.pellets >> cell & 1)
        names = "" if len(pellets) == 1 else left if len(pellets) <= 6 else str(self.pellets.bit_count())
        cell = cell_text(self.setting.board, self.runner)
        return f"{cell}:{names}" if names else cell
