"""The maze: walls, pellets, the runner with its mouth open, and the ghosts with their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from adsearch.games.maze import Maze
from adsearch.games.maze_map import HEADINGS, cell_text
from adsearch.pictures.boards.paper import (
    Cells,
    Drawing,
    Field,
    Piece,
    Point,
    document,
    dots,
    inside,
    path,
)
from adsearch.pictures.svg import element, number, pair

CELLS: Final = Cells(
    ("paper",),
    {
        "%": Piece("block", " ", fills=True),
        ".": Piece("pellet", "·"),
        "o": Piece("pellet", "•"),
        "P": Piece("runner"),
        **{str(n): Piece(("ghost", "B", "G", "R")[n - 1], str(n), fills=True) for n in range(1, 5)},
    },
    has_labels=False,
)
_CELL: Final = 22.0
_WAYS: Final = ((0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0))
"""Right and down, by direction."""


def draw(state: Maze, last: int | None = None) -> str:
    """The position as a picture."""
    board = state.setting.board
    rows, columns = len(board.lines), len(board.lines[0])
    pellets, power = (
        [_centre(p) for n, p in enumerate(board.places) if c >> n & 1] for c in (state.pellets, state.power)
    )
    parts = [_walls(board.lines), dots("pellet", pellets, 5.0), dots("pellet power", power, 12.0)]
    moved = state.mover in (-1, 1) or not state.ghosts
    facing = last if last is not None and last < 4 and moved else 1
    everyone = [board.places[state.runner], *(board.places[ghost // HEADINGS] for ghost in state.ghosts)]
    for seat, place in enumerate(everyone):
        x, y = _centre(place)
        together = everyone.count(place)
        # Several ghosts on one cell are drawn slightly apart.
        x += min(10.0, 24.0 / together) * (everyone[:seat].count(place) - (together - 1) / 2)
        scared = bool(state.scared >> seat - 1 & 1) if seat else False
        heading = state.ghosts[seat - 1] % HEADINGS if seat else facing
        parts.append(_ghost(seat, x, y, heading, scared=scared) if seat else _runner(x, y, facing))
    news, *fears = state.captions()
    sentences = [f"Runner at line and column {cell_text(board, state.runner)}."]
    sentences += [
        f"Ghost {number + 1}{', scared,' * (state.scared >> number & 1)} at {cell_text(board, ghost // HEADINGS)}."
        for number, ghost in enumerate(state.ghosts)
    ]
    sentences += [f"{len(pellets)} pellets and {len(power)} power pellets are left.", *fears]
    return document(Drawing(columns * _CELL, rows * _CELL, "".join(parts)), "Maze", news, sentences=sentences)


def touched(state: Maze, move: int) -> tuple[Field, ...]:
    """The cell to which the runner or the ghost moves; its own if it stays."""
    board = state.setting.board
    start = state.ghosts[state.mover - 1] // HEADINGS if state.mover else state.runner
    return (_cell(state, board.next[start * 5 + move]),)


def cells(state: Maze) -> Iterator[Field]:
    """The cells without a wall."""
    return (_cell(state, cell) for cell in range(len(state.setting.board.places)))


def _cell(state: Maze, cell: int) -> Field:
    board = state.setting.board
    return Field.around(cell_text(board, cell), _centre(board.places[cell]), _CELL)


def _centre(place: tuple[int, int]) -> Point:
    line, column = place
    return (column - 0.5) * _CELL, (line - 0.5) * _CELL


def _walls(lines: tuple[str, ...]) -> str:
    """Every wall as a stroke from its middle to those beside it, runs of them as one; what four enclose is filled."""
    walls = {(row, column) for row, line in enumerate(lines, 1) for column, mark in enumerate(line, 1) if mark in "%#"}
    steps = blocks = ""
    for row, column in sorted(walls):
        for down, right, step in ((0, 1, "h"), (1, 0, "v")):
            length = 0
            if (row - down, column - right) not in walls:
                while (row + down * (length + 1), column + right * (length + 1)) in walls:
                    length += 1
            if length:
                steps += f"M{pair(*_centre((row, column)))}{step}{length * _CELL:g}"
        if not {(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)} & walls:
            x, y = _centre((row, column))
            steps += f"M{pair(x - 3, y - 3)}h6v6h-6z"
        if {(row, column + 1), (row + 1, column), (row + 1, column + 1)} <= walls:
            blocks += f"M{pair(*_centre((row, column)))}h{_CELL:g}v{_CELL:g}h-{_CELL:g}z"
    return path("block", blocks) * bool(blocks) + path("wall", steps)


def _runner(x: float, y: float, facing: int) -> str:
    """A disc with its mouth towards a direction. A script lets it turn, and shut its mouth for an instant."""
    (right, down), r = _WAYS[facing], _CELL * 0.42
    lips = [(r * (0.75 * right + s * 0.66 * down), r * (0.75 * down - s * 0.66 * right)) for s in (-1, 1)]
    mouth = path("runner", f"M0,0L{pair(*lips[0])}A{r:g},{r:g} 0 1 1 {pair(*lips[1])}z")
    shut = element("circle", class_="runner", r=r, opacity=0)
    place = f"translate({number(x)} {number(y)})"
    return element("g", mouth, shut, transform=place, data_look="runner", data_turned=90 * facing)


def _ghost(seat: int, x: float, y: float, heading: int, *, scared: bool) -> str:
    """A hood with its number, and eyes that look where it goes; dashed while it is scared."""
    r = _CELL * 0.42
    frills = "l-3.1,-3l-3.1,3l-3.1,-3l-3.1,3l-3.1,-3"
    hood = path(
        "scared" if scared else "ghost",
        f"M{-r:.1f},{r:.1f}v{-r:.1f}a{r:.1f},{r:.1f} 0 0 1 {2 * r:.1f},0v{r:.1f}{frills}z",
    )
    eyes = dots("eye", [(-3.4, -4.0), (3.4, -4.0)], 5.0)
    right, down = _WAYS[heading] if heading < len(_WAYS) else (0.0, 0.0)
    gaze = element(
        "g", dots("pupil", [(-3.4, -4.0), (3.4, -4.0)], 2.4), transform=f"translate({1.2 * right:g} {1.2 * down:g})"
    )
    name = inside(str(seat), 0.0, 3.6, size=9.0, kind="bold" if scared else "bold on-ghost")
    return element("g", hood, eyes, gaze, name, transform=f"translate({number(x)} {number(y)})")
