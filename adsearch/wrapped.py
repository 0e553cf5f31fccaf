"""Wrapped positions: they answer as the position inside them, except for what a subclass changes.

`backwards` gives every search the moves in reverse order, `watched` records which positions a search looks at. A search
cannot notice the difference, so neither needs a line in any search.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, Self, cast

from adsearch.state import Move, State


def backwards(state: State[Move]) -> State[Move]:
    """`state` with its moves, and those of all positions after it, in reverse order."""
    return cast("State[Move]", Backwards(state))


@dataclass(frozen=True, slots=True)
class Seen:
    """What a search looked at, each position once."""

    positions: set[Hashable] = field(default_factory=set)
    """The keys of all positions."""
    leaves: set[Hashable] = field(default_factory=set)
    """The keys of the positions of which it asked the value: ends of the game, and positions that it estimated."""


def watched(state: State[Move], seen: Seen) -> State[Move]:
    """`state`; what a search looks at, from it on, is added to `seen`."""
    return cast("State[Move]", Watched(state, seen))


class Wrapped:
    """A position that answers as `inside` does. It is no subclass of State, so that it has no answers of its own."""

    __slots__ = ("inside", "turn")

    def __init__(self, inside: State[Any]) -> None:
        self.inside = inside
        self.turn = inside.turn

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inside, name)

    def __reduce__(self) -> tuple[Any, ...]:
        # Sent to another process as what it is made of: __getattr__ must not be asked before there is an `inside`.
        return type(self), (self.inside,)

    def __str__(self) -> str:
        return str(self.inside)

    def around(self, state: State[Any]) -> Self:
        """`state`, wrapped in the same way."""
        return type(self)(state)

    def play(self, move: Any) -> Self:
        return self.around(self.inside.play(move))

    def sample(self, seat: int, random: Any) -> Self:
        return self.around(self.inside.sample(seat, random))


class Backwards(Wrapped):
    """A position with its moves in reverse order."""

    __slots__ = ()

    def moves(self) -> tuple[Any, ...]:
        return self.inside.moves()[::-1]

    def chances(self) -> tuple[tuple[Any, float], ...]:
        return self.inside.chances()[::-1]

    def noisy_moves(self) -> tuple[Any, ...]:
        return self.inside.noisy_moves()[::-1]


class Watched(Wrapped):
    """A position that records itself when it is made, and when its value is asked."""

    __slots__ = ("seen",)

    def __init__(self, inside: State[Any], seen: Seen) -> None:
        super().__init__(inside)
        self.seen = seen
        seen.positions.add(inside.key)

    def around(self, state: State[Any]) -> Self:
        return type(self)(state, self.seen)

    def utilities(self) -> tuple[float, ...]:
        self.seen.leaves.add(self.inside.key)
        return self.inside.utilities()

    def evaluate(self, seat: int) -> float:
        self.seen.leaves.add(self.inside.key)
        return self.inside.evaluate(seat)
