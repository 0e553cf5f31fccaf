"""The map of a maze: reads and checks its text, and computes tables that make every move a look-up.

`maze` plays on it. Open cells are numbered in reading order; a set of cells is one int.
Texts name cells by line and column of the map's own text, from 1.
"""

from __future__ import annotations

import re
from collections import deque
from functools import lru_cache
from pathlib import Path
from typing import Final

from adsearch.errors import BadCell, BadOption, BadPosition, one_of, quote
from adsearch.games.textfile import read_text
from adsearch.state import CHANCE

MOVE_NAMES: Final[tuple[str, ...]] = ("n", "e", "s", "w", "stay")
STEPS: Final = ((-1, 0), (0, 1), (1, 0), (0, -1))
"""Lines and columns, by direction. The opposite of direction d is d ^ 2."""

# A ghost is one number: its cell * HEADINGS + its heading (the direction of its last move, or UNMOVED or HOME).
UNMOVED: Final = 4
HOME: Final = 5
HEADINGS: Final = 6
HEADING_NAMES: Final[tuple[str, ...]] = ("n", "e", "s", "w", "", "home")

MOST_LINES, MOST_COLUMNS = 40, 78
MOST_CELLS = 512
MOST_BYTES = 10_000
MAPS = Path(__file__).with_name("mazes")


_CELL = "[1-9][0-9]?,[1-9][0-9]?"
_RUN = "[1-9][0-9]?(?:-[1-9][0-9]?)?"
_CELLS = f"none|[1-9][0-9]?:{_RUN}(?:,{_RUN})*(?:/[1-9][0-9]?:{_RUN}(?:,{_RUN})*)*"
_GHOST = f"{_CELL}(?::(?:[nesw]|home))?(?::scared)?"
POSITION: Final = re.compile(
    rf"P=(?P<runner>{_CELL}) G=(?P<ghosts>none|{_GHOST}(?:\+{_GHOST}){{0,3}}) pellets=(?P<pellets>{_CELLS}) "
    rf"power=(?P<power>{_CELLS}) score=(?P<score>-?[0-9]{{1,6}}) scared=(?P<timer>[0-9]{{1,2}}) "
    r"round=(?P<round>[0-9]{1,4}) turn=(?P<turn>over|[0-4])"
)
POSITION_FORM: Final = "P=4,2 G=2,2:e+3,5:w:scared pellets=2:3-7,9/4:4 power=none score=12 scared=0 round=5 turn=0"

Place = tuple[int, int]
"""Row and column of a cell, from 0."""


class Board:
    """A map as tables. They do not depend on the game's options."""

    __slots__ = (
        "at", "chances", "distances", "ghost_moves", "homes", "lines", "next", "pellets", "places", "power", "rings",
        "runner_moves", "start",
    )  # fmt: skip

    def __init__(self, text: str) -> None:
        self.lines = read_lines(text)
        marks = {
            (line, column): mark
            for line, row in enumerate(self.lines, start=1)
            for column, mark in enumerate(row, start=1)
            if mark not in "%#"
        }
        self.places = tuple(marks)
        self.at = {place: cell for cell, place in enumerate(self.places)}
        found = {mark: [self.at[place] for place in marks if marks[place] == mark] for mark in ".oPG"}
        check_counts({mark: [self.places[cell] for cell in cells] for mark, cells in found.items()}, len(marks))
        self.start = found["P"][0]
        self.homes = tuple(found["G"])
        self.pellets, self.power = (sum(1 << cell for cell in found[mark]) for mark in ".o")
        steps = []
        for cell, (line, column) in enumerate(self.places):
            steps += [self.at.get((line + down, column + right), -1) for down, right in STEPS] + [cell]
        # Index: cell * 5 + move. Value: the cell that the move leads to, or -1.
        self.next = tuple(steps)
        self.runner_moves = tuple(tuple(m for m in range(5) if steps[cell * 5 + m] >= 0) for cell in range(len(marks)))
        self.ghost_moves = tuple(
            ghost_ways(self.runner_moves[cell][:-1], heading)
            for cell in range(len(marks))
            for heading in range(HEADINGS)
        )
        self.chances = tuple(tuple((move, 1.0 / len(ways)) for move in ways) for ways in self.ghost_moves)
        self.distances = tuple(self._distances_from(cell) for cell in range(len(marks)))
        self._check_ways()
        # For each cell: pairs (distance, the map's pellets at that distance), nearest first.
        self.rings = tuple(self._rings_around(cell) for cell in range(len(marks)))

    def _distances_from(self, start: int) -> tuple[int, ...]:
        """The distance to every cell; more than the number of cells if there is no path."""
        unknown = len(self.places) + 1
        distances = [unknown] * len(self.places)
        distances[start], queue = 0, deque([start])
        while queue:
            cell = queue.popleft()
            for move in self.runner_moves[cell]:
                to = self.next[cell * 5 + move]
                if distances[to] == unknown:
                    distances[to] = distances[cell] + 1
                    queue.append(to)
        return tuple(distances)

    def row_and_column(self, cell: int) -> Place:
        """The place of a cell in `rows()`."""
        line, column = self.places[cell]
        return line - 1, column - 1

    def distance(self, start: Place, end: Place) -> int:
        """The number of steps of the shortest way; BadCell if a place is not an open cell or there is no way."""
        cells = []
        for row, column in (start, end):
            cell = self.at.get((row + 1, column + 1))
            if cell is None:
                raise BadCell(f"distance: expected a cell that is not a wall, got row {row}, column {column}")
            cells.append(cell)
        steps = self.distances[cells[0]][cells[1]]
        if steps > len(self.places):
            raise BadCell(f"distance: there is no way from {start} to {end}")
        return steps

    def _rings_around(self, start: int) -> tuple[tuple[int, int], ...]:
        rings: dict[int, int] = {}
        for cell, distance in enumerate(self.distances[start]):
            if distance <= len(self.places) and self.pellets >> cell & 1:
                rings[distance] = rings.get(distance, 0) | 1 << cell
        return tuple(sorted(rings.items()))

    def _check_ways(self) -> None:
        for cell, (line, column) in enumerate(self.places):
            if (self.pellets | self.power) >> cell & 1 and self.distances[self.start][cell] > len(self.places):
                raise BadOption(f"line {line}, column {column}: expected a pellet that the runner can reach")
            if cell in self.homes and len(self.runner_moves[cell]) == 1:
                raise BadOption(f"line {line}, column {column}: expected a ghost that can move, got one walled in")

    def cells_to_text(self, cells: int) -> str:
        """A set of cells as `line:columns` joined by "/", such as "2:3-7,9/4:2"; "none" if it is empty."""
        runs: dict[int, list[list[int]]] = {}
        for cell, (line, column) in enumerate(self.places):
            if cells >> cell & 1:
                columns = runs.setdefault(line, [])
                if columns and columns[-1][1] == column - 1:
                    columns[-1][1] = column
                else:
                    columns.append([column, column])
        return (
            "/".join(
                f"{line}:{','.join(str(a) if a == b else f'{a}-{b}' for a, b in columns)}"
                for line, columns in runs.items()
            )
            or "none"
        )

    def cells_from_text(self, text: str, allowed: int) -> int:
        """The set that `cells_to_text` wrote, all of it within `allowed`."""
        cells = 0
        for row in text.split("/") if text != "none" else []:
            line, _, columns = row.partition(":")
            for run in columns.split(","):
                first, _, last = run.partition("-")
                for column in range(int(first), int(last or first) + 1):
                    cell = self.at.get((int(line), column), -1)
                    if cell < 0 or not allowed >> cell & 1:
                        raise BadPosition(f"expected pellets where the map has them, got one at {int(line)},{column}")
                    cells |= 1 << cell
        return cells


def ghost_ways(ways: tuple[int, ...], heading: int) -> tuple[int, ...]:
    """The directions of `ways` that a ghost with that heading can take: not back, unless there is no other."""
    onward = tuple(way for way in ways if heading >= UNMOVED or way != heading ^ 2)
    return onward or ways


def read_lines(text: str) -> tuple[str, ...]:
    """The lines of a map, checked: all of the same length, with known marks only. BadOption names the wrong line."""
    lines = text.splitlines()
    while lines and not lines[-1]:
        lines.pop()
    if not 1 <= len(lines) <= MOST_LINES:
        raise BadOption(f"expected 1 to {MOST_LINES} lines, got {len(lines)}")
    for number, line in enumerate(lines, start=1):
        if not 1 <= len(line) <= MOST_COLUMNS:
            raise BadOption(f"line {number}: expected 1 to {MOST_COLUMNS} characters, got {len(line)}")
        if len(line) != len(lines[0]):
            raise BadOption(f"line {number}: expected {len(lines[0])} characters as in line 1, got {len(line)}")
        for column, mark in enumerate(line, start=1):
            if mark not in "%#.oPG ":
                raise BadOption(
                    f"line {number}, column {column}: expected a wall (% or #), a pellet (.), a power pellet (o), "
                    f"the runner (P), a ghost (G) or a blank, got {quote(mark)}"
                )
    return tuple(lines)


def check_counts(found: dict[str, list[tuple[int, int]]], cells: int) -> None:
    """Raise BadOption unless there are one runner, at most four ghosts and at least one pellet."""
    runners, ghosts = found["P"], found["G"]
    if not runners:
        raise BadOption("expected one runner (P), got none")
    if len(runners) > 1:
        raise BadOption(
            f"line {runners[1][0]}: expected one runner (P), got a second; line {runners[0][0]} has the first"
        )
    if len(ghosts) > 4:
        raise BadOption(f"line {ghosts[4][0]}: expected at most 4 ghosts (G), got a fifth")
    if not found["."]:
        raise BadOption("expected at least one pellet (.), got none")
    if cells > MOST_CELLS:
        raise BadOption(f"expected at most {MOST_CELLS} cells that are not walls, got {cells}")


@lru_cache(maxsize=64)
def board_of(text: str) -> Board:
    """The Board of that map (cached)."""
    return Board(text)


def map_text(name: str) -> str:
    """The text of the built-in map `name`, else of the file `name`."""
    shipped = {path.stem: path for path in sorted(MAPS.glob("*.txt"))}
    path = shipped.get(name, Path(name))
    if not path.exists():
        raise BadOption(f"map must be one of {one_of(list(shipped))} or a file, got {quote(name)}")
    return read_text(path, most=MOST_BYTES)


def cell_text(board: Board, cell: int) -> str:
    """A cell's line and column, such as "3,4"."""
    line, column = board.places[cell]
    return f"{line},{column}"


def read_cell(board: Board, text: str) -> int:
    """The cell that `cell_text` wrote; BadPosition if it is a wall."""
    line, _, column = text.partition(",")
    cell = board.at.get((int(line), int(column)))
    if cell is None:
        raise BadPosition(f"expected a cell that is not a wall, got {text}")
    return cell


def read_ghost(board: Board, text: str) -> tuple[int, bool]:
    """A ghost as a number, and whether it is scared."""
    place, *words = text.split(":")
    scared = words[-1:] == ["scared"]
    heading = "".join(words[:-1] if scared else words)
    return read_cell(board, place) * HEADINGS + HEADING_NAMES.index(heading), scared


# What stays the same during a game of `maze`: the board, the options, the scores, and what follows from them.


SCORE_OF_A_PELLET: Final = 10
SCORE_OF_A_ROUND: Final = -1
SCORE_OF_ALL_PELLETS: Final = 500
SCORE_OF_BEING_CAUGHT: Final = -500
SCORE_OF_A_SCARED_GHOST: Final = 200
SCARED_ROUNDS: Final = 20
"""Rounds for which ghosts are scared after a power pellet."""


class MazeSetting:
    """The constants of a game: the board, the options, and values computed from them."""

    __slots__ = (
        "alone",
        "board",
        "bounds",
        "everyone",
        "ghosts",
        "homes",
        "inside",
        "next",
        "random",
        "runner_moves",
        "steps",
        "turns",
    )

    def __init__(self, board: Board, ghosts: int, random: bool, steps: int) -> None:
        self.board = board
        self.next = board.next
        # Alone, it never helps the runner to stay.
        self.runner_moves = board.runner_moves if ghosts else tuple(moves[:-1] for moves in board.runner_moves)
        self.homes = board.homes[:ghosts]
        self.ghosts = ghosts
        self.random = random
        self.steps = steps
        # Whether the runner is the only player.
        self.alone = random or not ghosts
        self.everyone = (1 << ghosts) - 1
        # Mover -> turn; the last entry (index -1) is the turn of a finished game.
        self.turns: tuple[int | None, ...] = (0, *(CHANCE if random else seat for seat in range(1, ghosts + 1)), None)
        # At most one pellet or ghost is eaten in a round, and each ghost at most once for each power pellet.
        pellets, power = board.pellets.bit_count(), min(board.power.bit_count(), steps) if ghosts else 0
        low = (SCORE_OF_BEING_CAUGHT if ghosts else 0) + SCORE_OF_A_ROUND * steps
        high = (SCORE_OF_A_PELLET + SCORE_OF_A_ROUND) * min(pellets, steps)
        high += (SCORE_OF_A_SCARED_GHOST * ghosts + SCORE_OF_A_ROUND) * power
        high += SCORE_OF_ALL_PELLETS if pellets <= steps else 0
        if not self.alone:
            high = max(high, -low)
            low = -high
        self.bounds = (float(low), float(high))
        self.inside = (low + 0.5, high - 0.5)


@lru_cache(maxsize=64)
def setting_of(board: Board, ghosts: int, random: bool, steps: int) -> MazeSetting:
    """The setting for these options (cached)."""
    return MazeSetting(board, ghosts, random, steps)


def read_setting(ghosts: str, map_name: str, steps: int) -> MazeSetting:
    """The setting for these options; BadOption if the map is invalid or has too few ghosts."""
    text = map_text(map_name)
    try:
        board = board_of(text)
    except BadOption as error:
        raise BadOption(f"map {quote(map_name)}: {error}") from None
    most = len(board.homes)
    random = ghosts.startswith("random")
    number = ghosts.removeprefix("random")
    count = int(number) if number else min(2, most)
    if not most and ghosts != "0":
        raise BadOption(f"ghosts must be 0, because the map {quote(map_name)} has no ghosts, got {quote(ghosts)}")
    if count > most:
        raise BadOption(f"ghosts must be at most {most}, as many as the map {quote(map_name)} has, got {quote(ghosts)}")
    return setting_of(board, count, random, steps)
