"""NAP: no three marked numbers in arithmetic progression.

The game of the lecture: small enough to draw its whole tree (n = 4), but the winner for every n is not known.
A set of numbers is a bitmask: bit i is the number i.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import combinations
from typing import Self

from adsearch.errors import BadPosition, quote
from adsearch.games.evaluation import parity
from adsearch.option import Option
from adsearch.state import Spot, State

_MARKS = re.compile(r"[1-9][0-9]{0,2}( [1-9][0-9]{0,2})*")
_NUMBER = re.compile(r"[0-9]{1,4}")

_IN_A_ROW = 15
"""Numbers in a line of the text."""


@lru_cache(maxsize=64)
def completions(n: int) -> tuple[tuple[int, ...], ...]:
    """For each pair i, j up to n, a bitmask of the numbers that form an arithmetic progression with both."""

    def with_both(i: int, j: int) -> int:
        thirds = {2 * i - j, 2 * j - i} | ({(i + j) // 2} if (i + j) % 2 == 0 else set())
        return sum(1 << third for third in thirds if 1 <= third <= n and third not in (i, j))

    return tuple(tuple(with_both(i, j) if i and j else 0 for j in range(n + 1)) for i in range(n + 1))


class Nap(State[int]):
    """Two players take turns and mark a number from 1 to n. No three marked numbers, of either player, may form an
    arithmetic progression (such as 1, 3, 5). A player who cannot mark a number loses."""

    options = (Option("n", 20, "the numbers are 1..n", 1, 200),)
    notation = "the number to mark"
    position_notation = (
        ("3 7 12", "the marked numbers, in ascending order; - if there are none"),
        ("whose turn", "is not written: seat 0 moves if an even number of numbers is marked, otherwise seat 1"),
    )
    attributes = (
        ("n", "the largest number"),
        ("marks", "the marked numbers, in the order of marking; moves() are the numbers that can be marked"),
    )

    impartial = True

    __slots__ = ("_free", "marks", "n", "turn")

    n: int
    marks: tuple[int, ...]
    """The marked numbers, in the order of marking."""
    _free: tuple[int, ...]

    @classmethod
    def start(cls, *, n: int) -> Self:
        state = cls()
        state.n = n
        state.marks = ()
        state.turn = 0
        state._free = tuple(range(1, n + 1))
        return state

    @classmethod
    def load(cls, text: str, *, n: int) -> Self:
        state = cls.start(n=n)
        if text == "-":
            return state
        if not _MARKS.fullmatch(text):
            raise BadPosition(f"expected marked numbers, such as '3 7', or '-' for none, got {quote(text)}")
        numbers = [int(word) for word in text.split(" ")]
        if numbers != sorted(set(numbers)):
            raise BadPosition(f"expected each marked number once, in ascending order, got {quote(text)}")
        for number in numbers:
            if number not in state.moves():
                raise BadPosition(f"{state._why_not(number)}, got {quote(text)}")
            state = state.play(number)
        return state

    @property
    def max_plies(self) -> int:
        return self.n

    def moves(self) -> tuple[int, ...]:
        return self._free

    def all_moves(self) -> tuple[int, ...]:
        return tuple(range(1, self.n + 1))

    def play(self, move: int) -> Self:
        blocking = completions(self.n)[move]
        blocked = 1 << move
        for mark in self.marks:
            blocked |= blocking[mark]
        child = self.__class__()
        child.n = self.n
        child.marks = (*self.marks, move)
        child._free = free = tuple([number for number in self._free if not blocked >> number & 1])
        child.turn = (0 if self.turn else 1) if free else None
        return child

    def _why_not(self, number: int) -> str:
        """Why this number, which is not one of `moves()`, cannot be marked."""
        if not 1 <= number <= self.n:
            return f"{number} is not in 1..{self.n}"
        if number in self.marks:
            return f"{number} is marked already"
        for one, other in combinations(self.marks, 2):
            if completions(self.n)[one][other] >> number & 1:
                return "{}, {}, {} are in arithmetic progression".format(*sorted((one, other, number)))
        return f"{number} can be marked"

    def why_illegal(self, text: str) -> str:
        if not _NUMBER.fullmatch(text.strip()):
            return ""
        number = int(text)
        return self._why_not(number) if str(number) == text.strip() else f"write {number}"

    def utilities(self) -> tuple[float, float]:
        return (1.0, -1.0) if len(self.marks) % 2 else (-1.0, 1.0)

    def ending(self) -> str:
        return "no move left"

    def evaluate(self, seat: int) -> float:
        """The parity of the free numbers."""
        if self.turn is None:
            return self.utilities()[seat]
        estimate = parity(len(self._free))
        return estimate if seat == self.turn else -estimate

    @property
    def short_name(self) -> str:
        """The set of the marked numbers, such as {3,7}."""
        return f"{{{','.join(str(mark) for mark in sorted(self.marks))}}}"

    @property
    def key(self) -> frozenset[int]:
        return frozenset(self.marks)

    @property
    def canonical(self) -> tuple[int, ...]:
        """The same for a set of numbers and its mirror image, in which each number i is n + 1 - i."""
        marks = sorted(self.marks)
        return min(tuple(marks), tuple([self.n + 1 - mark for mark in reversed(marks)]))

    def position(self) -> str:
        return " ".join(str(mark) for mark in sorted(self.marks)) or "-"

    def spots(self, last: int | None) -> tuple[Spot, ...]:
        if last is None:
            return ()
        line, column = divmod(last - 1, _IN_A_ROW)
        end = (column + 1) * self._width
        return (Spot(line, end - len(str(last)) - 2, end),)

    @property
    def _width(self) -> int:
        """The width of a number in the text, with its brackets."""
        return len(str(self.n)) + 2

    def __str__(self) -> str:
        """Marked numbers in brackets, free numbers plain, the others as dots; fifteen per row."""
        width = self._width
        cells = [
            f"[{number}]" if number in self.marks else f"{number} " if number in self._free else ". "
            for number in range(1, self.n + 1)
        ]
        rows = (cells[at : at + _IN_A_ROW] for at in range(0, self.n, _IN_A_ROW))
        return "\n".join("".join(f"{cell:>{width}}" for cell in row).rstrip() for row in rows)
