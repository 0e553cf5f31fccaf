"""Checkers: English draughts, with its forced captures, kings, and both rules by which a game is drawn.

The board is three bitboards (black, white, the kings of both). Square n, from 1 to 32, is bit n - 1 + (n - 1) // 8: the
bits left out after every second row put the neighbours of every square 4 and 5 bits above it and below it. The
positions since the last capture or man's move, which decide about draws, are part of every state and of its key.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Final, Self

from adsearch.errors import BadCell, BadPosition, quote
from adsearch.games.evaluation import squash
from adsearch.games.grid import Cell, GridGame, grid_attributes
from adsearch.state import Feature, Looks

Path = tuple[int, ...]
"""A move: the squares of the moving piece, one after the other."""

QUIET_PLIES: Final = 80
"""Plies in a row without a capture or a man's move after which the game is a draw."""
TIMES_SEEN: Final = 3
"""Number of times that a position must occur for a draw."""

WEIGHT_OF_A_MAN = 1.0
WEIGHT_OF_A_KING = 1.5
WEIGHT_OF_THE_LEAD = 2.0
"""Weight of a side's lead in pieces, divided by all pieces: exchanges are good for the side that is ahead."""
WEIGHT_OF_A_ROW = 0.04
"""Weight of each row that a man has advanced."""
WEIGHT_OF_A_GUARD = 0.12
"""Weight of each man on its home row, where it keeps the other side from getting kings."""
WEIGHT_OF_THE_CENTRE = 0.06
"""Weight of each piece in the centre."""

BIT: Final = (0, *(1 << n + n // 8 for n in range(32)))
"""The bit of each square; squares are counted from 1."""
SQUARES: Final = range(1, 33)
SQUARE: Final = {bit: square for square, bit in enumerate(BIT) if bit}


def _bits(squares: Iterable[int]) -> int:
    """The squares as a bitboard."""
    return sum(BIT[square] for square in squares)


def _squares(bits: int) -> list[int]:
    """The squares of a bitboard, in order."""
    return [square for square in range(1, 33) if bits & BIT[square]]


BOARD: Final = _bits(range(1, 33))
FAR_ROW: Final = (_bits(range(29, 33)), _bits(range(1, 5)))
"""Where the men of each seat are crowned; it is also the home row of the other."""
CENTRE: Final = _bits((10, 11, 14, 15, 18, 19, 22, 23))
ODD_ROWS, ROWS_2367, ROWS_4567 = (_bits(n for n in range(1, 33) if (n - 1) // 4 & power) for power in (1, 2, 4))
"""Squares by the three bits of their row's number (from 0): the sum of rows is then three bit counts."""

WAYS: Final = ((4, 5), (-5, -4), (-5, -4, 4, 5))
"""Directions as bit shifts, for: men of seat 0, men of seat 1, kings."""
KING: Final = 2
"""The index of kings in lists like WAYS."""


def _shifted(bit: int, by: int) -> int:
    """The bit shifted in one direction; 0 if it leaves the board."""
    return (bit << by if by > 0 else bit >> -by) & BOARD


def _steps(ways: tuple[int, ...]) -> dict[int, tuple[tuple[int, Path], ...]]:
    """For each bit, its steps: the target bit and the move."""
    targets = {bit: [_shifted(bit, way) for way in ways] for bit in BIT[1:]}
    return {bit: tuple((to, (SQUARE[bit], SQUARE[to])) for to in targets[bit] if to) for bit in BIT[1:]}


def _jumps(ways: tuple[int, ...]) -> dict[int, tuple[tuple[int, int, int], ...]]:
    """For each bit, its jumps: the bit jumped over, the target bit, and the target square."""
    targets = {bit: [(_shifted(bit, way), _shifted(_shifted(bit, way), way)) for way in ways] for bit in BIT[1:]}
    return {bit: tuple((over, to, SQUARE[to]) for over, to in targets[bit] if to) for bit in BIT[1:]}


STEPS: Final = tuple(map(_steps, WAYS))
JUMPS: Final = tuple(map(_jumps, WAYS))
OVER: Final = {(SQUARE[bit], square): over for bit, jumps in JUMPS[KING].items() for over, _, square in jumps}
"""The bit that is jumped over between two squares."""


def _movers(mine: int, theirs: int, kings: int, seat: int) -> tuple[int, bool]:
    """The pieces of `seat` that can move, and whether they capture; if any can capture, only those that can."""
    empty = BOARD & ~(mine | theirs)
    up, down = (mine & kings, mine) if seat else (mine, mine & kings)
    jumpers = up & ((theirs & empty >> 4) >> 4 | (theirs & empty >> 5) >> 5)
    if down:
        jumpers |= down & ((theirs & empty << 4) << 4 | (theirs & empty << 5) << 5)
    if jumpers:
        return jumpers, True
    movers = up & (empty >> 4 | empty >> 5)
    if down:
        movers |= down & (empty << 4 | empty << 5)
    return movers, False


def _add_captures(
    found: list[Path],
    path: Path,
    bit: int,
    theirs: int,
    empty: int,
    jumps: Mapping[int, tuple[tuple[int, int, int], ...]],
) -> None:
    """Add every capture that starts with `path`, which has reached `bit`; `theirs`: the pieces not yet captured."""
    ends = True
    for over, to, square in jumps[bit]:
        if over & theirs and to & empty:
            ends = False
            _add_captures(found, (*path, square), to, theirs ^ over, empty, jumps)
    if ends:
        found.append(path)


class Checkers(GridGame[Path]):
    """English draughts. Black moves first, from squares 1-12 towards 32; white from 21-32 towards 1.
    Men step one square diagonally forward, kings in all four directions. A piece captures by jumping over an adjacent
    piece to the empty square behind it. A player who can capture must capture, and continues with the same piece while
    it can capture. A man that reaches the last row becomes a king, which ends the move. A player who cannot move loses.
    The game is a draw after 80 plies without a capture or a man's move, or when a position (with the same side to move)
    occurs for the third time, unless the side to move cannot move."""

    notation = "the squares, 1 to 32, one after the other: 11-15 for a step, 11x18x25 for a capture"
    looks = Looks(sides=("Black", "White"), pieces=("bB", "wW"))
    evaluation = (
        Feature("men", WEIGHT_OF_A_MAN, "own men, minus the opponent's"),
        Feature("kings", WEIGHT_OF_A_KING, "own kings, minus the opponent's"),
        Feature("lead", WEIGHT_OF_THE_LEAD, "own pieces minus the opponent's, divided by all pieces"),
        Feature("rows", WEIGHT_OF_A_ROW, "rows that own men have advanced, minus the opponent's"),
        Feature("guards", WEIGHT_OF_A_GUARD, "own men on their home row, minus the opponent's"),
        Feature("centre", WEIGHT_OF_THE_CENTRE, "own pieces in the centre, minus the opponent's"),
    )
    position_notation = (
        ("B: at the start", "the side to move, B (black, seat 0) or W (white, seat 1)"),
        ("W21,K32", "white's pieces: their squares; K is a king"),
        ("B1,2", "black's pieces"),
        ("quiet=2", "the number of plies without a capture or a man's move; not written if it is 0"),
        ("seen=B32/5,...", "the positions before these plies: the side to move, white's kings / black's kings"),
    )
    attributes = (
        ("piece(square)", "the piece on a square from 1 to 32: 'b' or 'w' is a man, 'B' or 'W' a king, '.' no piece"),
        *grid_attributes(
            "the same by row and column, 0 to 7 ('b' is seat 0, 'w' is seat 1)",
            numbers="own men are 1, kings 2, others -1 and -2",
        ),
    )

    __slots__ = ("_capturing", "_movers", "_moves", "black", "kings", "past", "side", "turn", "white")

    black: int
    white: int
    kings: int
    """The kings of both sides."""
    side: int
    """The side to move; in a finished game, the side that would be next."""
    past: tuple[int, ...]
    """All earlier positions since the last capture or man's move, as sorted numbers (with repeats). Their count is the
    number of quiet plies."""
    _movers: int
    _capturing: bool
    _moves: tuple[Path, ...] | None
    """Cache of the legal moves."""

    @classmethod
    def start(cls) -> Self:
        return cls.of(_bits(range(1, 13)), _bits(range(21, 33)), 0, 0)

    @classmethod
    def of(cls, black: int, white: int, kings: int, side: int, past: tuple[int, ...] = ()) -> Self:
        """The position with these pieces and `side` to move, after the positions in `past`."""
        state = cls()
        state.black, state.white = black, white
        state.kings = kings
        state.side = side
        state.past = past
        mine, theirs = (white, black) if side else (black, white)
        state._movers, state._capturing = _movers(mine, theirs, kings, side)
        over = not state._movers or state._is_drawn()
        state.turn, state._moves = (None, ()) if over else (side, None)
        return state

    @classmethod
    def load(cls, text: str) -> Self:
        match = _POSITION.fullmatch(text)
        if not match:
            raise BadPosition(f"expected a position such as 'B:W21,K32:B1,2,K5', got {quote(text)}")
        side = "BW".index(match[1])
        (white, white_kings), (black, black_kings) = _read_side(match[2], 1), _read_side(match[3], 0)
        if black & white:
            raise BadPosition(f"two pieces on one square in {quote(text)}")
        if not (black if side else white):
            raise BadPosition("the side that moved last has no piece")
        state = cls.of(black, white, black_kings | white_kings, side)
        if match[4]:
            state = cls.of(black, white, state.kings, side, tuple(_read_past(match[4], state)))
        if state.position() != text:
            raise BadPosition(
                f"expected squares and earlier positions in order, {quote(state.position())}, got {quote(text)}"
            )
        return state

    @property
    def max_plies(self) -> int:
        # Of a side's men 4 each start 7, 6 and 5 rows or fewer from the far one: at most 72 moves of men a side, 144
        # in total. The other captures are made by kings, at most 23, because the capturing side keeps a piece. There
        # are at most 79 quiet plies before each of these 167, and 80 after the last.
        return 167 * QUIET_PLIES + QUIET_PLIES

    @property
    def _code(self) -> int:
        """The board and the side to move, as a number."""
        return ((self.black << 35 | self.white) << 35 | self.kings) << 1 | self.side

    def _is_drawn(self) -> bool:
        """Whether the game is a draw here, by 80 quiet plies or by repetition."""
        past = self.past
        return len(past) >= QUIET_PLIES or (len(past) > TIMES_SEEN and past.count(self._code) >= TIMES_SEEN - 1)

    def moves(self) -> tuple[Path, ...]:
        moves = self._moves
        if moves is None:
            moves = self._moves = tuple(self._captures() if self._capturing else self._quiet_moves())
        return moves

    def _quiet_moves(self) -> list[Path]:
        movers = self._movers
        kings = self.kings
        empty = BOARD & ~(self.black | self.white)
        men_steps, king_steps = STEPS[self.side], STEPS[KING]
        found = []
        while movers:
            bit = movers & -movers
            movers ^= bit
            for to, move in king_steps[bit] if bit & kings else men_steps[bit]:
                if to & empty:
                    found.append(move)
        return found

    def _captures(self) -> list[Path]:
        movers = self._movers
        empty = BOARD & ~(self.black | self.white)
        theirs = self.black if self.side else self.white
        found: list[Path] = []
        while movers:
            bit = movers & -movers
            movers ^= bit
            # A man continues with a man's jumps. There are none from the last row: crowning ends the move.
            jumps = JUMPS[KING if bit & self.kings else self.side]
            _add_captures(found, (SQUARE[bit],), bit, theirs, empty | bit, jumps)
        return found

    def play(self, move: Path) -> Self:
        side = self.side
        kings = self.kings
        mine, theirs = (self.white, self.black) if side else (self.black, self.white)
        left, to = BIT[move[0]], BIT[move[-1]]
        mine = mine & ~left | to
        if self._capturing:
            for jump in pairwise(move):
                theirs &= ~OVER[jump]
            kings &= mine | theirs | left
        child = self.__class__()
        child.past = ()
        if kings & left:
            kings = kings & ~left | to
            if not self._capturing:
                past = self.past
                code = self._code
                at = bisect(past, code)
                child.past = (*past[:at], code, *past[at:])
        elif to & FAR_ROW[side]:
            kings |= to
        child.kings = kings
        child.side = other = 1 - side
        child.black, child.white = (theirs, mine) if side else (mine, theirs)
        child._movers, child._capturing = _movers(theirs, mine, kings, other)
        if child._movers and not (child.past and child._is_drawn()):
            child.turn, child._moves = other, None
        else:
            child.turn, child._moves = None, ()
        return child

    def utilities(self) -> tuple[float, float]:
        if self._movers:
            return (0.0, 0.0)
        return (1.0, -1.0) if self.side else (-1.0, 1.0)

    def ending(self) -> str:
        return "no progress for too long" if self._movers else "no move left"

    def evaluate(self, seat: int) -> float:
        if self.turn is None:
            return self.utilities()[seat]
        black, white = self.black, self.white
        kings = self.kings
        black_men, white_men = black & ~kings, white & ~kings
        b, w = black_men.bit_count(), white_men.bit_count()
        black_kings, white_kings = black.bit_count() - b, white.bit_count() - w
        pieces = WEIGHT_OF_A_MAN * (b - w) + WEIGHT_OF_A_KING * (black_kings - white_kings)
        lead = (b + black_kings - w - white_kings) / (b + black_kings + w + white_kings)
        rows = _rows_below(black_men) - (7 * w - _rows_below(white_men))
        guards = (black_men & FAR_ROW[1]).bit_count() - (white_men & FAR_ROW[0]).bit_count()
        centre = (black & CENTRE).bit_count() - (white & CENTRE).bit_count()
        value = squash(
            pieces
            + WEIGHT_OF_THE_LEAD * lead
            + WEIGHT_OF_A_ROW * rows
            + WEIGHT_OF_A_GUARD * guards
            + WEIGHT_OF_THE_CENTRE * centre
        )
        return -value if seat else value

    def features(self, seat: int) -> dict[str, float]:
        black_men, white_men = self.black & ~self.kings, self.white & ~self.kings
        b, w = self.black.bit_count(), self.white.bit_count()
        men = black_men.bit_count() - white_men.bit_count()
        found = {
            "men": men,
            "kings": b - w - men,
            "lead": (b - w) / (b + w),
            "rows": _rows_below(black_men) - (7 * white_men.bit_count() - _rows_below(white_men)),
            "guards": (black_men & FAR_ROW[1]).bit_count() - (white_men & FAR_ROW[0]).bit_count(),
            "centre": (self.black & CENTRE).bit_count() - (self.white & CENTRE).bit_count(),
        }
        return {name: float(-value if seat else value) for name, value in found.items()}

    def scaled(self, score: float) -> float:
        return squash(score)

    def noisy_moves(self) -> tuple[Path, ...]:
        """The captures; if there is one, there are no other moves."""
        return self.moves() if self._capturing else ()

    @property
    def key(self) -> int | tuple[int, tuple[int, ...]]:
        # If the side to move has no king, its next move resets `past`.
        if self.past and self.black & self.kings and self.white & self.kings:
            return self._code, self.past
        return self._code

    def to_text(self, move: Path) -> str:
        return ("x" if move[:2] in OVER else "-").join(map(str, move))

    def position(self) -> str:
        """In draughts notation, the side to move first ("B:W21,K32:B1,2,K5"). Then, if there are quiet plies, their
        number and each earlier position: side to move, white's kings / black's kings, *2 if it occurred twice."""
        white, black = (
            ",".join(f"K{square}" if self.kings & BIT[square] else str(square) for square in _squares(pieces))
            for pieces in (self.white, self.black)
        )
        text = f"{'BW'[self.side]}:W{white}:B{black}"
        if not self.past:
            return text
        seen = [_kings_of(code) + ("*2" if times == 2 else "") for code, times in Counter(self.past).items()]
        return f"{text} quiet={len(self.past)} seen={','.join(seen)}"

    def __str__(self) -> str:
        lines = []
        for row in range(8):
            squares = range(4 * row + 1, 4 * row + 5)
            margin = "" if row % 2 else "   "
            pieces, numbers = "     ".join(map(self.piece, squares)), "    ".join(f"{square:2}" for square in squares)
            lines.append(f"  {margin + pieces:27}{margin}{numbers}")
        mover, other = ("white", "black") if self.side else ("black", "white")
        if not self._movers:
            lines.append(f"{mover} cannot move: {other} has won")
        else:
            lines.append("drawn" if self.turn is None else f"{mover} to move")
        if self.past:
            lines[-1] += f" (quiet plies: {len(self.past)})"
        return "\n".join(lines)

    @property
    def _size(self) -> tuple[int, int]:
        return 8, 8

    def _mark(self, row: int, column: int) -> str:
        return self.piece(4 * row + column // 2 + 1) if (row + column) % 2 else "."

    def last_cells(self, last: Path) -> tuple[Cell, ...]:
        """The square that the piece left, and the square where it is now."""
        squares = [divmod(square - 1, 4) for square in (last[0], last[-1])]
        return tuple((row, 2 * n + 1 - row % 2) for row, n in squares)

    def in_text(self, row: int, column: int) -> Cell:
        return row, 2 + 3 * column

    def piece(self, square: int) -> str:
        """The piece on a square from 1 to 32: b or w, for a king B or W, "." if empty; BadCell for another number."""
        if square not in SQUARES:
            raise BadCell(f"piece({square}): expected a square from 1 to 32, got {square}")
        bit = BIT[square]
        mark = "b" if self.black & bit else "w" if self.white & bit else "."
        return mark.upper() if self.kings & bit else mark


def _rows_below(men: int) -> int:
    """The sum of the men's row numbers, from 0."""
    return (men & ODD_ROWS).bit_count() + 2 * (men & ROWS_2367).bit_count() + 4 * (men & ROWS_4567).bit_count()


def _kings_of(code: int) -> str:
    """The side to move and both sides' kings, of a position given as a number."""
    black, white = code >> 71, code >> 36 & BOARD
    kings = code >> 1 & BOARD
    white_kings, black_kings = (".".join(map(str, _squares(pieces & kings))) for pieces in (white, black))
    return f"{'BW'[code & 1]}{white_kings}/{black_kings}"


_POSITION = re.compile(r"([BW]):W([K0-9,]*):B([K0-9,]*)(?: quiet=[0-9]{1,2} seen=([BW0-9./,*]{1,8000}))?")
_SEEN = re.compile(r"([BW])([0-9.]*)/([0-9.]*?)(\*2)?")


def _read_squares(names: list[str]) -> int:
    """The squares with these names as a bitboard; BadPosition if one is not on the board or is repeated."""
    bits = 0
    for name in names:
        bit = BIT[int(name)] if name.isdigit() and len(name) <= 2 and int(name) <= 32 else 0
        if not bit or bit & bits:
            raise BadPosition(f"expected different squares from 1 to 32, got {quote(name)}")
        bits |= bit
    return bits


def _read_side(text: str, seat: int) -> tuple[int, int]:
    """A side's pieces and which of them are kings, from "21,22,K32"."""
    names = text.split(",") if text else []
    pieces = _read_squares([name.removeprefix("K") for name in names])
    kings = _read_squares([name[1:] for name in names if name.startswith("K")])
    if len(names) > 12:
        raise BadPosition(f"expected at most 12 pieces per side, got {len(names)}")
    if pieces & ~kings & FAR_ROW[seat]:
        raise BadPosition("there is a man on the last row, where it would be a king")
    return pieces, kings


def _read_past(text: str, now: Checkers) -> list[int]:
    """The earlier positions, as numbers: each has the pieces of `now`, a king that can move, and no capture."""
    past = []
    for entry in text.split(","):
        match = _SEEN.fullmatch(entry)
        if not match:
            raise BadPosition(f"expected an earlier position such as 'B32/5', got {quote(entry)}")
        white, black = (_read_squares(match[n].split(".") if match[n] else []) for n in (2, 3))
        men, kings = (now.black | now.white) & ~now.kings, black | white
        if black & white or kings & men:
            raise BadPosition(f"two pieces on one square in the earlier position {quote(entry)}")
        then = now.of(now.black & men | black, now.white & men | white, kings, "BW".index(match[1]))
        if (then.black.bit_count(), then.white.bit_count()) != (now.black.bit_count(), now.white.bit_count()):
            raise BadPosition(f"expected the kings of the board in the earlier position {quote(entry)}")
        if then._capturing or not any(BIT[move[0]] & kings for move in then.moves()):
            raise BadPosition(f"no king can have moved in the earlier position {quote(entry)}")
        past += [then._code] * (2 if match[4] else 1)
    if len(past) > QUIET_PLIES or sum(code & 1 != now.side for code in past) != (len(past) + 1) // 2:
        raise BadPosition("expected at most 80 earlier positions, of each side in turn")
    return sorted(past)
