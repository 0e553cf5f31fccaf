"""Othello on any even board: the discs of a player are one big integer that contains the board eight times.

Rows, columns and both diagonals are stored line by line, with an empty guard bit after each line, and then all of them
again in reverse. In each of these eight lanes a step of one bit is a step in another direction of the board. One sum
handles all lines at the same time: `theirs + (mine << 1 & theirs)` adds a bit to every run of their discs that starts
beside a disc of mine; the carry clears the run and sets the first square behind it. If that square is empty, it is a
legal move. After a move, the runs from the new disc whose carry reaches a disc of mine are turned. (Twice as fast as
eight directions one after another on a board with one bit per square.) All positions of one size share the tables.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Self

from adsearch.errors import BadOption, BadPosition, quote
from adsearch.games.evaluation import squash
from adsearch.games.grid import (
    XO_ATTRIBUTES,
    XO_NOTATION,
    Cell,
    GridGame,
    cell_name,
    draw,
    read_marks,
    spell_rows,
    turned_and_mirrored,
)
from adsearch.option import Option
from adsearch.state import Feature, Looks

PASS: Final = -1
"""The move of a player that cannot place a disc. Any other move is a square: row * size + column."""

WEIGHT_OF_A_CORNER = 0.35
WEIGHT_BESIDE_AN_EMPTY_CORNER = -0.12
"""Weight of a disc beside an empty corner, which can give the corner away."""
WEIGHT_OF_AN_EDGE = 0.03
"""Weight of a disc on the edge, neither a corner nor beside one."""
WEIGHT_OF_MOBILITY = 0.04
"""Weight of each move, multiplied by the number of directions in which it turns discs."""
WEIGHT_OF_A_DISC_LATE = 0.025
"""Weight of a disc in the last fifth of the game; before, having few discs is not bad."""


class Board:
    """The constants of a game: the size, and the tables. A set of squares has the bits of each square in every lane."""

    __slots__ = (
        "around_corners",
        "between",
        "beyond",
        "bit",
        "centre",
        "edges",
        "names",
        "row_lane",
        "row_lane_width",
        "size",
        "spread",
        "square_at",
        "squares",
        "start",
        "without",
    )

    def __init__(self, size: int) -> None:
        self.size = size
        self.names = tuple(cell_name(row, column) for row in range(size) for column in range(size))
        lines = _lines(size)
        lines += [line[::-1] for line in reversed(lines)]
        self._lay(lines)
        # The highest bit of a number of that length.
        self.bit = tuple(1 << length >> 1 for length in range(len(self.square_at)))
        self.squares = self.set_of(*range(size * size))
        self.without = tuple(self.squares ^ bits for bits in self.spread)
        # Of each square, the bits one step further in every lane.
        self.beyond = tuple(bits << 1 for bits in self.spread)
        self.between = self._between(lines)
        self.row_lane_width = size * (size + 1)
        # The rows are the first lane, and enough where no lines matter.
        self.row_lane = (1 << self.row_lane_width) - 1
        self._name_parts()

    def _lay(self, lines: list[list[int]]) -> None:
        """Give every square its bits, the lines one after another."""
        spread, square_at = [0] * self.size**2, [0]
        for line in lines:
            for square in line:
                spread[square] |= 1 << len(square_at) - 1
                square_at.append(square)
            square_at.append(0)
        # Of each square, its bits.
        self.spread = tuple(spread)
        # The square of the highest bit of a number of that length.
        self.square_at = tuple(square_at)

    def _between(self, lines: list[list[int]]) -> tuple[dict[int, int], ...]:
        """For each square: the length of a number whose highest bit is further on in a line -> the squares between."""
        between: tuple[dict[int, int], ...] = tuple({} for _ in self.spread)
        length = 1
        for line in lines:
            for near, square in enumerate(line):
                for far in range(near + 1, len(line)):
                    between[square][length + far] = self.set_of(*line[near + 1 : far])
            length += len(line) + 1
        return between

    def _name_parts(self) -> None:
        """The parts of the board that the start position and the evaluation use."""
        size = self.size
        last = self.size - 1
        high, low = (size // 2 - 1) * (size + 1), (size // 2) * (size + 1)
        self.centre = self.set_of(high, high + 1, low - 1, low)
        self.start = (self.set_of(high + 1, low - 1), self.set_of(high, low))
        edge = [square for square in range(size * size) if {0, last} & {square // size, square % size}]
        around = []
        for corner, down, right in ((0, 1, 1), (last, 1, -1), (size * last, -1, 1), (size * size - 1, -1, -1)):
            beside = (corner + right, corner + down * size, corner + down * size + right)
            around.append((self.set_of(corner) & self.row_lane, self.set_of(*beside) & self.row_lane))
            edge = [square for square in edge if square != corner and square not in beside]
        # Of each corner, its bit and those of its neighbours, in the lane of rows; `edges` likewise.
        self.around_corners = tuple(around)
        self.edges = self.set_of(*edge) & self.row_lane

    def set_of(self, *squares: int) -> int:
        """The bits of these squares in all lanes."""
        return sum(self.spread[square] for square in squares)

    def targets(self, mine: int, theirs: int) -> int:
        """The legal moves of `mine`, each with its bits in those lanes in which it turns discs."""
        return (theirs + (mine << 1 & theirs)) & (self.squares ^ mine ^ theirs)


def _lines(size: int) -> list[list[int]]:
    """The squares of all lines of the board that are long enough to turn a disc, rows first."""
    squares = range(size * size)
    rows = [[square for square in squares if square // size == row] for row in range(size)]
    columns = [[square for square in squares if square % size == column] for column in range(size)]
    falling = [[square for square in squares if square // size - square % size == n] for n in range(1 - size, size)]
    rising = [[square for square in squares if square // size + square % size == n] for n in range(2 * size - 1)]
    return [line for line in rows + columns + falling + rising if len(line) > 2]


@lru_cache(maxsize=8)
def board(size: int) -> Board:
    """The Board of that size (cached); BadOption if the size is odd."""
    if size % 2:
        raise BadOption(f"size must be even, 4..10, got {size}")
    return Board(size)


class Othello(GridGame[int]):
    """Two players, x first, take turns and place a disc on an empty square. The disc must enclose, in at least one
    direction, a straight unbroken run of the other player's discs between itself and another own disc; all enclosed
    discs are turned over. A player who cannot place a disc must pass. The game is over when neither player can place
    one; the utility is the difference of the discs."""

    options = (Option("size", 8, "number of rows and columns, even", 4, 10),)
    notation = "the square: its column's letter and its row's number from the top, such as d3; or pass (-1 in Python)"
    looks = Looks(sides=("Black", "White"), pieces=("x", "o"))
    position_notation = (*XO_NOTATION, ("x at the end", "the side to move, x or o; - if the game is over"))
    attributes = XO_ATTRIBUTES
    evaluation = (
        Feature("corners", WEIGHT_OF_A_CORNER, "own discs in corners, minus the opponent's"),
        Feature("beside", WEIGHT_BESIDE_AN_EMPTY_CORNER, "own discs beside an empty corner, minus the opponent's"),
        Feature("edges", WEIGHT_OF_AN_EDGE, "own discs elsewhere on the edge, minus the opponent's"),
        Feature("mobility", WEIGHT_OF_MOBILITY, "directions in which own moves turn discs, minus the opponent's"),
        Feature("discs", WEIGHT_OF_A_DISC_LATE, "own discs minus the opponent's; 0 before the last fifth of the game"),
    )

    __slots__ = ("_moves", "_targets", "board", "mine", "theirs", "turn")

    board: Board
    mine: int
    """The discs of the seat to move (in a finished game: of seat 0), in all lanes."""
    theirs: int
    _targets: int
    """The result of Board.targets for `mine`."""
    _moves: tuple[int, ...] | None
    """Cache of the legal moves."""

    @classmethod
    def start(cls, *, size: int) -> Self:
        return cls.of(board(size), *board(size).start, 0)

    @classmethod
    def of(cls, board: Board, mine: int, theirs: int, turn: int) -> Self:
        """The position with these discs; if neither player can place one, the game is over, whatever the turn."""
        state = cls()
        state.board = board
        state._moves = None
        state._settle(mine, theirs, turn)
        return state

    @classmethod
    def load(cls, text: str, *, size: int) -> Self:
        grid = board(size)
        rows, _, side = text.partition(" ")
        x, o = read_marks(rows, size, size, grid.spread)
        if grid.centre & ~(x | o):
            raise BadPosition("the four squares in the middle must be taken")
        state = cls.of(grid, o, x, 1) if side == "o" else cls.of(grid, x, o, 0)
        possible = "-" if state.turn is None else "x or o"
        if side not in possible.split(" or "):
            raise BadPosition(f"expected {possible} as the side to move, got {quote(side)}")
        return state

    @property
    def bounds(self) -> tuple[float, float]:
        return (-float(self.board.size**2), float(self.board.size**2))

    @property
    def max_plies(self) -> int:
        # Two passes in a row end the game, so that at most every second ply is a pass.
        return 2 * (self.board.size**2 - 4)

    def _settle(self, mine: int, theirs: int, turn: int) -> None:
        """Set the discs and the values computed from them; `turn` moves next, or the other player if `turn` cannot."""
        self._targets = targets = self.board.targets(mine, theirs)
        if targets or self.board.targets(theirs, mine):
            self.mine, self.theirs = mine, theirs
            self.turn = turn
        else:
            self.mine, self.theirs = (theirs, mine) if turn else (mine, theirs)
            self.turn = None

    def moves(self) -> tuple[int, ...]:
        moves = self._moves
        if moves is None:
            found = []
            targets = self._targets
            square_at = self.board.square_at
            without = self.board.without
            while targets:
                square = square_at[targets.bit_length()]
                found.append(square)
                targets &= without[square]
            found.sort()
            self._moves = moves = tuple(found) if found or self.turn is None else (PASS,)
        return moves

    def all_moves(self) -> tuple[int, ...]:
        return (*range(self.board.size**2), PASS)

    def play(self, move: int) -> Self:
        board = self.board
        mine, theirs = self.mine, self.theirs
        if move != PASS:
            landed = (theirs + (board.beyond[move] & theirs)) & mine
            between = board.between[move]
            turned = 0
            while landed:
                length = landed.bit_length()
                turned |= between[length]
                landed ^= board.bit[length]
            mine |= turned | board.spread[move]
            theirs ^= turned
        child = self.__class__()
        child.board = board
        child._moves = None
        child._settle(theirs, mine, 0 if self.turn else 1)
        return child

    def _discs(self) -> tuple[int, int]:
        """The discs of seat 0 and of seat 1, in the lane of rows only."""
        mine, theirs = self.mine & self.board.row_lane, self.theirs & self.board.row_lane
        return (theirs, mine) if self.turn else (mine, theirs)

    def utilities(self) -> tuple[float, float]:
        x, o = self._discs()
        ahead = x.bit_count() - o.bit_count()
        return (float(ahead), float(-ahead))

    def ending(self) -> str:
        x, o = self._discs()
        return f"{x.bit_count()}-{o.bit_count()} discs"

    def evaluate(self, seat: int) -> float:
        """An estimate of the final difference of discs."""
        if self.turn is None:
            return self.utilities()[seat]
        board = self.board
        mine, theirs = self.mine & board.row_lane, self.theirs & board.row_lane
        mobility = self._targets.bit_count() - board.targets(self.theirs, self.mine).bit_count()
        score = WEIGHT_OF_MOBILITY * mobility
        score += WEIGHT_OF_AN_EDGE * ((mine & board.edges).bit_count() - (theirs & board.edges).bit_count())
        for corner, beside in board.around_corners:
            if mine & corner:
                score += WEIGHT_OF_A_CORNER
            elif theirs & corner:
                score -= WEIGHT_OF_A_CORNER
            else:
                score += WEIGHT_BESIDE_AN_EMPTY_CORNER * ((mine & beside).bit_count() - (theirs & beside).bit_count())
        squares = board.size**2
        if (mine | theirs).bit_count() * 5 > squares * 4:
            score += WEIGHT_OF_A_DISC_LATE * (mine.bit_count() - theirs.bit_count())
        value = squares * squash(score)
        return value if seat == self.turn else -value

    def features(self, seat: int) -> dict[str, float]:
        board = self.board
        mine, theirs = self.mine & board.row_lane, self.theirs & board.row_lane

        def ahead(cells: int) -> int:
            return (mine & cells).bit_count() - (theirs & cells).bit_count()

        corners = board.around_corners
        late = (mine | theirs).bit_count() * 5 > board.size**2 * 4
        found = {
            "corners": sum(ahead(corner) for corner, _ in corners),
            "beside": sum(ahead(beside) for corner, beside in corners if not (mine | theirs) & corner),
            "edges": ahead(board.edges),
            "mobility": self._targets.bit_count() - board.targets(self.theirs, self.mine).bit_count(),
            "discs": mine.bit_count() - theirs.bit_count() if late else 0,
        }
        return {name: float(value if seat == self.turn else -value) for name, value in found.items()}

    def scaled(self, score: float) -> float:
        return self.board.size**2 * squash(score)

    def noisy_moves(self) -> tuple[int, ...]:
        """The moves that take a corner."""
        size = self.board.size
        corners = (0, size - 1, size * (size - 1), size * size - 1)
        return tuple(move for move in self.moves() if move in corners)

    @property
    def key(self) -> int:
        board = self.board
        discs = (self.mine & board.row_lane) << board.row_lane_width | self.theirs & board.row_lane
        return discs << 1 | (self.turn == 1)

    @property
    def canonical(self) -> tuple[int | None, str]:
        """The same for all turned and mirrored boards."""
        return self.turn, "".join(min(turned_and_mirrored(self.rows())))

    def to_text(self, move: int) -> str:
        return "pass" if move == PASS else self.board.names[move]

    @property
    def _size(self) -> tuple[int, int]:
        return self.board.size, self.board.size

    def _mark(self, row: int, column: int) -> str:
        bits = self.board.spread[row * self.board.size + column]
        if not (self.mine | self.theirs) & bits:
            return "."
        return "x" if bool(self.mine & bits) == (self.turn != 1) else "o"

    def rows(self) -> list[str]:
        return spell_rows(*self._discs(), self.board.size, self.board.spread)

    def last_cells(self, last: int) -> tuple[Cell, ...]:
        return () if last == PASS else (divmod(last, self.board.size),)

    def position(self) -> str:
        return f"{'/'.join(self.rows())} {'-' if self.turn is None else 'xo'[self.turn]}"

    def __str__(self) -> str:
        x, o = (discs.bit_count() for discs in self._discs())
        next_event = "the game is over" if self.turn is None else f"{'xo'[self.turn]} to move"
        return f"{draw(self.rows())}\nx {x}, o {o}; {next_event}"
