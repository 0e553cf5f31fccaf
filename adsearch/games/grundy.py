"""Grundy's game: split a pile into two unequal ones.

An example for the Sprague-Grundy theory: the nimber of several piles is the xor of their nimbers. The evaluation does
not use this theory, so that a search still has something to find.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Self

from adsearch.errors import BadOption, BadPosition, quote
from adsearch.games.evaluation import parity
from adsearch.option import Option
from adsearch.state import State

_PILES = re.compile(r"[0-9]{1,4}(\+[0-9]{1,4})*")
_POSITION = re.compile(r"([0-9+]+) turn=([01])")
MOST = 1000
"""The largest pile."""


@lru_cache(maxsize=MOST + 1)
def splits(pile: int) -> tuple[tuple[int, int], ...]:
    """The ways to split a pile: (smaller, larger)."""
    return tuple((small, pile - small) for small in range(1, (pile + 1) // 2))


def read_piles(text: str) -> tuple[int, ...] | None:
    """The piles of a text such as "7+5", largest first; None if the text is not such a list."""
    if not _PILES.fullmatch(text):
        return None
    piles = tuple(sorted((int(pile) for pile in text.split("+")), reverse=True))
    return piles if piles[-1] >= 1 and piles[0] <= MOST and len(piles) <= MOST else None


class Grundy(State[tuple[int, int]]):
    """Two players take turns and split one pile into two piles of different sizes.
    Piles of one or two cannot be split. A player who cannot split a pile loses."""

    options = (
        Option("pile", 7, "size of the only pile", 1, MOST),
        Option("piles", "", "several piles instead, such as 7+5"),
    )
    notation = "the two new piles, smaller first, such as 2+5"
    position_notation = (
        ("4+2+1", "the sizes of the piles, the largest first"),
        ("turn=0", "the seat to move; if no pile can be split, it has lost"),
    )
    attributes = (("piles", "the sizes of the piles, the largest first"),)

    impartial = True

    __slots__ = ("_moves", "mover", "piles", "turn")

    piles: tuple[int, ...]
    """Largest first."""
    mover: int
    """The seat to move; in a finished game the seat that cannot move and has lost."""
    _moves: tuple[tuple[int, int], ...]

    @classmethod
    def start(cls, *, pile: int, piles: str) -> Self:
        if piles and pile != cls.options[0].default:
            raise BadOption(f"expected pile or piles, got both: {pile} and {quote(piles)}")
        several = read_piles(piles) if piles else (pile,)
        if several is None:
            raise BadOption(f"piles must be sizes from 1 to {MOST} joined by '+', such as 7+5, got {quote(piles)}")
        return cls.of(several, 0)

    @classmethod
    def of(cls, piles: tuple[int, ...], mover: int) -> Self:
        """The position with these piles, largest first, and the seat `mover` to move."""
        state = cls()
        state.piles = piles
        state._moves = tuple(split for pile in dict.fromkeys(piles) for split in splits(pile))
        state.mover = mover
        state.turn = mover if state._moves else None
        return state

    @classmethod
    def load(cls, text: str, *, pile: int, piles: str) -> Self:
        start = cls.start(pile=pile, piles=piles)
        match = _POSITION.fullmatch(text)
        there = read_piles(match[1]) if match else None
        if match is None or there is None or match[1] != "+".join(map(str, there)):
            raise BadPosition(f"expected piles, largest first, and the turn, such as '4+2+1 turn=0', got {quote(text)}")
        if sum(there) != sum(start.piles) or len(there) < len(start.piles):
            raise BadPosition(f"expected {start.position()!r} split further, got {quote(text)}")
        if (len(there) - len(start.piles)) % 2 != int(match[2]):
            raise BadPosition(
                f"it cannot be that seat's turn after {len(there) - len(start.piles)} splits: {quote(text)}"
            )
        return cls.of(there, int(match[2]))

    @property
    def max_plies(self) -> int:
        return sum(self.piles) - 1

    def moves(self) -> tuple[tuple[int, int], ...]:
        return self._moves

    def all_moves(self) -> tuple[tuple[int, int], ...]:
        return tuple(split for pile in range(max(self.piles), 0, -1) for split in splits(pile))

    def play(self, move: tuple[int, int]) -> Self:
        piles = list(self.piles)
        piles.remove(move[0] + move[1])
        piles += move
        piles.sort(reverse=True)
        return self.of(tuple(piles), 1 - self.mover)

    def utilities(self) -> tuple[float, float]:
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)

    def ending(self) -> str:
        return "no move left"

    def evaluate(self, seat: int) -> float:
        """The parity of the number of piles that can be split."""
        if self.turn is None:
            return self.utilities()[seat]
        estimate = parity(sum(pile > 2 for pile in self.piles))
        return estimate if seat == self.turn else -estimate

    @property
    def short_name(self) -> str:
        """The piles and the sign of the player to move, such as 4-2-1+: + is seat 0, - is seat 1."""
        return f"{'-'.join(map(str, self.piles))}{'-' if self.mover else '+'}"

    @property
    def key(self) -> tuple[int, tuple[int, ...]]:
        return (self.mover, tuple(pile for pile in self.piles if pile > 2))

    def to_text(self, move: tuple[int, int]) -> str:
        return f"{move[0]}+{move[1]}"

    def position(self) -> str:
        return f"{'+'.join(map(str, self.piles))} turn={self.mover}"

    def __str__(self) -> str:
        """A row of stones for each pile."""
        return "\n".join(f"{pile:>4}  {'o' * min(pile, 60)}{'...' if pile > 60 else ''}" for pile in self.piles)
