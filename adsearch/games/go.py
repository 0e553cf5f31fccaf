"""Go on any square board: area scoring, positional superko, no suicide, and two passes end the game.

A position holds the stones of both sides as bits (see `Board`) and the hashes of all earlier positions, because
superko forbids repeating one. They are part of `key`: the same stones, placed in another order, have another key, so a
transposition table finds little in Go. A move can repeat a position only on a point from which a stone of its colour
was captured, so only such moves are looked up in the history.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from random import Random
from typing import Final, Self

from adsearch.errors import BadPosition, quote
from adsearch.games.evaluation import squash
from adsearch.games.grid import Cell, GridGame, grid_attributes, read_marks, spell_rows
from adsearch.option import Option
from adsearch.state import Feature, Looks

# The Go board as bits: points, groups, liberties, and the hashes by which a position is known again.


COLUMNS = "ABCDEFGHJKLMNOPQRST"
"""The letters of the columns. There is no I."""
HASH_BYTES = 6
HASH_TEXT = 8
"""Length of a hash in base64."""


class Board:
    """The constants of a game. `bits`, `near`, `diagonal` and `names` are indexed by point: row * size + column."""

    __slots__ = ("bits", "diagonal", "full", "hashes", "names", "near", "point_at", "size", "stride")

    def __init__(self, size: int) -> None:
        self.size = size
        self.stride = stride = size + 1
        points = [divmod(point, size) for point in range(size * size)]
        self.bits = tuple(1 << row * stride + column for row, column in points)
        self.full = sum(self.bits)
        self.names = tuple(f"{COLUMNS[column]}{size - row}" for row, column in points)
        self.near = tuple(self.around(bit) & self.full for bit in self.bits)
        self.diagonal = tuple(
            (bit << stride + 1 | bit << stride - 1 | bit >> stride + 1 | bit >> stride - 1) & self.full
            for bit in self.bits
        )
        # The point of the highest bit of a number of that length.
        self.point_at = {bit.bit_length(): point for point, bit in enumerate(self.bits)}
        # Of each seat, the hash of its stone on each point.
        self.hashes = tuple(tuple(_hash(f"{size} {seat} {name}") for name in self.names) for seat in (0, 1))

    def around(self, points: int) -> int:
        """The neighbours of these points, some of them outside the board."""
        return points << 1 | points >> 1 | points << self.stride | points >> self.stride

    def reached(self, points: int, through: int) -> int:
        """These points and all that are connected to them by points of `through`."""
        while True:
            more = points | self.around(points) & through
            if more == points:
                return points
            points = more

    def without_liberty(self, some: int, stones: int, empty: int) -> int:
        """The groups of `stones` that contain one of `some` and have no liberty in `empty`."""
        stride = self.stride
        found = 0
        while some:
            group = some & -some
            while True:
                around = group << 1 | group >> 1 | group << stride | group >> stride
                if around & empty:
                    break
                more = group | around & stones
                if more == group:
                    found |= group
                    break
                group = more
            some &= ~group
        return found

    def in_atari(self, stones: int, empty: int) -> int:
        """The groups of `stones` that have a single liberty in `empty`."""
        found = 0
        while stones:
            group = self.reached(stones & -stones, stones)
            liberties = self.around(group) & empty
            if liberties and not liberties & liberties - 1:
                found |= group
            stones ^= group
        return found

    def hash_of(self, seat: int, stones: int) -> int:
        """The hash of these stones of `seat`: the exclusive or of their hashes."""
        hashes, found = self.hashes[seat], 0
        while stones:
            length = stones.bit_length()
            found ^= hashes[self.point_at[length]]
            stones ^= 1 << length - 1
        return found


@lru_cache(maxsize=32)
def board(size: int) -> Board:
    """The Board of that size (cached)."""
    return Board(size)


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=HASH_BYTES).digest(), "big")


def spell_hashes(hashes: Iterable[int]) -> str:
    """The hashes in base64, sorted, so that the text does not depend on their order."""
    return urlsafe_b64encode(b"".join([one.to_bytes(HASH_BYTES, "big") for one in sorted(hashes)])).decode()


def read_hashes(text: str) -> frozenset[int]:
    """The hashes that `spell_hashes` wrote; BadPosition for any other text."""
    wrong = f"expected the history in base64, {HASH_TEXT} characters for each position, got {quote(text)}"
    if len(text) % HASH_TEXT or not text.isascii() or not text.replace("-", "").replace("_", "").isalnum():
        raise BadPosition(wrong)
    try:
        read = urlsafe_b64decode(text)
    except Error:
        raise BadPosition(wrong) from None
    return frozenset(int.from_bytes(read[at : at + HASH_BYTES], "big") for at in range(0, len(read), HASH_BYTES))


PASS: Final = -1
"""The move that places no stone. Any other move is a point: row * size + column, row 0 on top."""

_POINT: Final = re.compile("[A-Z][0-9]{1,2}")
_GUESSES: Final = 8
"""Random points that a playout tries before it lists those that are left."""
_MODULUS: Final = 2**61 - 1
"""The prime of `past_key`."""
_LEGAL_POSITIONS: Final = {1: 1, 2: 57}
"""The number of boards that can be reached, by size (Tromp and Farneback, "Combinatorics of Go", 2007)."""


class Go(GridGame[int]):
    """Two players, Black (x) first, take turns: place a stone on an empty point, or pass. Stones that are connected
    along lines are a group. A group without an empty point beside it is captured and removed, first the opponent's.
    A move may not leave its own group without such a point (no suicide) and may not repeat an earlier position of the
    board (positional superko). Two passes end the game. A player's area is its stones and the empty points that only
    its stones reach. No stones are removed at the end, so capture dead stones before you pass. White adds komi to its
    area. The utility is the difference of the areas."""

    options = (
        Option("size", 9, "number of rows and columns", 1, 19),
        Option("komi", 7.5, "points added to White's area, whole or half", -361, 361, halves=True),
    )
    notation = "the point: its column's letter (no I) and its row's number from the bottom, such as D4; or pass (-1)"
    looks = Looks(sides=("Black", "White"), pieces=("x", "o"), named_by_side=True)
    position_notation = (
        ("x, o, .", "a point: a black stone (seat 0), a white stone (seat 1), empty"),
        ("/", "the end of a row; the first row is on top"),
        ("x at the end", "the side to move, x or o; - if the game is over"),
        ("number", "the passes just before, 0 to 2"),
        ("last part", "a hash of each earlier position, for superko; can be left out"),
    )
    attributes = grid_attributes("'x' (Black, seat 0), 'o' (White, seat 1) or '.' (empty)")
    evaluation = (
        Feature("stones", 1.0, "own stones, minus the opponent's"),
        Feature("influence", 0.5, "empty points at most two steps from own stones only, minus the opponent's"),
        Feature("liberties", 0.5, "empty points beside own stones, minus the opponent's"),
        Feature("eyes", 1.0, "empty points with own stones on all sides, minus the opponent's"),
        Feature("atari", -0.5, "own stones in groups with one liberty, minus the opponent's"),
        Feature("komi", 1.0, "komi for White, minus komi for Black"),
    )

    __slots__ = ("_moves", "black", "board", "captured", "hash", "komi", "passes", "past", "past_key", "turn", "white")

    board: Board
    komi: float
    black: int
    """The stones of seat 0, as bits."""
    white: int
    passes: int
    hash: int
    """The hash of the stones."""
    past: tuple[int, ...]
    """The hashes of the earlier positions. The empty board is left out: it cannot come again."""
    past_key: int
    """The sum of the squares of `past`, modulo a prime: the same for any order. (Sums of the hashes themselves could be
    equal for different histories, because hashes of similar boards are exclusive ors of the same numbers.)"""
    captured: tuple[int, int]
    """Of each seat, the points from which stones were captured."""
    _moves: tuple[int, ...] | None
    """Cache of the legal moves."""

    @classmethod
    def start(cls, *, size: int, komi: float) -> Self:
        return cls.of(board(size), komi, 0, 0)

    @classmethod
    def of(cls, board: Board, komi: float, black: int, white: int, *, turn: int | None = 0, passes: int = 0) -> Self:
        """The position with these stones and without a history."""
        state = cls()
        state.board, state.komi = board, komi
        state.black, state.white = black, white
        state.turn, state.passes = turn, passes
        state.hash = board.hash_of(0, black) ^ board.hash_of(1, white)
        state.past, state.past_key, state.captured = (), 0, (0, 0)
        state._moves = None
        return state

    @classmethod
    def load(cls, text: str, *, size: int, komi: float) -> Self:
        grid = board(size)
        rows, side, passes, history, more = (*text.split(" ", 4), "", "", "", "")[:5]
        black, white = read_marks(rows, size, size, grid.bits)
        empty = grid.full ^ black ^ white
        if dead := grid.without_liberty(black, black, empty) | grid.without_liberty(white, white, empty):
            name = grid.names[grid.point_at[dead.bit_length()]]
            raise BadPosition(f"expected an empty point beside every group, but the group at {name} has none")
        if (side, passes) not in {("x", "0"), ("x", "1"), ("o", "0"), ("o", "1"), ("-", "2")} or more:
            what = "the side to move (x or o) and the passes just before (0 or 1), or '- 2' if the game is over"
            raise BadPosition(f"expected after the board {what}, got {quote(text[len(rows) :].strip())}")
        turn = None if side == "-" else "xo".index(side)
        state = cls.of(grid, komi, black, white, turn=turn, passes=int(passes))
        if history:
            state.past = tuple(read_hashes(history) - {0, state.hash})
            state.past_key = sum(one * one for one in state.past) % _MODULUS
            state.captured = (grid.full, grid.full)
        return state

    @property
    def bounds(self) -> tuple[float, float]:
        most = self.board.size**2 + abs(self.komi)
        return (-most, most)

    @property
    def max_plies(self) -> int | None:
        # No board comes twice. On each there is at most one pass and then a stone; on the last there are two passes.
        # For larger boards the bound is too high to be of use.
        boards = _LEGAL_POSITIONS.get(self.board.size)
        return boards and 2 * boards

    def moves(self) -> tuple[int, ...]:
        moves = self._moves
        if moves is None:
            if self.turn is None:
                moves = ()
            else:
                legal = self._legal(self.turn)
                moves = (*[point for point, bit in enumerate(self.board.bits) if legal & bit], PASS)
            self._moves = moves
        return moves

    def _legal(self, turn: int) -> int:
        """The points on which `turn` can place a stone."""
        board = self.board
        legal = empty = board.full ^ self.black ^ self.white
        # Only a point without an empty neighbour can be suicide.
        doubtful = empty & (~board.around(empty) | self.captured[turn])
        while doubtful:
            length = doubtful.bit_length()
            if not self._allowed(board.point_at[length], turn):
                legal ^= 1 << length - 1
            doubtful ^= 1 << length - 1
        return legal

    def _allowed(self, point: int, turn: int) -> bool:
        """Whether `turn` can place a stone on the empty `point`: no suicide, no earlier position."""
        board = self.board
        mine, theirs = (self.white, self.black) if turn else (self.black, self.white)
        bit, near = board.bits[point], board.near[point]
        empty = board.full ^ mine ^ theirs ^ bit
        new = not bit & self.captured[turn]
        if new and near & empty:
            return True
        taken = board.without_liberty(near & theirs, theirs, empty)
        if not taken and not near & empty and board.without_liberty(bit, mine | bit, empty):
            return False
        hash = self.hash ^ board.hashes[turn][point]
        return new or (hash ^ board.hash_of(1 - turn, taken)) not in self.past

    def all_moves(self) -> tuple[int, ...]:
        return (*range(self.board.size**2), PASS)

    def play(self, move: int) -> Self:
        board, turn, hash = self.board, self.turn or 0, self.hash
        child = self.__class__()
        child.board, child.komi = board, self.komi
        child._moves = None
        if move == PASS:
            child.black, child.white, child.hash = self.black, self.white, hash
            child.past, child.past_key, child.captured = self.past, self.past_key, self.captured
            child.passes = self.passes + 1
            child.turn = None if child.passes == 2 else 1 - turn
            return child
        mine, theirs = (self.white, self.black) if turn else (self.black, self.white)
        mine |= board.bits[move]
        touched = board.near[move] & theirs
        taken = touched and board.without_liberty(touched, theirs, board.full ^ mine ^ theirs)
        child.captured = self.captured
        child.hash = hash ^ board.hashes[turn][move]
        child.turn = 1 - turn
        if taken:
            theirs ^= taken
            child.hash ^= board.hash_of(1 - turn, taken)
            black, white = self.captured
            child.captured = (black | taken, white) if turn else (black, white | taken)
        child.black, child.white = (theirs, mine) if turn else (mine, theirs)
        child.passes = 0
        child.past, child.past_key = self.past, self.past_key
        if hash:
            child.past += (hash,)
            child.past_key = (self.past_key + hash * hash) % _MODULUS
        return child

    def owned(self) -> tuple[int, int]:
        """The areas of Black and of White, as bits: their stones, and the empty points that only these reach."""
        board = self.board
        empty = board.full ^ self.black ^ self.white
        black, white = board.reached(self.black, empty), board.reached(self.white, empty)
        return black & ~white, white & ~black

    def areas(self) -> tuple[int, int]:
        """The area of Black and of White, without komi."""
        black, white = self.owned()
        return black.bit_count(), white.bit_count()

    def utilities(self) -> tuple[float, float]:
        black, white = self.areas()
        ahead = float(black - white - self.komi)
        return (ahead, 0.0 - ahead)

    def ending(self) -> str:
        black, white = self.areas()
        return f"Black {black}, White {white + self.komi:g} with komi"

    def features(self, seat: int) -> dict[str, float]:
        board = self.board
        mine, theirs = (self.white, self.black) if seat else (self.black, self.white)
        empty = board.full ^ mine ^ theirs
        beside, beside_them = board.around(mine) & empty, board.around(theirs) & empty
        near, near_them = beside | board.around(beside) & empty, beside_them | board.around(beside_them) & empty
        eyes, their_eyes = empty & ~board.around(board.full ^ mine), empty & ~board.around(board.full ^ theirs)
        return {
            "stones": float(mine.bit_count() - theirs.bit_count()),
            "influence": float((near & ~near_them).bit_count() - (near_them & ~near).bit_count()),
            "liberties": float(beside.bit_count() - beside_them.bit_count()),
            "eyes": float(eyes.bit_count() - their_eyes.bit_count()),
            "atari": float(board.in_atari(mine, empty).bit_count() - board.in_atari(theirs, empty).bit_count()),
            "komi": float(self.komi if seat else -self.komi),
        }

    def scaled(self, score: float) -> float:
        most = self.bounds[1]
        return most * squash(score / most)

    def evaluate(self, seat: int) -> float:
        """An estimate of the final difference of areas."""
        if self.turn is None:
            return self.utilities()[seat]
        found = self.features(seat)
        return self.scaled(sum([weight * found[name] for name, weight, _ in self.evaluation]))

    def noisy_moves(self) -> tuple[int, ...]:
        """The moves that capture stones."""
        board = self.board
        theirs = self.black if self.turn else self.white
        empty = board.full ^ self.black ^ self.white
        return tuple(
            move
            for move in self.moves()
            if move != PASS and board.without_liberty(board.near[move] & theirs, theirs, empty ^ board.bits[move])
        )

    def playout_move(self, random: Random) -> int:
        """A random legal move that fills no own eye; a pass if there is none, so that playouts end."""
        board, turn = self.board, self.turn or 0
        mine, theirs = (self.white, self.black) if turn else (self.black, self.white)
        empty = board.full ^ mine ^ theirs
        wanted = empty & board.around(board.full ^ mine)
        surrounded = empty ^ wanted
        while surrounded:
            length = surrounded.bit_length()
            diagonal = board.diagonal[board.point_at[length]]
            # With one of four diagonal points taken it is still an eye; on the edge it is a false eye then.
            if (diagonal & theirs).bit_count() + (diagonal.bit_count() < 4) > 1:
                wanted |= 1 << length - 1
            surrounded ^= 1 << length - 1
        if not wanted:
            return PASS
        points = len(board.bits)
        for _ in range(_GUESSES):
            point = int(random.random() * points)
            if board.bits[point] & wanted and self._allowed(point, turn):
                return point
        left = [point for point, bit in enumerate(board.bits) if bit & wanted]
        random.shuffle(left)
        return next((point for point in left if self._allowed(point, turn)), PASS)

    @property
    def key(self) -> tuple[int, int, int, int]:
        return self.black, self.white, 4 * self.passes + (self.turn or 0), self.past_key

    def to_text(self, move: int) -> str:
        return "pass" if move == PASS else self.board.names[move]

    def from_text(self, text: str) -> int:
        name = text.strip().upper() if isinstance(text, str) else ""
        move = self.board.names.index(name) if name in self.board.names else PASS
        return move if move != PASS and move in self.moves() else super().from_text(text)

    def why_illegal(self, text: str) -> str:
        board, name = self.board, text.strip().upper()
        if not _POINT.fullmatch(name):
            return ""
        if name not in board.names:
            there = f"columns A to {COLUMNS[board.size - 1]}{' without I' if board.size > 8 else ''}"
            return f"there is no such point ({there}, rows 1 to {board.size})"
        point = board.names.index(name)
        bit = board.bits[point]
        if (self.black | self.white) & bit:
            return "the point is not empty"
        after = self.play(point)
        stones = after.white if self.turn else after.black
        if board.without_liberty(bit, stones, board.full ^ after.black ^ after.white):
            return "suicide, the stone's group would have no empty point beside it"
        return "superko, an earlier position of the board would come again"

    @property
    def _size(self) -> tuple[int, int]:
        return self.board.size, self.board.size

    def _mark(self, row: int, column: int) -> str:
        bit = self.board.bits[row * self.board.size + column]
        return "x" if self.black & bit else "o" if self.white & bit else "."

    def rows(self) -> list[str]:
        return spell_rows(self.black, self.white, self.board.size, self.board.bits)

    def last_cells(self, last: int) -> tuple[Cell, ...]:
        return () if last == PASS else (divmod(last, self.board.size),)

    def position(self) -> str:
        side = "-" if self.turn is None else "xo"[self.turn]
        text = f"{'/'.join(self.rows())} {side} {self.passes}"
        return f"{text} {spell_hashes(self.past)}" if self.past else text

    def __str__(self) -> str:
        size = self.board.size
        margin = len(str(size))
        lines = [" " * (margin + 1) + " ".join(COLUMNS[:size])]
        lines += [f"{size - row:>{margin}} " + " ".join(marks) for row, marks in enumerate(self.rows())]
        if self.turn is None:
            return "\n".join([*lines, f"{self.ending()}; the game is over"])
        passed = ", the other side has passed" if self.passes else ""
        return "\n".join([*lines, f"{('x (Black)', 'o (White)')[self.turn]} to move{passed}"])
