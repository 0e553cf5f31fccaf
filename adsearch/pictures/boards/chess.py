"""Chess: pieces drawn as paths, so that no font is needed; the squares of the last move are framed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from adsearch.games.chess import Chess
from adsearch.games.chess_board import NAMES, PROMOTED
from adsearch.games.grid import LETTERS
from adsearch.pictures.boards.paper import (
    RIM,
    SMALL,
    Cells,
    Drawing,
    Field,
    Piece,
    centre,
    document,
    inside,
    last_move,
    listed,
    next_event,
    path,
    rect,
)
from adsearch.pictures.svg import element, pair

ABOVE: Final = 1
_CELL: Final = 44.0
_SIDES: Final = Chess.looks.sides
_NAMES: Final = {"k": "king", "q": "queen", "r": "rook", "b": "bishop", "n": "knight", "p": "pawn"}
_OUTLINES: Final = {
    "p": "M-10,15v-3.5C-10,8 -4,6.5 -3.5,-0.5H-6.5V-4H-4.2A6.2,6.2 0 1 1 4.2,-4H6.5V-0.5H3.5C4,6.5 10,8 10,11.5V15z",
    "r": "M-11.5,15V11H-8.5L-7,-3.5H-10.5V-13.5H-6V-10H-2.4V-13.5H2.4V-10H6V-13.5H10.5V-3.5H7L8.5,11H11.5V15z",
    "n": "M-9.5,15C-9.5,9 -2.5,6 -1.5,0C-4,0.5 -6,2 -8,5L-12,3.5L-13,-0.5C-11.5,-5.5 -8.5,-9 -5.5,-10.5"
    "L-5,-15.5L-0.5,-12C9,-11 12.5,-1 11.5,15z",
    "b": "M-11.5,15V11.5H-5L-4,6.5H-6.5V3C-10.5,-2 -7,-8.5 -1.8,-11.8A2.6,2.6 0 1 1 1.8,-11.8"
    "C7,-8.5 10.5,-2 6.5,3V6.5H4L5,11.5H11.5V15z",
    "q": "M-10,15V11L-8,6.5L-14,-6.6A2.2,2.2 0 1 1 -11.8,-7.4L-7.2,-2L-7,-10.5A2.2,2.2 0 1 1 -4.6,-10.7"
    "L-1.6,-3L-1.1,-12A2.2,2.2 0 1 1 1.1,-12L1.6,-3L4.6,-10.7A2.2,2.2 0 1 1 7,-10.5L7.2,-2L11.8,-7.4"
    "A2.2,2.2 0 1 1 14,-6.6L8,6.5L10,11V15z",
    "k": "M-10,15V11L-9,6.5C-16.5,-1 -12.5,-8.5 -6.5,-7.5C-4,-7 -2.4,-5.5 -1.5,-4V-9.5H-4.5V-12.3H-1.5V-15.5"
    "H1.5V-12.3H4.5V-9.5H1.5V-4C2.4,-5.5 4,-7 6.5,-7.5C12.5,-8.5 16.5,-1 9,6.5L10,11V15z",
}
"""The outline of each piece, around the middle of its square."""
_OF_CHARACTERS: Final = {
    "P": ("♟", ("  ▗▖  ", "  ▜▛  ", " ▗██▖ ")),
    "R": ("♜", (" ▜▟▙▛ ", "  ██  ", " ▟██▙ ")),
    "N": ("♞", (" ▗▟█▖ ", " ▀▘██ ", " ▄██▙ ")),
    "B": ("♝", ("  ▞▙  ", "  ▜▛  ", " ▄██▄ ")),
    "Q": ("♛", (" ▙▐▌▟ ", " ▝██▘ ", " ▟██▙ ")),
    "K": ("♚", (" ▗▟▙▖ ", " ▗▟▙▖ ", " ▄██▄ ")),
}
"""Each piece as one character, and as three lines of six."""
CELLS: Final = Cells(
    ("pale", "wood"),
    {
        **{letter: Piece("white", *shown) for letter, shown in _OF_CHARACTERS.items()},
        **{letter.lower(): Piece("black", *shown) for letter, shown in _OF_CHARACTERS.items()},
    },
)
_LINES: Final = {
    "p": "",
    "r": "M-6,-3.5H6M-7.5,11H7.5",
    "n": "M-6.5,-5.5h.01M3,-7.5C7,-4 8,3 7.8,11",
    "b": "M0,-7V0.5M-3,-4H3M-4,6.5H4",
    "q": "M-7,6.5H7M-9,11H9",
    "k": "M-8,6.5H8M-9,11H9M0,-3V3",
}
"""The lines inside the outline."""


def draw(state: Chess, last: int | None = None, *, turned: bool = False) -> str:
    """The position as a picture; `turned`: as Black sees it."""
    size = 8 * _CELL
    dark = (_square_outline(row, column) for row in range(8) for column in range(8) if (row + column) % 2)
    parts = [_rims(turned), rect("pale", RIM, 0.0, size, size), path("wood", "".join(dark))]
    if last is not None:
        parts += map(_frame, touched(state, last, turned=turned))
    for row, letters in enumerate(state.rows()):
        there = ((column, letter) for column, letter in enumerate(letters) if letter != ".")
        parts += [_piece(letter, *_place(row, column, turned)) for column, letter in there]
    event = next_event(state, _SIDES) + ", in check" * (state.turn is not None and bool(state.checkers))
    sentences = [*_listed_pieces(state.rows()), *last_move(state, last)]
    drawing = Drawing(RIM + size, size + RIM, "".join(parts))
    return document(drawing, "Chess", event, sentences=sentences)


def touched(_state: Chess, move: int, *, turned: bool = False) -> tuple[Field, ...]:
    """The squares from which and to which the piece moves, of a castling move the king; a pawn's promotions have the
    same squares."""
    return tuple(_square(square, turned) for square in (move % 64, move // 64 % 64))


def cells(_state: Chess, *, turned: bool = False) -> Iterator[Field]:
    """The squares."""
    return (_square(square, turned) for square in range(64))


def chosen(state: Chess, move: int) -> str:
    """The piece that a pawn becomes, as a small picture; empty of any other move."""
    letter = PROMOTED[move >> 12] if move > 4095 else ""
    piece = letter and _piece(letter if state.turn else letter.upper(), 0, 0)
    return piece and element("svg", piece, class_="board", viewBox=f"{RIM:g} 0 {_CELL:g} {_CELL:g}", aria_hidden="true")


def _square(square: int, turned: bool) -> Field:
    row, column = _place(7 - square // 8, square % 8, turned)
    return Field(NAMES[square], RIM + column * _CELL, row * _CELL, _CELL, _CELL)


def _place(row: int, column: int, turned: bool) -> tuple[int, int]:
    """The row and the column in the picture; row 0 is rank 8."""
    return (7 - row, 7 - column) if turned else (row, column)


def _square_outline(row: int, column: int) -> str:
    """The outline of a square; row 0 is rank 8."""
    return f"M{pair(RIM + column * _CELL, row * _CELL)}h{_CELL:g}v{_CELL:g}h-{_CELL:g}z"


def _frame(square: Field) -> str:
    """The frame of a square of the last move, inside its edges."""
    return rect("last", square.x + 1.5, square.y + 1.5, square.width - 3.0, square.height - 3.0)


def _rims(turned: bool) -> str:
    """The numbers to the left of the board, and the letters below it."""
    ranks, letters = "87654321", LETTERS[:8]
    if turned:
        ranks, letters = ranks[::-1], letters[::-1]
    beside = (inside(ranks[n], RIM / 2 - 2, (n + 0.5) * _CELL, size=SMALL, kind="faint") for n in range(8))
    below = (
        inside(letters[n], RIM + (n + 0.5) * _CELL, 8 * _CELL + RIM / 2 + 1, size=SMALL, kind="faint") for n in range(8)
    )
    return "".join((*beside, *below))


def _piece(letter: str, row: int, column: int) -> str:
    side, kind = ("white" if letter.isupper() else "black"), letter.lower()
    x, y = centre(row, column, cell=_CELL)
    lines = path(f"on-{side}", _LINES[kind]) if _LINES[kind] else ""
    return Drawing(_CELL, _CELL, path(side, _OUTLINES[kind]) + lines).at(x, y - RIM)


def _listed_pieces(rows: list[str]) -> list[str]:
    """The squares of each side's pieces, in words."""
    squares: dict[str, list[str]] = {}
    for row, letters in enumerate(rows):
        for column, letter in enumerate(letters):
            squares.setdefault(letter, []).append(f"{LETTERS[column]}{8 - row}")
    return [
        f"{side}: {listed(f'{_NAMES[kind]} {square}' for kind in _NAMES for square in squares.get(case(kind), []))}."
        for side, case in zip(_SIDES, (str.upper, str.lower), strict=True)
    ]
