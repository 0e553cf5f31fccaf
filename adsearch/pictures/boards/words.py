"""Words: the board with its premium squares, the tiles with their points, and the rack of each seat below it."""

from __future__ import annotations

from string import ascii_letters
from typing import Final

from adsearch.games.words import UNKNOWN, Words
from adsearch.games.words_board import BLANK, COLUMNS, POINTS, PREMIUMS, SIZE
from adsearch.pictures.boards.paper import (
    RIM,
    SMALL,
    Drawing,
    document,
    inside,
    last_move,
    next_event,
    path,
    player,
    rect,
    rims,
    words,
)
from adsearch.pictures.svg import pair

INKS: Final = {"=": "R-land", "-": "Y-land", '"': "B-land", "'": "G-land", **dict.fromkeys(ascii_letters, "card")}
_CELL: Final = 28.0
_SIDE: Final = SIZE * _CELL
_RACK: Final = 34.0
"""Height of a rack with its gap."""
_PREMIUMS: Final = {
    "T": ("R-land", "3W"), "D": ("Y-land", "2W"), "t": ("B-land", "3L"), "d": ("G-land", "2L"),
}  # fmt: skip


def draw(state: Words, last: str | None = None) -> str:
    """The position as a picture."""
    parts = [rims(SIZE, SIZE, cell=_CELL, letters=COLUMNS), *_ground(state.board)]
    for at, tile in enumerate(state.board):
        if tile != ".":
            parts.append(_tile(tile, *_corner(at)))
    for row, column in () if last is None else state.last_cells(last):
        parts.append(rect("last", *_corner(row * SIZE + column), _CELL, _CELL, rx=3.0))
    sentences = [f"Across: {_found(state.rows())}.", f"Down: {_found(_columns(state))}."]
    for seat, (rack, score) in enumerate(zip(state.racks, state.scores, strict=True)):
        y = RIM + _SIDE + 14.0 + seat * _RACK
        kind = "bold" if seat == state.turn else ""
        parts.append(words(f"{player(seat)}: {score}", RIM, y + 19.0, anchor="start", kind=kind))
        parts += [_tile(tile, RIM + (5 + n) * _CELL * 1.1, y) for n, tile in enumerate(rack)]
        sentences.append(f"{player(seat).capitalize()}: {score} points, tiles {rack or 'none'}.")
    sentences += last_move(state, last)
    event = next_event(
        state, [player(seat) for seat in range(state.players)], at_chance=f"{player(state.drawer or 0)} is dealt a tile"
    )
    if state.turn is not None:
        event += f"; {state.bag} in the bag"
    height = RIM + _SIDE + 14.0 + state.players * _RACK
    return document(Drawing(RIM + _SIDE, height, "".join(parts)), "Words", event, sentences=sentences)


def _corner(square: int) -> tuple[float, float]:
    """The top left corner of a square."""
    row, column = divmod(square, SIZE)
    return RIM + column * _CELL, RIM + row * _CELL


def _square(square: int) -> str:
    """A square as steps of a path."""
    return f"M{pair(*_corner(square))}h{_CELL:g}v{_CELL:g}h-{_CELL:g}z"


def _ground(board: str) -> list[str]:
    """The squares, with the name of each premium square that is empty."""
    parts = [rect("cell", RIM, RIM, _SIDE, _SIDE)]
    for premium, (kind, text) in _PREMIUMS.items():
        squares = [square for square, one in enumerate(PREMIUMS) if one == premium]
        parts.append(path(kind, "".join(map(_square, squares))))
        for square in squares:
            if board[square] == ".":
                x, y = _corner(square)
                parts.append(inside(text, x + _CELL / 2, y + _CELL / 2, size=SMALL))
    parts.append(path("dim", "".join(map(_square, range(SIZE * SIZE)))))
    return parts


def _tile(tile: str, x: float, y: float) -> str:
    """A tile: its letter, and its points below to the right; a blank has no points, and on the board a small letter."""
    ground = rect("card", x + 1.0, y + 1.0, _CELL - 2.0, _CELL - 2.0, rx=3.0)
    if tile in (UNKNOWN, BLANK):
        return ground + (inside("?", x + _CELL / 2, y + _CELL / 2, kind="on-card") if tile == UNKNOWN else "")
    letter = inside(tile, x + 10.0, y + _CELL / 2 - 1.0, size=14.0, kind="bold on-card")
    points = words(str(POINTS[tile]), x + _CELL - 2.5, y + _CELL - 4.0, size=8.0, anchor="end", kind="on-card")
    return ground + letter + (points if POINTS[tile] else "")


def _columns(state: Words) -> list[str]:
    return ["".join(column) for column in zip(*state.rows(), strict=True)]


def _found(lines: list[str]) -> str:
    """The words in these rows or columns."""
    found = [run for line in lines for run in line.split(".") if len(run) > 1]
    return ", ".join(found) or "none"
