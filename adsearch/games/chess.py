"""Chess: sets of squares as numbers, and every rule by which a game ends.

A position has one set of squares for each kind of piece, of both sides, and one for each side. A queen is in two of
these sets: pieces that move straight, and pieces that move diagonally. Pieces that give check and pinned pieces are
found first, so that only legal moves are made and none has to be tried. The earlier positions since the last capture or
pawn's move decide about repetition; they are part of every state and of its key.
"""

from __future__ import annotations

from typing import Final, Self

from adsearch.errors import BadPosition, quote
from adsearch.games import chess_text as text
from adsearch.games.chess_board import (
    BETWEEN,
    BISHOP,
    BISHOP_LINES,
    BISHOP_MASK,
    BIT,
    CASTLING,
    KING,
    KNIGHT,
    LIGHT,
    LINE,
    MOVES,
    NAMES,
    NOT_A,
    NOT_H,
    PAWN,
    PAWN_MOVES,
    PROMOTED,
    ROOK,
    ROOK_LINES,
    ROOK_MASK,
    SECOND_STEP,
    SQUARES,
    bits_of,
)
from adsearch.games.chess_worth import LETTERS, PLACED, STATUS, code, worth
from adsearch.games.evaluation import squash
from adsearch.games.grid import Cell, GridGame, grid_attributes

QUIET_PLIES: Final = 100
"""Plies in a row without a capture or a pawn's move after which the game is a draw."""
TIMES_SEEN: Final = 3
"""Number of times that a position must occur for a draw."""
EVERYWHERE: Final = 0xFFFFFFFFFFFFFFFF
MATE: Final = "checkmate"


class Chess(GridGame[int]):
    """Chess by the rules of FIDE; White, seat 0, moves first. Checkmate wins. The game is a draw by stalemate, when a
    position occurs for the third time, after 100 plies without a capture or a pawn's move, and when neither side has
    the pieces to give mate: bare kings, one knight or bishop more, or only bishops on squares of one colour. No draw
    has to be claimed."""

    notation = "the two squares, and the letter of a promotion: e2e4, e7e8q, e1g1 (castling); or as in Nf3, O-O, exd8=Q"
    position_notation = (
        (
            "rnbq.../8/...",
            "the rows from rank 8 down; capitals are White's pieces, a digit counts empty squares",
        ),
        ("w or b", "the side to move"),
        ("KQkq", "who may still castle on the king's or the queen's side; - if nobody"),
        ("e3", "the square that a pawn passed, if it can be captured there; else -"),
        ("0 1", "the number of plies since the last capture or pawn's move; the number of the move"),
        ("seen=...", "earlier positions that can occur again, a code of 12 digits each; not written if there are none"),
    )
    attributes = (
        ("piece(square)", "the piece on a square from 0 (a1) over 7 (h1) to 63 (h8), as in cell(row, column)"),
        *grid_attributes("'P', 'N', 'B', 'R', 'Q', 'K' (White, seat 0), 'p', 'n', ... (Black), '.' (empty)"),
    )

    __slots__ = (
        "_moves",
        "black",
        "castling",
        "checkers",
        "diagonal",
        "history",
        "kings",
        "knights",
        "number",
        "over",
        "passed",
        "past",
        "pawns",
        "pinned",
        "quiet",
        "side",
        "straight",
        "total",
        "turn",
        "white",
    )

    white: int
    black: int
    pawns: int
    knights: int
    diagonal: int
    """Bishops and queens."""
    straight: int
    """Rooks and queens."""
    kings: int
    castling: int
    """The squares of the rooks that may still castle."""
    passed: int
    """The square that a pawn passed with two steps, if it can be captured there; else 0."""
    side: int
    """The side to move; in a finished game, the side that would be next."""
    quiet: int
    """The number of plies since the last capture or pawn's move."""
    number: int
    """The number of the move, as White and Black both count it, from 1."""
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
    """How the game ended; empty if it did not."""
    _moves: tuple[int, ...] | None
    """Cache of the legal moves."""

    @classmethod
    def start(cls) -> Self:
        return cls.load(text.START)

    @classmethod
    def load(cls, fen: str) -> Self:
        parts = text.read_fen(fen)
        state = cls()
        placed = parts.pieces.items()
        sets = {letter: bits_of(at for at, found in placed if found.lower() == letter) for letter in LETTERS}
        state.pawns, state.knights, state.kings = sets["p"], sets["n"], sets["k"]
        state.diagonal, state.straight = sets["b"] | sets["q"], sets["r"] | sets["q"]
        state.white = bits_of(at for at, letter in placed if letter.isupper())
        state.black = bits_of(at for at, letter in placed if letter.islower())
        state.total = sum(PLACED[letter.islower()][LETTERS.index(letter.lower())][at] for at, letter in placed)
        state.castling, state.passed = parts.castling, parts.passed
        state.quiet, state.number = parts.quiet, parts.number
        state.past, state.history = parts.past, sum(parts.past)
        waiting, moving = (state.white, state.black) if parts.side else (state.black, state.white)
        state.side = 1 - parts.side
        king = (state.kings & waiting).bit_length() - 1
        if state._attackers(king, waiting | moving, moving):
            raise BadPosition(f"the side to move could capture the king, in {quote(fen)}")
        state.side = parts.side
        state._settle()
        return state

    @property
    def max_plies(self) -> int:
        # 16 pawns move at most 6 times each, and there are at most 30 captures. There are at most 99 quiet plies before
        # each of these 126, and 100 after the last.
        return 126 * QUIET_PLIES + QUIET_PLIES

    def _settle(self) -> None:
        """Find checks and pins, and whether the game is over, once the pieces are set."""
        side = self.side
        mine, theirs = (self.black, self.white) if side else (self.white, self.black)
        occupied = mine | theirs
        king = (self.kings & mine).bit_length() - 1
        checkers = (KNIGHT[king] & self.knights | PAWN[side][king] & self.pawns) & theirs
        pinned = 0
        snipers = (ROOK_LINES[king] & self.straight | BISHOP_LINES[king] & self.diagonal) & theirs
        if snipers:
            between_king_and = BETWEEN[king]
            for square in SQUARES[snipers]:
                between = between_king_and[square] & occupied
                if not between:
                    checkers |= BIT[square]
                elif not between & between - 1:
                    pinned |= between & mine
        self.checkers = checkers
        self.pinned = pinned
        self._moves = None
        self.over = ""
        if self.passed and not self._can_pass():
            self.passed = 0
        free = self.pawns & mine & ~pinned
        if checkers or not (free >> 8 if side else free << 8) & ~occupied:
            self._moves = self._legal()
            if not self._moves:
                self.over = MATE if checkers else "stalemate"
        if not self.over and (self.quiet > 7 or not (self.pawns or self.straight)):
            self.over = self._drawn()
        if self.over:
            self.turn, self._moves = None, ()
        else:
            self.turn = side

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

    def _can_pass(self) -> bool:
        """Whether a pawn can legally capture in passing."""
        side = self.side
        mine, theirs = (self.black, self.white) if side else (self.white, self.black)
        king = (self.kings & mine).bit_length() - 1
        taken = self.passed << 8 if side else self.passed >> 8
        square = self.passed.bit_length() - 1
        for source in SQUARES[PAWN[1 - side][square] & mine & self.pawns]:
            occupied = (mine | theirs) & ~(BIT[source] | taken) | self.passed
            if not self._attackers(king, occupied, theirs & ~taken):
                return True
        return False

    def _attackers(self, square: int, occupied: int, theirs: int) -> int:
        """Whether any of `theirs` attacks a square of the side to move (not 0), if `occupied` are all pieces."""
        return theirs & (
            KNIGHT[square] & self.knights
            | PAWN[self.side][square] & self.pawns
            | KING[square] & self.kings
            | ROOK[square][occupied & ROOK_MASK[square]] & self.straight
            | BISHOP[square][occupied & BISHOP_MASK[square]] & self.diagonal
        )

    def moves(self) -> tuple[int, ...]:
        moves = self._moves
        if moves is None:
            moves = self._moves = self._legal()
        return moves

    def _legal(self) -> tuple[int, ...]:
        """The legal moves, whether or not the game is a draw."""
        mine, theirs = (self.black, self.white) if self.side else (self.white, self.black)
        occupied = mine | theirs
        checkers, pinned = self.checkers, self.pinned
        king = (self.kings & mine).bit_length() - 1
        found: list[int] = []
        goal = ~mine
        if checkers:
            goal = 0 if checkers & checkers - 1 else checkers | BETWEEN[king][checkers.bit_length() - 1]
        if goal:
            self._add_pawns(found, mine, theirs, goal, king)
            for square in SQUARES[self.knights & mine & ~pinned]:
                if targets := KNIGHT[square] & goal:
                    found += MOVES[square][targets]
            for square in SQUARES[self.diagonal & mine]:
                targets = BISHOP[square][occupied & BISHOP_MASK[square]] & goal
                if pinned & BIT[square]:
                    targets &= LINE[king][square]
                if targets:
                    found += MOVES[square][targets]
            for square in SQUARES[self.straight & mine]:
                targets = ROOK[square][occupied & ROOK_MASK[square]] & goal
                if pinned & BIT[square]:
                    targets &= LINE[king][square]
                if targets:
                    found += MOVES[square][targets]
        without = occupied & ~BIT[king]
        for square in SQUARES[KING[king] & ~mine]:
            if not self._attackers(square, without, theirs):
                found.append(king + 64 * square)
        if self.castling & mine and not checkers:
            self._add_castling(found, king, occupied, theirs)
        return tuple(found)

    def _add_pawns(self, found: list[int], mine: int, theirs: int, goal: int, king: int) -> None:
        """Add the moves of pawns to the squares of `goal`."""
        empty = ~(mine | theirs)
        pawns = self.pawns & mine
        pinned = self.pinned & pawns
        self._add_steps(found, pawns & ~pinned, empty, theirs, goal)
        for square in SQUARES[pinned]:
            self._add_steps(found, BIT[square], empty, theirs, goal & LINE[king][square])
        if self.passed:
            side = self.side
            target = self.passed.bit_length() - 1
            taken = self.passed << 8 if side else self.passed >> 8
            for source in SQUARES[PAWN[1 - side][target] & pawns]:
                occupied = (mine | theirs) & ~(BIT[source] | taken) | self.passed
                if not self._attackers(king, occupied, theirs & ~taken):
                    found.append(source + 64 * target)

    def _add_steps(self, found: list[int], pawns: int, empty: int, theirs: int, goal: int) -> None:
        """Add the steps and captures of these pawns."""
        theirs &= goal
        if self.side:
            once = pawns >> 8 & empty
            twice = once >> 8 & empty & SECOND_STEP[1] & goal
            once &= goal
            left, right = (pawns & NOT_A) >> 9 & theirs, (pawns & NOT_H) >> 7 & theirs
            steps = (-8, -16, -9, -7)
        else:
            once = pawns << 8 & empty
            twice = once << 8 & empty & SECOND_STEP[0] & goal
            once &= goal
            left, right = (pawns & NOT_A) << 7 & theirs, (pawns & NOT_H) << 9 & theirs
            steps = (8, 16, 7, 9)
        if once:
            found += PAWN_MOVES[steps[0]][once]
        if twice:
            found += PAWN_MOVES[steps[1]][twice]
        if left:
            found += PAWN_MOVES[steps[2]][left]
        if right:
            found += PAWN_MOVES[steps[3]][right]

    def _add_castling(self, found: list[int], king: int, occupied: int, theirs: int) -> None:
        """Add castling; the king is not in check."""
        for target in (king + 2, king - 2):
            rook, over = CASTLING[target]
            if (
                self.castling & BIT[rook]
                and not BETWEEN[king][rook] & occupied
                and not self._attackers(over, occupied, theirs)
                and not self._attackers(target, occupied, theirs)
            ):
                found.append(king + 64 * target)

    def play(self, move: int) -> Self:
        child = self.__class__()
        side = self.side
        source, target = move & 63, move >> 6 & 63
        left, reached = BIT[source], BIT[target]
        moved = left | reached
        mine, theirs = (self.black, self.white) if side else (self.white, self.black)
        pawns, knights, diagonal, straight, kings = self.pawns, self.knights, self.diagonal, self.straight, self.kings
        total = self.total
        own, other = PLACED[side], PLACED[1 - side]
        quiet = self.quiet + 1
        castling = self.castling & ~moved
        passed = 0
        if theirs & reached:
            quiet = 0
            kept = ~reached
            total -= other[self._kind(reached)][target]
            theirs &= kept
            pawns &= kept
            knights &= kept
            diagonal &= kept
            straight &= kept
        mine ^= moved
        if pawns & left:
            quiet = 0
            total -= own[0][source]
            if move > 4095:
                pawns ^= left
                promotion = move >> 12
                total += own[promotion][target]
                if promotion == 1:
                    knights |= reached
                else:
                    if promotion != 3:
                        diagonal |= reached
                    if promotion != 2:
                        straight |= reached
            else:
                pawns ^= moved
                total += own[0][target]
                if reached == self.passed:
                    taken = target + 8 if side else target - 8
                    pawns ^= BIT[taken]
                    theirs ^= BIT[taken]
                    total -= other[0][taken]
                elif source - target in (16, -16) and PAWN[side][source + target >> 1] & pawns & theirs:
                    passed = BIT[source + target >> 1]
        elif kings & left:
            kings ^= moved
            castling &= theirs
            total += own[5][target] - own[5][source]
            if target - source in (2, -2):
                before, after = CASTLING[target]
                straight ^= BIT[before] | BIT[after]
                mine ^= BIT[before] | BIT[after]
                total += own[3][after] - own[3][before]
        elif knights & left:
            knights ^= moved
            total += own[1][target] - own[1][source]
        else:
            kind = 2
            if straight & left:
                straight ^= moved
                kind = 3
            if diagonal & left:
                diagonal ^= moved
                kind += kind == 3
            places = own[kind]
            total += places[target] - places[source]
        child.castling = castling
        child.pawns, child.knights, child.diagonal, child.straight, child.kings = (
            pawns,
            knights,
            diagonal,
            straight,
            kings,
        )
        child.white, child.black = (theirs, mine) if side else (mine, theirs)
        child.total = total
        child.passed = passed
        child.quiet = quiet
        child.side = 1 - side
        child.number = self.number + side
        if quiet and castling == self.castling:
            earlier = self.code
            child.past = (*self.past, earlier)
            child.history = self.history + earlier
        else:
            child.past = ()
            child.history = 0
        child._settle()
        return child

    def _kind(self, bit: int) -> int:
        """The kind of the piece on a square that is not empty."""
        if self.pawns & bit:
            return 0
        if self.knights & bit:
            return 1
        if self.kings & bit:
            return 5
        if self.straight & bit:
            return 4 if self.diagonal & bit else 3
        return 2

    @property
    def _identity(self) -> int:
        """The number of the position itself, without the ones before it."""
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

    def noisy_moves(self) -> tuple[int, ...]:
        """The captures and promotions."""
        targets = self.white if self.side else self.black
        pawns, passed = self.pawns, self.passed
        return tuple(
            move
            for move in self.moves()
            if move > 4095 or BIT[move >> 6] & targets or (BIT[move >> 6] == passed and BIT[move & 63] & pawns)
        )

    def evaluate(self, seat: int) -> float:
        if self.turn is None:
            return self.utilities()[seat]
        value = squash(worth(self.total) / 400)
        return -value if seat else value

    def to_text(self, move: int) -> str:
        promotion = PROMOTED[move >> 12] if move > 4095 else ""
        return f"{NAMES[move & 63]}{NAMES[move >> 6 & 63]}{promotion}"

    def shown(self, move: int) -> str:
        child = self.play(move)
        check = "#" if child.over == MATE else "+" if child.checkers else ""
        return text.write_san(move, self.moves(), self.piece) + check

    def from_text(self, text_: str) -> int:
        moves = self.moves()
        if isinstance(text_, str):
            wanted = text_.strip()
            for move in moves:
                if self.to_text(move) == wanted.lower():
                    return move
            found = text.read_san(wanted, moves, self.piece)
            if found is not None:
                return found
        return super().from_text(text_)

    def piece(self, square: int) -> str:
        """The letter of the piece on a square from 0 (a1) to 63 (h8): capital for White, "." if it is empty."""
        bit = BIT[square]
        if not (self.white | self.black) & bit:
            return "."
        letter = LETTERS[self._kind(bit)]
        return letter.upper() if self.white & bit else letter

    @property
    def _size(self) -> tuple[int, int]:
        return 8, 8

    def _mark(self, row: int, column: int) -> str:
        return self.piece(8 * (7 - row) + column)

    def last_cells(self, last: int) -> tuple[Cell, ...]:
        return tuple((7 - (square >> 3), square & 7) for square in (last & 63, last >> 6 & 63))

    def position(self) -> str:
        """FEN; then, if there are earlier positions that can occur again, their codes, 12 digits each."""
        passed = NAMES[self.passed.bit_length() - 1] if self.passed else "-"
        castling = text.write_castling(self.castling) or "-"
        board = text.write_board(self.rows())
        fen = f"{board} {'wb'[self.side]} {castling} {passed} {self.quiet} {self.number}"
        return fen + (f" seen={''.join(f'{code:012x}' for code in self.past)}" if self.past else "")

    def __str__(self) -> str:
        lines = [f"{8 - row} {' '.join(line)}" for row, line in enumerate(self.rows())]
        mover = "Black" if self.side else "White"
        state = self.over or f"{mover} to move{', in check' if self.checkers else ''}"
        return "\n".join(["  a b c d e f g h", *lines, state])
