"""The rules of chess: sets of squares as numbers, and every rule by which a game ends; and what a position is worth.

A position has one set of squares for each kind of piece, of both sides, and one for each side. A queen is in two of
these sets: pieces that move straight, and pieces that move diagonally. Pieces that give check and pinned pieces are
found first, so that only legal moves are made and none has to be tried. The earlier positions since the last capture or
pawn's move decide about repetition; they are part of every state and of its key.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final, Self

from adsearch.games.chess_board import (
    ALL_MOVES,
    BETWEEN,
    BISHOP_LINES,
    BISHOP_MASK,
    BISHOP_TARGETS,
    BIT,
    CASTLING,
    KING_TARGETS,
    KNIGHT_TARGETS,
    LIGHT,
    LINE,
    MOVES,
    NOT_A,
    NOT_H,
    PAWN_MOVES,
    PAWN_TARGETS,
    ROOK_LINES,
    ROOK_MASK,
    ROOK_TARGETS,
    SECOND_STEP,
    SQUARES,
    Memo,
)
from adsearch.games.evaluation import squash, unsquash
from adsearch.games.grid import GridGame

QUIET_PLIES: Final = 100
"""Plies in a row without a capture or a pawn's move after which the game is a draw."""
TIMES_SEEN: Final = 3
"""Number of times that a position must occur for a draw."""
MATE: Final = "checkmate"


class ChessRules(GridGame[int]):
    """The pieces, the legal moves and the ends of a game of chess."""

    __slots__ = (
        "_moves",
        "castling",
        "checkers",
        "diagonal",
        "history",
        "kings",
        "knights",
        "mine",
        "number",
        "over",
        "passed",
        "past",
        "pawns",
        "pinned",
        "quiet",
        "side",
        "straight",
        "theirs",
        "total",
        "turn",
    )

    mine: int
    """The pieces of `side`."""
    theirs: int
    pawns: int
    knights: int
    diagonal: int
    """Bishops and queens."""
    straight: int
    """Rooks and queens."""
    kings: int
    side: int
    """The side to move; in a finished game, the side that would be next."""
    castling: int
    """The squares of the rooks that may still castle."""
    passed: int
    """The square that a pawn passed with two steps, if a pawn can legally capture it there; else 0."""
    quiet: int
    """The number of plies since the last capture or pawn's move."""
    number: int
    """The number of the move, as players count: White's and Black's have the same number, from 1."""
    past: tuple[int, ...]
    """The codes of all earlier positions that can occur again."""
    history: int
    """The sum of `past`."""
    total: int
    """The sum of the pieces' entries in PLACED."""
    checkers: int
    """The pieces that give check."""
    pinned: int
    """The pieces of the side to move that stand alone between their king and a slider."""
    over: str
    """How the game ended; empty if it goes on."""
    _moves: tuple[int, ...] | None
    """Cache of the legal moves."""

    @property
    def max_plies(self) -> int:
        # 16 pawns move at most 6 times each, and there are at most 30 captures. There are at most 99 quiet plies before
        # each of these 126, and 100 after the last.
        return 126 * QUIET_PLIES + QUIET_PLIES

    def _settle(self) -> None:
        """Find checks and pins, and whether the game is over, once the pieces are set."""
        self._find_checks_and_pins()
        if self.passed and not self._captures_in_passing():
            self.passed = 0
        self._moves, self.over = None, ""
        # Without check, the step of a pawn that is not pinned is a legal move: the others need not be known yet.
        free = self.pawns & self.mine & ~self.pinned
        if self.checkers or not (free >> 8 if self.side else free << 8) & ~(self.mine | self.theirs):
            self._moves = self.legal_moves()
            if not self._moves:
                self.over = MATE if self.checkers else "stalemate"
        if not self.over and (self.quiet > 7 or not (self.pawns or self.straight)):
            self.over = self._drawn()
        if self.over:
            self.turn, self._moves = None, ()
        else:
            self.turn = self.side

    def _find_checks_and_pins(self) -> None:
        mine, theirs = self.mine, self.theirs
        occupied = mine | theirs
        king = (self.kings & mine).bit_length() - 1
        pinned = 0
        checkers = (KNIGHT_TARGETS[king] & self.knights | PAWN_TARGETS[self.side][king] & self.pawns) & theirs
        sliders = (ROOK_LINES[king] & self.straight | BISHOP_LINES[king] & self.diagonal) & theirs
        if sliders:
            between_king_and = BETWEEN[king]
            for square in SQUARES[sliders]:
                between = between_king_and[square] & occupied
                if not between:
                    checkers |= BIT[square]
                elif not between & between - 1:
                    pinned |= between & mine
        self.checkers, self.pinned = checkers, pinned

    def _drawn(self) -> str:
        """By which rule the game is a draw here; empty if by none."""
        if self.quiet >= QUIET_PLIES:
            return "fifty moves without progress"
        if len(self.past) > 7 and self.past.count(self.code) >= TIMES_SEEN - 1:
            return "threefold repetition"
        if not (self.pawns or self.straight):
            minor = self.knights | self.diagonal
            if not minor & minor - 1 or not (self.knights or (minor & LIGHT and minor & ~LIGHT)):
                return "not enough pieces for mate"
        return ""

    def moves(self) -> tuple[int, ...]:
        moves = self._moves
        if moves is None:
            moves = self._moves = self.legal_moves()
        return moves

    def all_moves(self) -> tuple[int, ...]:
        return ALL_MOVES

    def legal_moves(self) -> tuple[int, ...]:
        """The legal moves, even if the game is a draw."""
        mine, theirs = self.mine, self.theirs
        occupied = mine | theirs
        checkers = self.checkers
        king = (self.kings & mine).bit_length() - 1
        found: list[int] = []
        if not checkers:
            self._add_pawns(found, ~mine, king)
            self._add_pieces(found, ~mine, king)
        elif not checkers & checkers - 1:
            # One piece gives check: capture it, or move a piece between it and the king.
            goal = checkers | BETWEEN[king][checkers.bit_length() - 1]
            self._add_pawns(found, goal, king)
            self._add_pieces(found, goal, king)
        without_king = occupied & ~BIT[king]
        for square in SQUARES[KING_TARGETS[king] & ~mine]:
            if not self._attacked(square, without_king, theirs):
                found.append(king + 64 * square)
        if self.castling & mine and not checkers:
            self._add_castling(found, king, occupied)
        return tuple(found)

    def _attacked(self, square: int, occupied: int, theirs: int) -> bool:
        """Whether any of `theirs` attacks a square, where `occupied` are the squares of all pieces."""
        return (
            KNIGHT_TARGETS[square] & self.knights
            | PAWN_TARGETS[self.side][square] & self.pawns
            | KING_TARGETS[square] & self.kings
            | ROOK_TARGETS[square][occupied & ROOK_MASK[square]] & self.straight
            | BISHOP_TARGETS[square][occupied & BISHOP_MASK[square]] & self.diagonal
        ) & theirs != 0

    def _add_pieces(self, found: list[int], goal: int, king: int) -> None:
        """Add the moves of knights, bishops, rooks and queens to squares of `goal`."""
        mine, pinned = self.mine, self.pinned
        occupied = mine | self.theirs
        for square in SQUARES[self.knights & mine & ~pinned]:
            if targets := KNIGHT_TARGETS[square] & goal:
                found += MOVES[square][targets]
        for square in SQUARES[self.diagonal & mine]:
            targets = BISHOP_TARGETS[square][occupied & BISHOP_MASK[square]] & goal
            if pinned & BIT[square]:
                targets &= LINE[king][square]
            if targets:
                found += MOVES[square][targets]
        for square in SQUARES[self.straight & mine]:
            targets = ROOK_TARGETS[square][occupied & ROOK_MASK[square]] & goal
            if pinned & BIT[square]:
                targets &= LINE[king][square]
            if targets:
                found += MOVES[square][targets]

    def _add_pawns(self, found: list[int], goal: int, king: int) -> None:
        """Add the moves of pawns to squares of `goal`."""
        pawns = self.pawns & self.mine
        pinned = self.pinned & pawns
        self._add_steps(found, pawns & ~pinned, goal)
        for square in SQUARES[pinned]:
            self._add_steps(found, BIT[square], goal & LINE[king][square])
        if self.passed:
            found += self._captures_in_passing()

    def _add_steps(self, found: list[int], pawns: int, goal: int) -> None:
        """Add the steps and captures of these pawns; all of them at the same time, by shifting the set."""
        empty, theirs = ~(self.mine | self.theirs), self.theirs & goal
        if self.side:
            one, two, left, right = -8, -16, -9, -7
            once = pawns >> 8 & empty
            twice = once >> 8 & empty & SECOND_STEP[1]
            to_left, to_right = (pawns & NOT_A) >> 9 & theirs, (pawns & NOT_H) >> 7 & theirs
        else:
            one, two, left, right = 8, 16, 7, 9
            once = pawns << 8 & empty
            twice = once << 8 & empty & SECOND_STEP[0]
            to_left, to_right = (pawns & NOT_A) << 7 & theirs, (pawns & NOT_H) << 9 & theirs
        if once := once & goal:
            found += PAWN_MOVES[one][once]
        if twice := twice & goal:
            found += PAWN_MOVES[two][twice]
        if to_left:
            found += PAWN_MOVES[left][to_left]
        if to_right:
            found += PAWN_MOVES[right][to_right]

    def _captures_in_passing(self) -> list[int]:
        """The legal captures in passing. Both pawns leave their rank, so the king's safety is looked up anew."""
        target = self.passed.bit_length() - 1
        taken = self.passed << 8 if self.side else self.passed >> 8
        king = (self.kings & self.mine).bit_length() - 1
        theirs = self.theirs & ~taken
        found = []
        for source in SQUARES[PAWN_TARGETS[1 - self.side][target] & self.pawns & self.mine]:
            occupied = self.mine & ~BIT[source] | theirs | self.passed
            if not self._attacked(king, occupied, theirs):
                found.append(source + 64 * target)
        return found

    def _add_castling(self, found: list[int], king: int, occupied: int) -> None:
        """Add castling; the king is not in check."""
        for target in (king + 2, king - 2):
            rook, over = CASTLING[target]
            if (
                self.castling & BIT[rook]
                and not BETWEEN[king][rook] & occupied
                and not self._attacked(over, occupied, self.theirs)
                and not self._attacked(target, occupied, self.theirs)
            ):
                found.append(king + 64 * target)

    def play(self, move: int) -> Self:
        child = self.__class__()
        side = self.side
        child.side = 1 - side
        child.mine, child.theirs = self.theirs, self.mine
        child.pawns, child.knights, child.kings = self.pawns, self.knights, self.kings
        child.diagonal, child.straight = self.diagonal, self.straight
        child.total = self.total
        child.passed = 0
        source, target = move & 63, move >> 6 & 63
        castling = self.castling & ~(BIT[source] | BIT[target])
        captures = self.theirs & BIT[target]
        if captures:
            child._remove(1 - side, self.kind(target), target)
        kind = self.kind(source)
        child._remove(side, kind, source)
        child._put(side, move >> 12 or kind, target)
        if kind == PAWN:
            if BIT[target] == self.passed:
                child._remove(1 - side, PAWN, target + 8 if side else target - 8)
            elif source - target in (16, -16):
                child.passed = BIT[source + target >> 1]
        elif kind == KING:
            castling &= self.theirs
            if source - target in (2, -2):
                before, after = CASTLING[target]
                child._remove(side, ROOK, before)
                child._put(side, ROOK, after)
        child.castling = castling
        child.number = self.number + side
        child.quiet = 0 if captures or kind == PAWN else self.quiet + 1
        child.past, child.history = (), 0
        if child.quiet and castling == self.castling:
            earlier = self.code
            child.past, child.history = (*self.past, earlier), self.history + earlier
        child._settle()
        return child

    def _put(self, side: int, kind: int, square: int) -> None:
        """Add a piece, while the position is being made."""
        self._toggle(side, kind, BIT[square])
        self.total += PLACED[side][kind][square]

    def _remove(self, side: int, kind: int, square: int) -> None:
        """Remove a piece, while the position is being made."""
        self._toggle(side, kind, BIT[square])
        self.total -= PLACED[side][kind][square]

    def _toggle(self, side: int, kind: int, bit: int) -> None:
        if side == self.side:
            self.mine ^= bit
        else:
            self.theirs ^= bit
        if kind == PAWN:
            self.pawns ^= bit
        elif kind == KNIGHT:
            self.knights ^= bit
        elif kind == KING:
            self.kings ^= bit
        else:
            if kind != ROOK:
                self.diagonal ^= bit
            if kind != BISHOP:
                self.straight ^= bit

    def kind(self, square: int) -> int:
        """The kind of the piece on a square that is not empty."""
        bit = BIT[square]
        if self.pawns & bit:
            return PAWN
        if self.knights & bit:
            return KNIGHT
        if self.kings & bit:
            return KING
        if self.straight & bit:
            return QUEEN if self.diagonal & bit else ROOK
        return BISHOP

    @property
    def _identity(self) -> int:
        """The number of this position, without the earlier ones."""
        return self.total + STATUS[self.castling | self.passed | self.side << 64]

    @property
    def code(self) -> int:
        """What stands for this position in the list of earlier ones."""
        return code(self._identity)

    @property
    def key(self) -> int | tuple[int, int, int]:
        return (self._identity, self.quiet, self.history) if self.quiet else self._identity

    def utilities(self) -> tuple[float, float]:
        if self.over != MATE:
            return (0.0, 0.0)
        return (1.0, -1.0) if self.side else (-1.0, 1.0)

    def ending(self) -> str:
        return self.over


# What each piece of chess is worth on each square, and the number by which a position is recognised.


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
