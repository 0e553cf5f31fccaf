"""Dots and boxes, on a board of up to eight times eight boxes.

The drawn edges are one integer: first the horizontal edges row by row, with a spare bit after each row, then the
vertical edges in the same layout. The four sides of box b are then the bits b and b + width of the first half and b and
b + 1 of the second, so that a few operations count the sides of all boxes at the same time. All positions of one size
share the tables.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Self

from adsearch.errors import BadPosition, quote
from adsearch.games.grid import LETTERS, GridGame, cell_name, grid_attributes, read_rows
from adsearch.option import Option
from adsearch.state import Feature, Looks, Spot

WEIGHT_OF_A_BOX_TO_TAKE = 0.95
"""Weight, for the side to move, of each box in an open chain (one of its boxes has three sides)."""
WEIGHT_OF_CHAINS = 0.95
"""Weight of `worth_of_opening` when no safe edge is left."""
LONG = 3
"""Length of a long chain: a player that takes it can leave the last two boxes; the other must then open the next."""


class Board:
    """The constants of a game: the size, and the edges with their names."""

    __slots__ = (
        "across",
        "all_edges",
        "boxes",
        "boxes_at",
        "columns",
        "edges",
        "half",
        "names",
        "picture",
        "rows",
        "width",
    )

    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.width = width = columns + 1
        self.half = half = (rows + 1) * width
        cells = [(row, column, row * width + column) for row in range(rows + 1) for column in range(width)]
        horizontal = {bit: (row, column) for row, column, bit in cells if column < columns}
        vertical = {half + bit: (row, column) for row, column, bit in cells if row < rows}
        self.edges = tuple(sorted({**horizontal, **vertical}))
        self.across = (1 << half) - 1
        self.all_edges = sum(1 << edge for edge in self.edges)
        self.names = {edge: f"{cell_name(*dot)}-{cell_name(dot[0], dot[1] + 1)}" for edge, dot in horizontal.items()}
        self.names |= {edge: f"{cell_name(*dot)}-{cell_name(dot[0] + 1, dot[1])}" for edge, dot in vertical.items()}
        boxes = [bit for row, column, bit in cells if row < rows and column < columns]
        self.boxes = sum(1 << box for box in boxes)
        sides = {box: (box, box + width, half + box, half + box + 1) for box in boxes}
        # [edge]: the one or two boxes beside it, each as its bit and the bits of its four sides.
        self.boxes_at: tuple[tuple[tuple[int, int], ...], ...] = tuple(
            tuple((1 << box, sum(1 << side for side in sides[box])) for box in boxes if edge in sides[box])
            for edge in range(2 * half)
        )
        # The board drawn on a grid: for each cell the possible marks, and the bit of its edge or box.
        self.picture = self._picture()

    def sides(self, edges: int) -> tuple[int, int, int, int]:
        """The boxes with at most one side drawn, with two, with three, and with all four."""
        across, down = edges & self.across, edges >> self.half
        below, right = across >> self.width, down >> 1
        both_across, one_across = across & below, across ^ below
        both_down, one_down = down & right, down ^ right
        boxes = self.boxes
        four = both_across & both_down & boxes
        three = (both_across & one_down | both_down & one_across) & boxes
        two = (one_across & one_down | both_across & ~(down | right) | both_down & ~(across | below)) & boxes
        return boxes ^ two ^ three ^ four, two, three, four

    def around(self, boxes: int) -> int:
        """All sides of these boxes."""
        return boxes | boxes << self.width | (boxes | boxes << 1) << self.half

    def reach(self, edges: int, seed: int, boxes: int) -> int:
        """The `boxes` that are connected to those in `seed` through edges that are not drawn (flood fill)."""
        to_right = boxes & boxes >> 1 & ~(edges >> self.half + 1)
        to_below = boxes & boxes >> self.width & ~(edges >> self.width)
        reached = 0
        while reached != seed:
            reached = seed
            seed |= (seed & to_right) << 1 | seed >> 1 & to_right
            seed |= (seed & to_below) << self.width | seed >> self.width & to_below
        return reached

    def chains(self, edges: int, boxes: int) -> list[int]:
        """The sizes of the connected parts (chains) of `boxes`, the smallest first."""
        sizes = []
        while boxes:
            chain = self.reach(edges, boxes & -boxes, boxes)
            sizes.append(chain.bit_count())
            boxes ^= chain
        return sorted(sizes)

    def _picture(self) -> tuple[tuple[tuple[str, int], ...], ...]:
        rows: list[tuple[tuple[str, int], ...]] = []
        for row in range(self.rows + 1):
            bits = [row * self.width + column for column in range(self.width)]
            rows.append(tuple(place for bit in bits for place in (("+", 0), (".-", 1 << bit)))[:-1])
            rows.append(
                tuple(place for bit in bits for place in ((".|", 1 << self.half + bit), (".xo", 1 << bit)))[:-1]
            )
        return tuple(rows[:-1])


@lru_cache(maxsize=64)
def board(rows: int, columns: int) -> Board:
    """The Board of that size (cached)."""
    return Board(rows, columns)


def worth_of_opening(chains: list[int]) -> int:
    """Boxes won minus lost, for the player that must open one of these chains, if there are no other boxes.

    Correct for chains, too high for rings: in a ring the other player must leave four boxes, not two."""
    worth = 0
    for size in reversed(chains):
        worth = -(size + worth) if size < LONG else -max(size + worth, size - 4 - worth)
    return worth


class Dots(GridGame[int]):
    """Two players, x first, take turns and draw an edge between two adjacent dots. A player who draws the fourth side
    of a box, or of two boxes, owns them and moves again. The game is over when all edges are drawn; the utility is the
    difference of the boxes owned."""

    options = (
        Option("rows", 3, "rows of boxes", 1, 8),
        Option("columns", 3, "columns of boxes", 1, 8),
    )
    notation = "the two dots of the edge, the left or upper one first, such as a1-b1 (across) or a1-a2 (down)"
    looks = Looks(pieces=("x", "o"))
    evaluation = (
        Feature("boxes", 1.0, "own boxes, minus the opponent's"),
        Feature("to_take", WEIGHT_OF_A_BOX_TO_TAKE, "boxes of open chains; negative if the opponent is to move"),
        Feature("chains", WEIGHT_OF_CHAINS, "what opening the next chain brings when no safe edge is left"),
    )
    position_notation = (
        ("+", "a dot"),
        ("- or |", "an edge that is drawn; . between two dots is an edge that is not drawn"),
        ("x or o", "the owner of a box, seat 0 or seat 1; . inside a box is no owner"),
        ("/", "the end of a line; the first line is on top"),
        ("x at the end", "the side to move, x or o; - if the game is over"),
    )
    attributes = (
        *grid_attributes("the owner of a box: 'x' (seat 0), 'o' (seat 1) or '.' (nobody)")[:3],  # a move is a line
        ("sides(row, column)", "the number of sides of that box that are drawn, 0 to 4"),
    )

    __slots__ = ("_open", "board", "edges", "o", "turn", "x")

    board: Board
    edges: int
    """The drawn edges."""
    x: int
    """The boxes of seat 0; `o` are those of seat 1."""
    o: int
    _open: tuple[int, ...]

    @classmethod
    def start(cls, *, rows: int, columns: int) -> Self:
        return cls.of(board(rows, columns), 0, 0, 0, 0)

    @classmethod
    def of(cls, board: Board, edges: int, x: int, o: int, turn: int) -> Self:
        """The position with these edges and owners; over when all edges are drawn, whatever the turn."""
        state = cls()
        state.board = board
        state.edges = edges
        state.x, state.o = x, o
        state._open = tuple(edge for edge in board.edges if not edges >> edge & 1)
        state.turn = turn if state._open else None
        return state

    @classmethod
    def load(cls, text: str, *, rows: int, columns: int) -> Self:
        grid = board(rows, columns)
        picture, _, side = text.partition(" ")
        marks = read_rows(picture, 2 * rows + 1, 2 * columns + 1, "+-|.xo")
        edges = 0
        x, o = 0, 0
        for row, places in enumerate(grid.picture):
            for column, (allowed, bit) in enumerate(places):
                mark = marks[row][column]
                if mark not in allowed:
                    raise BadPosition(
                        f"expected one of '{allowed}' in row {row + 1}, place {column + 1}, got {quote(mark)}"
                    )
                edges |= bit if mark in "-|" else 0
                x |= bit if mark == "x" else 0
                o |= bit if mark == "o" else 0
        if grid.sides(edges)[3] != x | o:
            raise BadPosition("a box must have an owner when its four sides are drawn, and only then")
        state = cls.of(grid, edges, x, o, 1 if side == "o" else 0)
        possible = ("-",) if state.turn is None else ("x", "o")
        if not x | o and state.turn is not None:
            possible = ("xo"[edges.bit_count() % 2],)
        if side not in possible:
            raise BadPosition(f"expected {' or '.join(possible)} as the side to move, got {quote(side)}")
        return state

    @property
    def bounds(self) -> tuple[float, float]:
        boxes = float(self.board.rows * self.board.columns)
        return (-boxes, boxes)

    @property
    def max_plies(self) -> int:
        return len(self.board.edges)

    def moves(self) -> tuple[int, ...]:
        return self._open

    def all_moves(self) -> tuple[int, ...]:
        return self.board.edges

    def play(self, move: int) -> Self:
        board = self.board
        edges = self.edges | 1 << move
        closed = 0
        for box, sides in board.boxes_at[move]:
            if edges & sides == sides:
                closed |= box
        child = self.__class__()
        child.board = board
        child.edges = edges
        open_edges = self._open
        at = open_edges.index(move)
        child._open = open_edges = open_edges[:at] + open_edges[at + 1 :]
        if not closed:
            child.x, child.o = self.x, self.o
            child.turn = 0 if self.turn else 1
            return child
        child.x, child.o = (self.x, self.o | closed) if self.turn else (self.x | closed, self.o)
        child.turn = self.turn if open_edges else None
        return child

    def utilities(self) -> tuple[float, float]:
        ahead = self.x.bit_count() - self.o.bit_count()
        return (float(ahead), float(-ahead))

    def ending(self) -> str:
        return f"{self.x.bit_count()}-{self.o.bit_count()} boxes"

    def evaluate(self, seat: int) -> float:
        """The boxes won minus lost so far, and an estimate of what the open ones will add."""
        turn = self.turn
        board = self.board
        if turn is None:
            return self.utilities()[seat]
        ahead = self.x.bit_count() - self.o.bit_count()
        few, two, three, _ = board.sides(self.edges)
        to_take = board.reach(self.edges, three, two | three) if three else 0
        value = WEIGHT_OF_A_BOX_TO_TAKE * to_take.bit_count()
        if not board.all_edges & ~self.edges & ~board.around(board.boxes ^ few):
            opening = worth_of_opening(board.chains(self.edges, two & ~to_take))
            # A player can leave the last two boxes of a chain: the other gets them and must open the next chain.
            value += WEIGHT_OF_CHAINS * (max(opening, -opening - 4) if to_take.bit_count() > 1 else opening)
        return (-ahead if seat else ahead) + (value if seat == turn else -value)

    def features(self, seat: int) -> dict[str, float]:
        board = self.board
        few, two, three, _ = board.sides(self.edges)
        to_take = board.reach(self.edges, three, two | three) if three else 0
        chains = 0
        if not board.all_edges & ~self.edges & ~board.around(board.boxes ^ few):
            opening = worth_of_opening(board.chains(self.edges, two & ~to_take))
            chains = max(opening, -opening - 4) if to_take.bit_count() > 1 else opening
        ahead = self.x.bit_count() - self.o.bit_count()
        sign = 1.0 if seat == self.turn else -1.0
        return {
            "boxes": float(-ahead if seat else ahead),
            "to_take": sign * to_take.bit_count(),
            "chains": sign * chains,
        }

    def noisy_moves(self) -> tuple[int, ...]:
        """The moves that close a box."""
        board = self.board
        closing = board.around(board.sides(self.edges)[2]) & ~self.edges
        return tuple(edge for edge in self._open if closing >> edge & 1) if closing else ()

    @property
    def key(self) -> int:
        # For the rest of the game only the number of seat 0's boxes matters, not which boxes they are.
        return self.edges << 8 | self.x.bit_count() << 1 | (self.turn == 1)

    def to_text(self, move: int) -> str:
        return self.board.names[move]

    @property
    def _size(self) -> tuple[int, int]:
        return self.board.rows, self.board.columns

    def _mark(self, row: int, column: int) -> str:
        box = 1 << row * self.board.width + column
        return "x" if self.x & box else "o" if self.o & box else "."

    def sides(self, row: int, column: int) -> int:
        """The number of sides of the box that are drawn, 0 to 4."""
        self.cell(row, column)  # checks row and column
        return (self.edges & self.board.around(1 << row * self.board.width + column)).bit_count()

    def _picture(self) -> list[str]:
        """The board drawn on a grid, one mark for each dot, edge and box."""
        rows = []
        for places in self.board.picture:
            marks = ""
            for allowed, bit in places:
                if allowed == ".xo":
                    marks += "x" if self.x & bit else "o" if self.o & bit else "."
                else:
                    marks += allowed[-1] if allowed == "+" or self.edges & bit else "."
            rows.append(marks)
        return rows

    def position(self) -> str:
        return f"{'/'.join(self._picture())} {'-' if self.turn is None else 'xo'[self.turn]}"

    def spots(self, last: int | None) -> tuple[Spot, ...]:
        if last is None:
            return ()
        row, column = divmod(last % self.board.half, self.board.width)
        if last < self.board.half:
            return (Spot(2 * row + 1, 4 * column + 3, 4 * column + 6),)
        return (Spot(2 * row + 2, 4 * column + 1, 4 * column + 4),)

    def __str__(self) -> str:
        lines = ["  " + "   ".join(LETTERS[: self.board.width])]
        for row, marks in enumerate(self._picture()):
            margin = "  " if row % 2 else f"{row // 2 + 1} "
            wide = "".join(
                mark * 3 if mark == "-" else f" {mark} " if at % 2 else mark for at, mark in enumerate(marks)
            )
            lines.append((margin + wide.replace(".", " ")).rstrip())
        next_event = "the game is over" if self.turn is None else f"{'xo'[self.turn]} to move"
        return "\n".join([*lines, f"x {self.x.bit_count()}, o {self.o.bit_count()}; {next_event}"])
