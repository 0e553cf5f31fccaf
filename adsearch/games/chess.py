"""Chess, as searches and people see it: the evaluation, and positions and moves as text.

The rules are in `chess_rules`. A score is in pawns: `scaled` makes a pawn 0.2 and a queen 0.7.
"""

from __future__ import annotations

from typing import Final, Self

from adsearch.errors import BadCell, BadPosition, quote
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
    NAMES,
    NOT_A,
    NOT_H,
    PAWN_MOVES,
    PAWN_TARGETS,
    PROMOTED,
    ROOK_LINES,
    ROOK_MASK,
    ROOK_TARGETS,
    SECOND_STEP,
    SQUARES,
)
from adsearch.games.chess_text import START, read_fen, read_san, write_board, write_castling, write_san
from adsearch.games.chess_worth import (
    BISHOP,
    KING,
    KING_PLACES,
    KNIGHT,
    LETTERS,
    PAWN,
    PLACED,
    QUEEN,
    ROOK,
    STATUS,
    VALUE,
    code,
    value_of_pawns,
    worth,
)
from adsearch.games.grid import Cell, GridGame, grid_attributes
from adsearch.state import Feature, Looks, Spot

# The rules of chess: sets of squares as numbers, and every rule by which a game ends.


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


WEIGHT_OF_MOBILITY = 0.02
"""Weight of each square that a piece can reach."""
FEW_PIECES: Final = 6
"""Number of knights, bishops, rooks and queens of both sides at which the kings belong in the centre."""
EVEN: Final = 50
"""Hundredths of a pawn by which pieces can differ and are exchanged as equal: a bishop and a knight."""


class Chess(ChessRules):
    """Chess by the rules of FIDE; White, seat 0, moves first. Checkmate wins. The game is a draw by stalemate, when a
    position occurs for the third time, after 100 plies without a capture or a pawn's move, and when neither side has
    the pieces to give mate: bare kings, one knight or bishop more, or only bishops on squares of one colour. No draw
    has to be claimed."""

    evaluation = (
        Feature("material", 1.0, "own pieces, in pawns, minus the opponent's"),
        Feature("places", 1.0, "how well own pieces are placed, in pawns, minus the opponent's; without the king"),
        Feature("king", 1.0, "the king's place: safe with many pieces, central with few; minus the opponent's"),
        Feature("mobility", WEIGHT_OF_MOBILITY, "squares that own pieces can reach, minus the opponent's"),
    )
    notation = "the two squares, and the letter of a promotion: e2e4, e7e8q, e1g1 (castling); or as in Nf3, O-O, exd8=Q"
    looks = Looks(sides=("White", "Black"), pieces=("PNBRQK", "pnbrqk"), named_by_side=True, two_plies_a_number=True)
    position_notation = (
        ("rnbq.../8/...", "the rows from rank 8 down; capitals are White's pieces, a digit counts empty squares"),
        ("w or b", "the side to move"),
        ("KQkq", "who may still castle on the king's or the queen's side; - if nobody"),
        ("e3", "the square that a pawn passed, if it can be captured there; else -"),
        ("0 1", "the number of plies since the last capture or pawn's move; the number of the move"),
        ("seen=...", "earlier positions that can occur again, a code of 12 digits each; not written if there are none"),
    )
    attributes = (
        ("piece(square)", "the piece on a square from 0 (a1) over 7 (h1) to 63 (h8), as in cell(row, column)"),
        *grid_attributes(
            "'P', 'N', 'B', 'R', 'Q', 'K' (White, seat 0), 'p', 'n', ... (Black), '.' (empty)",
            numbers="own pieces are 1 to 6 in this order, others -1 to -6",
        ),
    )

    __slots__ = ()

    @classmethod
    def start(cls) -> Self:
        return cls.load(START)

    @classmethod
    def load(cls, fen: str) -> Self:
        parts = read_fen(fen)
        state = cls()
        state.mine = state.theirs = state.total = 0
        state.pawns = state.knights = state.diagonal = state.straight = state.kings = 0
        state.castling, state.passed = parts.castling, parts.passed
        state.quiet, state.number = parts.quiet, parts.number
        state.past, state.history = parts.past, sum(parts.past)
        # As if the other side were to move, which must not be in check.
        state.side = 1 - parts.side
        for square, letter in parts.pieces.items():
            state._put(int(letter.islower()), LETTERS.index(letter.lower()), square)
        king = (state.kings & state.mine).bit_length() - 1
        if state._attacked(king, state.mine | state.theirs, state.theirs):
            raise BadPosition(f"the side to move could capture the king, in {quote(fen)}")
        state.side = parts.side
        state.mine, state.theirs = state.theirs, state.mine
        state._settle()
        return state

    @classmethod
    def reported(cls, score: float) -> float:
        return value_of_pawns(score / 100)

    def evaluate(self, seat: int) -> float:
        if self.turn is None:
            return self.utilities()[seat]
        score = (worth(self.total) + self._king_places()) / 100 + WEIGHT_OF_MOBILITY * self._mobility()
        value = value_of_pawns(score)
        return -value if seat else value

    def features(self, seat: int) -> dict[str, float]:
        mine, theirs = (sum(VALUE[self.kind(at)] for at in SQUARES[own]) for own in (self.mine, self.theirs))
        material = theirs - mine if self.side else mine - theirs
        found = {
            "material": material / 100,
            "places": (worth(self.total) - material) / 100,
            "king": self._king_places() / 100,
            "mobility": self._mobility(),
        }
        return {name: float(-value if seat else value) for name, value in found.items()}

    def scaled(self, score: float) -> float:
        return value_of_pawns(score)

    def _king_places(self) -> int:
        """How well White's king stands, minus Black's, in hundredths of a pawn."""
        places = KING_PLACES[(self.knights | self.diagonal | self.straight).bit_count() <= FEW_PIECES]
        mine = places[self.side][(self.kings & self.mine).bit_length() - 1]
        theirs = places[1 - self.side][(self.kings & self.theirs).bit_length() - 1]
        return theirs - mine if self.side else mine - theirs

    def _mobility(self) -> int:
        """The squares that White's knights, bishops, rooks and queens can reach, minus Black's."""
        mobility = self._reached_by(self.mine) - self._reached_by(self.theirs)
        return -mobility if self.side else mobility

    def _reached_by(self, own: int) -> int:
        """The number of moves of these pieces, without pawns and the king; pins do not matter."""
        occupied, free = self.mine | self.theirs, ~own
        reached = 0
        for square in SQUARES[self.knights & own]:
            reached += (KNIGHT_TARGETS[square] & free).bit_count()
        for square in SQUARES[self.diagonal & own]:
            reached += (BISHOP_TARGETS[square][occupied & BISHOP_MASK[square]] & free).bit_count()
        for square in SQUARES[self.straight & own]:
            reached += (ROOK_TARGETS[square][occupied & ROOK_MASK[square]] & free).bit_count()
        return reached

    def noisy_moves(self) -> tuple[int, ...]:
        """The captures and the promotions to a queen: the most valuable captured piece first, and of equal ones the
        least valuable capturing piece first. Captures of a guarded piece by a more valuable one are left out: in a test
        position with many captures, quiescence needed a twelfth of the nodes."""
        theirs, passed = self.theirs, self.passed
        occupied = self.mine | theirs
        found = []
        for move in self.moves():
            source, target, promotion = move & 63, move >> 6 & 63, move >> 12
            taken = BIT[target] & theirs
            if taken:
                gain = VALUE[self.kind(target)]
            elif promotion:
                gain = 0
            elif BIT[target] == passed and BIT[source] & self.pawns:
                gain = VALUE[PAWN]
            else:
                continue
            kind = self.kind(source)
            if promotion:
                if promotion != QUEEN:
                    continue
                gain += VALUE[QUEEN]
            elif VALUE[kind] > gain + EVEN and self._attacked(target, occupied ^ BIT[source], theirs ^ taken):
                continue
            found.append((-gain, kind, move))
        found.sort()
        return tuple([move for _, _, move in found])

    def to_text(self, move: int) -> str:
        promotion = PROMOTED[move >> 12] if move > 4095 else ""
        return f"{NAMES[move & 63]}{NAMES[move >> 6 & 63]}{promotion}"

    def shown(self, move: int) -> str:
        child = self.play(move)
        check = "#" if child.over == MATE else "+" if child.checkers else ""
        return write_san(move, self.moves(), self.piece) + check

    def from_text(self, text: str) -> int:
        moves = self.moves()
        if isinstance(text, str):
            wanted = text.strip()
            for move in moves:
                if self.to_text(move) == wanted.lower():
                    return move
            found = read_san(wanted, moves, self.piece)
            if found is not None:
                return found
        return super().from_text(text)

    def piece(self, square: int) -> str:
        """The letter of the piece on a square from 0 (a1) to 63 (h8): capital for White, "." if it is empty."""
        if square not in range(64):
            raise BadCell(f"piece({square}): expected a square from 0 to 63, got {square}")
        if not (self.mine | self.theirs) & BIT[square]:
            return "."
        letter = LETTERS[self.kind(square)]
        return letter.upper() if bool(self.mine & BIT[square]) != bool(self.side) else letter

    @property
    def _size(self) -> tuple[int, int]:
        return 8, 8

    def _mark(self, row: int, column: int) -> str:
        return self.piece(8 * (7 - row) + column)

    def last_cells(self, last: int) -> tuple[Cell, ...]:
        return tuple((7 - (square >> 3), square & 7) for square in (last & 63, last >> 6 & 63))

    def spots(self, last: int | None) -> tuple[Spot, ...]:
        # Only where the piece is now: brackets around two neighbours would overlap.
        return super().spots(last)[1:]

    def position(self) -> str:
        """FEN; then, if there are earlier positions that can occur again, their codes, 12 digits each."""
        passed = NAMES[self.passed.bit_length() - 1] if self.passed else "-"
        castling = write_castling(self.castling) or "-"
        board = write_board(self.rows())
        fen = f"{board} {'wb'[self.side]} {castling} {passed} {self.quiet} {self.number}"
        return fen + (f" seen={''.join(f'{code:012x}' for code in self.past)}" if self.past else "")

    def __str__(self) -> str:
        lines = [f"{8 - row} {' '.join(line)}" for row, line in enumerate(self.rows())]
        mover = "Black" if self.side else "White"
        state = self.over or f"{mover} to move{', in check' if self.checkers else ''}"
        return "\n".join(["  a b c d e f g h", *lines, state])
