"""The tables of chess: what each piece attacks from each square, and the moves of a set of target squares.

Square a1 is 0, b1 is 1, h8 is 63; a set of squares is a number with a bit for each square. A move is a number:
source + 64 * target + 4096 * promotion. No loop goes over the bits of a set: a `Memo` stores the result for each set,
which then costs one look-up in a dictionary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, TypeVar

Value = TypeVar("Value")

PROMOTED: Final = "-nbrq"
"""The letter of each promotion; 0 is none."""
BIT: Final = tuple(1 << square for square in range(64))
NAMES: Final = tuple(f"{file}{rank}" for rank in range(1, 9) for file in "abcdefgh")
CORNERS: Final = {0: "Q", 7: "K", 56: "q", 63: "k"}
"""The square of each rook that can castle, with its letter in FEN."""
CASTLING: Final = {2: (0, 3), 6: (7, 5), 58: (56, 59), 62: (63, 61)}
"""Where the king castles to: the rook's square before and after."""


def _can_move(rank: int, file: int, to_rank: int, to_file: int, promotion: int) -> bool:
    """Whether a queen, a knight, or a pawn that is promoted can move so on an empty board."""
    up, across = abs(to_rank - rank), abs(to_file - file)
    if promotion:
        return across <= 1 and (rank, to_rank) in ((6, 7), (1, 0))
    return (up, across) != (0, 0) and (up == across or not up * across or {up, across} == {1, 2})


LAST_RANKS: Final = 0xFF000000000000FF
SECOND_STEP: Final = (0x000000FF00000000 >> 8, 0x000000FF00000000)
"""For each side, the rank that a pawn reaches with two steps."""
NOT_A: Final = 0xFEFEFEFEFEFEFEFE
NOT_H: Final = 0x7F7F7F7F7F7F7F7F
LIGHT: Final = 0x55AA55AA55AA55AA
ALL_MOVES: Final = tuple(
    source + 64 * target + 4096 * promotion
    for promotion in range(5)
    for source in range(64)
    for target in range(64)
    if _can_move(*divmod(source, 8), *divmod(target, 8), promotion)
)
"""The 1,968 moves that some piece can make on an empty board."""
MOST: Final = 1 << 15
"""Entries of a Memo at which it is emptied, so that a long search does not fill the memory."""


class Memo(dict[int, Value]):
    """A function of a set of squares that computes each value once."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[int], Value]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, squares: int) -> Value:
        if len(self) >= MOST:
            self.clear()
        value = self[squares] = self.make(squares)
        return value


def bits_of(squares: Iterable[int]) -> int:
    """The squares as a set."""
    return sum(BIT[square] for square in squares)


def _squares(bits: int) -> tuple[int, ...]:
    return tuple(square for square in range(64) if bits & BIT[square])


SQUARES: Final = Memo(_squares)
"""The squares of a set, in order."""


def _ray(square: int, step: tuple[int, int], occupied: int = 0, *, most: int = 7) -> list[int]:
    """The squares in one direction (files, ranks), up to the first occupied one, which is included."""
    file, rank = square & 7, square >> 3
    found: list[int] = []
    while len(found) < most:
        file, rank = file + step[0], rank + step[1]
        if not (0 <= file < 8 and 0 <= rank < 8):
            break
        found.append(8 * rank + file)
        if occupied & BIT[found[-1]]:
            break
    return found


STRAIGHT: Final = ((1, 0), (-1, 0), (0, 1), (0, -1))
DIAGONAL: Final = ((1, 1), (-1, 1), (1, -1), (-1, -1))
_HOPS: Final = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))

Steps = tuple[tuple[int, int], ...]


def _reached(square: int, steps: Steps, occupied: int = 0, *, most: int = 7) -> int:
    return bits_of(target for step in steps for target in _ray(square, step, occupied, most=most))


def _relevant(square: int, steps: Steps) -> int:
    """The squares where a piece can block a slider: the last one of each ray cannot."""
    return bits_of(target for step in steps for target in _ray(square, step)[:-1])


def _sliding(steps: Steps) -> tuple[Memo[int], ...]:
    """For each square: the occupied ones of its relevant squares -> what a slider attacks."""
    return tuple(Memo(partial(_reached, square, steps)) for square in range(64))


KNIGHT_TARGETS: Final = tuple(_reached(square, _HOPS, most=1) for square in range(64))
KING_TARGETS: Final = tuple(_reached(square, STRAIGHT + DIAGONAL, most=1) for square in range(64))
PAWN_TARGETS: Final = tuple(
    tuple(_reached(square, ((-1, ahead), (1, ahead)), most=1) for square in range(64)) for ahead in (1, -1)
)
"""What a pawn of each side attacks."""
ROOK_LINES: Final = tuple(_reached(square, STRAIGHT) for square in range(64))
BISHOP_LINES: Final = tuple(_reached(square, DIAGONAL) for square in range(64))
ROOK_MASK: Final = tuple(_relevant(square, STRAIGHT) for square in range(64))
BISHOP_MASK: Final = tuple(_relevant(square, DIAGONAL) for square in range(64))
ROOK_TARGETS: Final = _sliding(STRAIGHT)
BISHOP_TARGETS: Final = _sliding(DIAGONAL)


def _lines() -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
    """For each two squares: the squares between them, and the whole line through them; 0 if they are not in line."""
    between = [[0] * 64 for _ in range(64)]
    line = [[0] * 64 for _ in range(64)]
    for square in range(64):
        for step in STRAIGHT + DIAGONAL:
            ray, passed = _ray(square, step), 0
            whole = bits_of(ray) | bits_of(_ray(square, (-step[0], -step[1]))) | BIT[square]
            for target in ray:
                between[square][target], line[square][target] = passed, whole
                passed |= BIT[target]
    return tuple(map(tuple, between)), tuple(map(tuple, line))


BETWEEN, LINE = _lines()


def _moves_from(source: int, targets: int) -> tuple[int, ...]:
    return tuple(source + 64 * target for target in SQUARES[targets])


def _pawn_moves(step: int, targets: int) -> tuple[int, ...]:
    found: list[int] = []
    for target in SQUARES[targets]:
        move = target - step + 64 * target
        found += [move + 4096 * n for n in (4, 3, 2, 1)] if BIT[target] & LAST_RANKS else [move]
    return tuple(found)


MOVES: Final = tuple(Memo(partial(_moves_from, square)) for square in range(64))
"""The moves of a piece on a square to a set of squares."""
PAWN_MOVES: Final = {step: Memo(partial(_pawn_moves, step)) for step in (7, 8, 9, 16, -7, -8, -9, -16)}
"""The moves of pawns that reach a set of squares with a step."""
