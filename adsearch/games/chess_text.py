"""Chess as text: the parts of FEN (a position), and SAN (a move as people write it).

Nothing here knows the rules: legal moves and pieces come in as arguments. What is read is checked part by part, and
BadPosition says which part is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from adsearch.errors import BadPosition, quote
from adsearch.games.chess_board import BIT, CORNERS, NAMES, PROMOTED

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
