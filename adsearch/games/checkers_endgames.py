"""Endgame tables of checkers: the value of every position with few pieces, and how long it takes to win it.

`arena search tables checkers` builds them by retrograde analysis (arena/endgames); here they are read and used. A
position is seen from the side to move, as if that side were black: white's position is turned by half a turn. So each
placement of the pieces has one entry, for both colours. Each side is described by its numbers of men and kings. A table
has a block for every pair of such sides, with a row for each placement of the side to move, and in it an entry for each
placement of the other side. Some of these placements overlap; their entries mean nothing.

An entry is one byte: 0 for a draw, else 1 more than the number of plies to the end, when the winner wins as fast as
possible and the loser delays it. The loser is the side that cannot move at the end. So an even entry is a win.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate, combinations, pairwise
from math import comb
from pathlib import Path
from typing import Final, NamedTuple, Self

from adsearch.errors import BadTable
from adsearch.games.checkers import BIT, QUIET_PLIES, Checkers
from adsearch.games.checkers import Path as Squares
from adsearch.result import Result

Side = tuple[int, int]
"""The numbers of men and of kings of one side."""

FEWEST: Final = 2
"""The smallest number of pieces with a table: each side has one."""
MOST: Final = 4
"""The largest number of pieces with a table."""
MAN_SQUARES: Final = 28
"""The number of squares on which a man can stand: the first ones, for the side to move."""
KING_SQUARES: Final = 32
DRAW: Final = 0
LOST: Final = 1
"""The entry of a side that cannot move."""

_FORMAT: Final = 1
_COST_OF_A_PLY: Final = 1e-6
"""How much less a win is worth for each ply that it takes."""


def size(side: Side) -> int:
    """The number of placements of a side; a man and a king can be on one square in them."""
    return comb(MAN_SQUARES, side[0]) * comb(KING_SQUARES, side[1])


def blocks(pieces: int) -> Iterator[tuple[Side, Side]]:
    """The pairs (side to move, other side) of a table, in its order.

    A capture leads to a smaller table, and a crowning to a block with fewer men, which stands before. All other moves
    stay in the block, or lead to the block with the sides swapped, which stands beside it."""
    sides = [(men, count - men) for count in range(1, pieces) for men in range(count + 1)]
    pairs = [(one, other) for one in sides for other in sides if sum(one) + sum(other) == pieces]
    yield from sorted(pairs, key=lambda pair: (pair[0][0] + pair[1][0], *sorted(pair), pair))


def starts(pieces: int) -> tuple[dict[tuple[Side, Side], int], int]:
    """Where each block of a table begins, and the length of the table."""
    pairs = [*blocks(pieces)]
    *places, length = accumulate((size(one) * size(other) for one, other in pairs), initial=0)
    return dict(zip(pairs, places, strict=True)), length


def positions(pieces: int) -> int:
    """The number of ways to place this many pieces, of one colour or of both, with either side to move counted once."""
    return sum(
        placements((men, count - men), (other, pieces - count - other))
        for count in range(pieces + 1)
        for men in range(count + 1)
        for other in range(pieces - count + 1)
    )


def placements(one: Side, other: Side) -> int:
    """The number of ways to place two sides without an overlap."""
    (men, kings), (their_men, their_kings) = one, other
    row = KING_SQUARES - MAN_SQUARES
    # On their home row, men cannot meet men of the other side, for which it is the far row.
    of_men = sum(
        comb(row, at_home) * comb(MAN_SQUARES - row, men - at_home) * comb(MAN_SQUARES - (men - at_home), their_men)
        for at_home in range(men + 1)
    )
    free = KING_SQUARES - men - their_men
    return of_men * comb(free, kings) * comb(free - kings, their_kings)


@cache
def subsets(count: int, squares: int) -> tuple[int, ...]:
    """The bitboards of all sets of this many of the first `squares` squares; the place of each here is its rank."""
    return tuple(sorted(sum(chosen) for chosen in combinations(BIT[1 : squares + 1], count)))


def turned(bits: int) -> int:
    """The bitboard turned by half a turn: square 1 is square 32 then."""
    return int(f"{bits:035b}"[::-1], 2)


@cache
def _ranks(pieces: int) -> tuple[dict[int, int], dict[int, int]]:
    """The rank of each set of squares, as seen by black and by white. A set of squares on which men can stand has the
    same rank among the sets of all squares."""
    of_black = {bits: rank for count in range(pieces) for rank, bits in enumerate(subsets(count, KING_SQUARES))}
    return of_black, {turned(bits): rank for bits, rank in of_black.items()}


class Known(NamedTuple):
    """What the tables know about a position."""

    value: int
    """For the side to move: 1 (won), 0 or -1."""
    distance: int | None
    """Plies to the end, None in a draw."""
    sure: bool = True
    """False for a win that the rules of draws may prevent."""


_DRAWN: Final = Known(0, None)


class Endgames:
    """The tables for up to `pieces` pieces."""

    def __init__(self, tables: Sequence[bytes]) -> None:
        """`tables`: the entries for 2 pieces, 3 pieces, ..."""
        self.pieces = FEWEST - 1 + len(tables)
        self._ranks = _ranks(self.pieces)
        # For each pair of sides: the table, where its block begins, the length of a row, and of a rank of men in it.
        self._blocks = {
            (*one, *other): (table, start, size(other), comb(KING_SQUARES, one[1]), comb(KING_SQUARES, other[1]))
            for pieces, table in enumerate(tables, FEWEST)
            for (one, other), start in starts(pieces)[0].items()
        }

    @classmethod
    def load(cls, folder: str | Path, pieces: int = MOST) -> Self:
        """The tables for up to `pieces` pieces in this folder; BadTable if one is missing or damaged."""
        return cls([read(Path(folder), count) for count in range(FEWEST, pieces + 1)])

    def look_up(self, state: Checkers) -> Known | None:
        """What is known about `state`, which is not over; None if it has too many pieces.

        The tables know nothing of draws by repetition and by quiet plies. A draw is a draw with these rules too. A win
        is sure if they cannot prevent it: enough quiet plies are left for all of it, and no earlier position has
        occurred twice. For a fastest win comes to no position again, and so to none for the third time."""
        if not (state.black and state.white) or (state.black | state.white).bit_count() > self.pieces:
            return None
        known, past = self.entry(state), state.past
        if known.distance is None:
            return known
        in_time = len(past) + known.distance <= QUIET_PLIES
        return known._replace(sure=in_time and all(one != other for one, other in pairwise(past)))

    def entry(self, state: Checkers) -> Known:
        """What the table says about `state`, in which both sides have a piece; it does not know its past."""
        kings, side = state.kings, state.side
        mine, theirs = (state.white, state.black) if side else (state.black, state.white)
        men, crowned, their_men, their_crowned = mine & ~kings, mine & kings, theirs & ~kings, theirs & kings
        counts = men.bit_count(), crowned.bit_count(), their_men.bit_count(), their_crowned.bit_count()
        table, start, length, men_rows, men_entries = self._blocks[counts]
        own, other = self._ranks[side], self._ranks[1 - side]
        row = own[men] * men_rows + own[crowned]
        entry = table[start + row * length + other[their_men] * men_entries + other[their_crowned]]
        if entry == DRAW:
            return _DRAWN
        distance = entry - LOST
        return Known(1 if distance % 2 else -1, distance)

    def result(self, state: Checkers) -> Result[Squares] | None:
        """The value of `state` as a search returns it, with a line to the end (in a draw, with one move that keeps the
        draw); None if it is not known for sure."""
        known = None if state.turn is None else self.look_up(state)
        if known is None or not known.sure:
            return None
        line: list[Squares] = []
        nodes = 1
        while state.turn is not None and (known.value or not line):
            worth = {move: self.around(state).play(move).evaluate(state.side) for move in state.moves()}
            line.append(max(worth, key=worth.__getitem__))
            nodes += len(worth)
            state = state.play(line[-1])
        return Result(known.value, line[0], tuple(line), None, nodes, exact=True, distance=known.distance)

    def around(self, state: Checkers) -> CheckersToKnown:
        """`state` in the game that ends where these tables know the rest. `state` itself is no end of it."""
        root = CheckersToKnown.of(state.black, state.white, state.kings, state.side, state.past)
        root.endgames, root.known = self, None
        return root


class CheckersToKnown(Checkers):
    """Checkers that is over as soon as the tables know its result for sure: so every search uses them, and needs no
    line for it.

    The utility of a win is a little less than 1 for each ply to the real end, but more than any evaluation: so the
    fastest win is the best. A win that is not sure is no end; its evaluation is between a draw and a win."""

    __slots__ = ("endgames", "known")

    endgames: Endgames
    known: Known | None
    """What the tables know, unless this is a real end or the root."""

    def play(self, move: Squares) -> Self:
        child = super().play(move)
        child.endgames = endgames = self.endgames
        child.known = known = None if child.turn is None else endgames.look_up(child)
        if known is not None and known.sure:
            child.turn, child._moves = None, ()
        return child

    def utilities(self) -> tuple[float, float]:
        if self.known is None:
            return super().utilities()
        worth = self.known.value * (1.0 - _COST_OF_A_PLY * (self.known.distance or 0))
        return (-worth, worth) if self.side else (worth, -worth)

    def evaluate(self, seat: int) -> float:
        if self.known is None or self.known.sure:
            return super().evaluate(seat)
        return self.utilities()[seat] / 2


def path_of(folder: Path, pieces: int) -> Path:
    """The file of the table for this number of pieces."""
    return folder / f"checkers-{pieces}.table"


def as_file(pieces: int, table: bytes) -> bytes:
    """The content of a table's file: a line of text, then the entries."""
    from hashlib import blake2b  # imported here, because agents must start fast and few use tables

    digest = blake2b(table, digest_size=16).hexdigest()
    return f"checkers endgame table, format {_FORMAT}: {pieces} pieces, BLAKE2b {digest}\n".encode() + table


def read(folder: Path, pieces: int) -> bytes:
    """The entries of the table for this number of pieces; BadTable if it is missing or damaged."""
    path = path_of(folder, pieces)
    try:
        # Anything but a file of about this size is not read: a pipe or a device may have no end.
        is_file = stat.S_ISREG(path.stat().st_mode) and path.stat().st_size < 2 * starts(pieces)[1] + 1000
        content = path.read_bytes() if is_file else b""
    except FileNotFoundError:
        raise BadTable(f"there is no endgame table {path}") from None
    except OSError as error:
        raise BadTable(f"cannot read the endgame table {path}: {error.strerror}") from None
    table = content.partition(b"\n")[2]
    if len(table) != starts(pieces)[1] or as_file(pieces, table) != content:
        raise BadTable(f"{path} is damaged, or not an endgame table of this version")
    return table
