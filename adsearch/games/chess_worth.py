"""What each piece of chess is worth on each square, and the number by which a position is recognised.

Both are sums over the pieces, so one table serves both. The lowest 32 bits of `PLACED[side][kind][square]` are the
piece's worth to White, in hundredths of a pawn; above them is a random number. A move adds and subtracts a few entries.
The random numbers come from BLAKE2, so that they are the same in every process.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from adsearch.games.chess_board import Memo
from adsearch.games.evaluation import squash, unsquash

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)
LETTERS: Final = "pnbrqk"
VALUE: Final = (100, 320, 330, 500, 950, 0)
"""In hundredths of a pawn, by kind."""
_PAWNS_OF_A_HALF: Final = 4
"""The lead in pawns whose value is half of a win."""


def value_of_pawns(pawns: float) -> float:
    """The value of a lead in pawns, between -1 and 1."""
    return squash(pawns / _PAWNS_OF_A_HALF)


def pawns_of_value(value: float) -> float:
    """The lead in pawns that has this value, which is in the open interval (-1, 1)."""
    return _PAWNS_OF_A_HALF * unsquash(value)


def _centre(square: int) -> int:
    """How near a square is to the centre: 0 at the corners, 6 in the middle."""
    file, rank = square & 7, square >> 3
    return min(file, 7 - file) + min(rank, 7 - rank)


def _place(kind: int, square: int) -> int:
    """What the square adds to White's piece, in hundredths of a pawn. The king's places are in `KING_PLACES`."""
    file, rank = square & 7, square >> 3
    if kind == PAWN:
        return (rank - 1) ** 2 * 2 + (10 * (rank - 1) if file in (3, 4) and rank < 4 else 0)
    if kind == KNIGHT:
        return 8 * _centre(square) - 30
    if kind == BISHOP:
        return 5 * _centre(square) - (15 if rank == 0 else 10)
    if kind == ROOK:
        return 20 if rank == 6 else 5 if file in (3, 4) else 0
    return 2 * _centre(square) - 6 if kind == QUEEN else 0


PLACES: Final = tuple(
    tuple(tuple(_place(kind, square ^ turned) for square in range(64)) for kind in range(6)) for turned in (0, 56)
)
"""What each square adds to a piece, by side and kind; Black's board is White's upside down."""


def _random(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") << 32


PLACED: Final = tuple(
    tuple(
        tuple(
            _random(f"{side} {kind} {square}") + (VALUE[kind] + PLACES[side][kind][square]) * (-1 if side else 1)
            for square in range(64)
        )
        for kind in range(6)
    )
    for side in range(2)
)
STATUS: Final = Memo(lambda bits: _random(f"status {bits}"))
"""The number of the castling rights, the square of an en-passant capture and the side to move, as one set of bits."""


def worth(total: int) -> int:
    """The worth of all pieces to White, in hundredths of a pawn, from the sum of their entries in `PLACED`."""
    return (total + 0x80000000 & 0xFFFFFFFF) - 0x80000000


def code(number: int) -> int:
    """48 bits that stand for a position in the list of earlier ones. Not linear, so that sums of codes differ too."""
    return ((number ^ number >> 37) * 0x9E3779B97F4A7C15 >> 40) & 0xFFFFFFFFFFFF


def _king_place(square: int, *, late: bool) -> int:
    """Early White's king is safe behind its pawns, on a wing; late it belongs in the centre."""
    if late:
        return 8 * _centre(square) - 24
    return (10 if square & 7 in (0, 1, 2, 6, 7) else -10) - 15 * (square >> 3)


KING_PLACES: Final = tuple(
    tuple(tuple(_king_place(square ^ turned, late=late) for square in range(64)) for turned in (0, 56))
    for late in (False, True)
)
"""What each square adds to the king: early and late in the game, by side."""
