"""The tables of chess: what each piece attacks from each square, and the moves of a set of target squares; FEN and the
text of moves.

Square a1 is 0, b1 is 1, h8 is 63; a set of squares is a number with a bit for each square. A move is a number:
source + 64 * target + 4096 * promotion. No loop goes over the bits of a set: a `Memo` stores the result for each set,
which then costs one look-up in a dictionary.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeVar

from adsearch.errors import BadPosition, quote

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


# Chess as text: the parts of FEN (a position), and SAN (a move as people write it).


START: Final = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

_FEN: Final = re.compile(
    r"([1-8pnbrqkPNBRQK/]{15,71}) ([wb]) (-|K?Q?k?q?) (-|[a-h][36])(?: ([0-9]{1,3}) ([0-9]{1,5}))?"
    r"(?: seen=((?:[0-9a-f]{12}){1,100}))?"
)
_SAN: Final = re.compile(r"([NBRQK])?([a-h])?([1-8])?x?([a-h][1-8])(?:=?([NBRQ]))?[+#]?[!?]{0,2}")
_CASTLES: Final = {"o-o": 2, "o-o-o": -2}

PieceAt = Callable[[int], str]
"""The letter of the piece on a square, as in FEN; "." if it is empty."""


class Parts(NamedTuple):
    """What a position says, part by part."""

    pieces: dict[int, str]
    """Square -> letter."""
    side: int
    castling: int
    passed: int
    quiet: int
    number: int
    past: tuple[int, ...]


def read_fen(text: str) -> Parts:
    """The parts of a position; BadPosition if they cannot be read or do not fit together."""
    match = _FEN.fullmatch(text)
    if not match or not match[3]:
        raise BadPosition(f"expected a position in FEN, such as {quote(START)}, got {quote(text)}")
    pieces = _read_board(match[1])
    side = "wb".index(match[2])
    rights = [corner for corner, letter in CORNERS.items() if letter in match[3]]
    for corner in rights:
        white = CORNERS[corner].isupper()
        if pieces.get(corner) != ("R" if white else "r") or pieces.get(4 if white else 60) != ("K" if white else "k"):
            raise BadPosition(f"{CORNERS[corner]}: the king or the rook is not where it can castle, in {quote(text)}")
    passed = 0 if match[4] == "-" else BIT[_read_passed(match[4], pieces, side)]
    past = tuple(int(match[7][at : at + 12], 16) for at in range(0, len(match[7]), 12)) if match[7] else ()
    quiet = int(match[5] or 0)
    if len(past) > quiet:
        raise BadPosition(f"expected at most {quiet} earlier positions, as many as quiet plies, got {len(past)}")
    number = max(1, int(match[6] or 1))  # some programs count moves from 0
    return Parts(pieces, side, sum(BIT[corner] for corner in rights), passed, quiet, number, past)


def _read_board(text: str) -> dict[int, str]:
    rows = [re.sub("[1-8]", lambda digit: "." * int(digit[0]), row) for row in text.split("/")]
    if len(rows) != 8 or any(len(row) != 8 for row in rows):
        raise BadPosition(f"expected 8 rows of 8 squares, joined by '/', got {quote(text)}")
    cells = enumerate("".join(reversed(rows)))
    pieces = {square: letter for square, letter in cells if letter != "."}
    letters = "".join(pieces.values())
    for name, king, pawn in (("White", "K", "P"), ("Black", "k", "p")):
        own = [letter for letter in letters if letter.isupper() == king.isupper()]
        if own.count(king) != 1 or own.count(pawn) > 8 or len(own) > 16:
            raise BadPosition(f"expected one king, at most 8 pawns and at most 16 pieces of {name}, got {quote(text)}")
    if any(letter in "pP" and not 8 <= square < 56 for square, letter in pieces.items()):
        raise BadPosition(f"there is a pawn on the first or the last rank in {quote(text)}")
    return pieces


def _read_passed(name: str, pieces: dict[int, str], side: int) -> int:
    """The square that a pawn passed in the move before."""
    square = NAMES.index(name)
    back = 8 if side else -8
    if name[1] != "63"[side] or square in pieces or square - back in pieces or pieces.get(square + back) != "pP"[side]:
        raise BadPosition(f"expected a square that a pawn passed in the move before, or -, got {quote(name)}")
    return square


def write_board(rows: Sequence[str]) -> str:
    """The first part of FEN."""
    return re.sub(r"\.+", lambda empty: str(len(empty[0])), "/".join(rows))


def write_castling(castling: int) -> str:
    """The third part of FEN."""
    return "".join(letter for corner, letter in sorted(CORNERS.items(), key=lambda at: at[1]) if castling & BIT[corner])


def write_san(move: int, moves: Sequence[int], piece_at: PieceAt) -> str:
    """The legal `move` in SAN, without the sign for check."""
    source, target, promotion = move & 63, move >> 6 & 63, move >> 12
    piece = piece_at(source).upper()
    if piece == "K" and target - source in (2, -2):
        return "O-O" if target > source else "O-O-O"
    captures = "x" if piece_at(target) != "." or (piece == "P" and (target - source) % 8) else ""
    if piece == "P":
        chosen = f"={PROMOTED[promotion].upper()}" if promotion else ""
        return f"{NAMES[source][0] if captures else ''}{captures}{NAMES[target]}{chosen}"
    same = piece_at(source)
    others = [at & 63 for at in moves if at >> 6 == target and at & 63 != source and piece_at(at & 63) == same]
    if not others:
        which = ""
    elif all(other & 7 != source & 7 for other in others):
        which = NAMES[source][0]
    elif all(other >> 3 != source >> 3 for other in others):
        which = NAMES[source][1]
    else:
        which = NAMES[source]
    return f"{piece}{which}{captures}{NAMES[target]}"


def read_san(text: str, moves: Sequence[int], piece_at: PieceAt) -> int | None:
    """The legal move that `text` describes: as it is written, or else in any case if only one move fits."""
    bare = text.lower().replace("0", "o").rstrip("+#!?")
    if bare in _CASTLES:
        kings = [move for move in moves if piece_at(move & 63) in "kK"]
        return next((move for move in kings if (move >> 6) - (move & 63) == _CASTLES[bare]), None)
    exact = _fitting(text, moves, piece_at)
    if len(exact) == 1:
        return exact[0]
    low = text.lower()
    promoted = low[:1] + re.sub(r"[nbrq](?=[+#!?]*$)", lambda letter: letter[0].upper(), low[1:])
    found = {*_fitting(promoted, moves, piece_at), *_fitting(promoted[:1].upper() + promoted[1:], moves, piece_at)}
    return found.pop() if len(found) == 1 else None


def _fitting(text: str, moves: Sequence[int], piece_at: PieceAt) -> list[int]:
    """The legal moves that fit a text in SAN."""
    match = _SAN.fullmatch(text)
    if not match:
        return []
    piece, file, rank, target, promotion = match.groups()
    found = []
    for move in moves:
        name = NAMES[move & 63]
        if (
            NAMES[move >> 6 & 63] == target
            and piece_at(move & 63).upper() == (piece or "P")
            and PROMOTED[move >> 12].upper() == (promotion or "-")
            and name[0] == (file or (name[0] if piece else target[0]))
            and name[1] == (rank or name[1])
        ):
            found.append(move)
    return found
