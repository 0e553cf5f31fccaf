"""Chess, as searches and people see it: the evaluation, and positions and moves as text.

The rules are in `chess_rules`. A score is in pawns: `scaled` makes a pawn 0.2 and a queen 0.7.
"""

from __future__ import annotations

from typing import Final, Self

from adsearch.errors import BadCell, BadPosition, quote
from adsearch.games.chess_board import (
    BISHOP_MASK,
    BISHOP_TARGETS,
    BIT,
    KNIGHT_TARGETS,
    NAMES,
    PROMOTED,
    ROOK_MASK,
    ROOK_TARGETS,
    SQUARES,
    START,
    read_fen,
    read_san,
    write_board,
    write_castling,
    write_san,
)
from adsearch.games.chess_rules import KING_PLACES, LETTERS, MATE, PAWN, QUEEN, VALUE, ChessRules, value_of_pawns, worth
from adsearch.games.grid import Cell, grid_attributes
from adsearch.state import Feature, Looks, Spot

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
