"""The Go board as bits: points, groups, liberties, and the hashes by which a position is known again.

A set of points is one big integer. Each row has a guard bit after its last point, so that a shift by one bit is a step
to the left or right and a shift by `stride` bits is a step up or down, for all points of a set at the same time. All
positions of one size share the tables of a Board.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

from adsearch.errors import BadPosition, quote

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
