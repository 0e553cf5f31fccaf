"""A pairing: players who meet, in which round and for which time, and who sits where in each of their games.

Every format says with these who plays whom; the director makes games of them. What a pairing is known by (who meets,
and which of their meetings it is) never depends on the order in which players were named, nor on who else takes part.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from arena.match.seeds import number


@dataclass(frozen=True, slots=True)
class Pairing:
    """A meeting of as many players as the game has seats; or a bye, of one player with nobody."""

    names: tuple[str, ...]
    """In the order of the seats in leg 0."""
    cycle: int
    """Which meeting of these players it is, from 0."""
    round: int
    """In which round they meet, from 1."""
    legs: int
    """How many games it is: as many as there are seats; none for a bye."""
    key: str = field(init=False, repr=False, compare=False)
    """The identity as text; no two pairings of a tournament have the same."""

    def __post_init__(self) -> None:
        # Asked for far more often than pairings are made.
        object.__setattr__(self, "key", json.dumps(self.identity))

    @classmethod
    def of(cls, names: Iterable[str], *, cycle: int, round: int, legs: int, seed: int) -> Self:
        """The meeting of these players. Who sits first follows from the seed, and changes with each cycle."""
        together = sorted(names)
        order = sorted(together, key=lambda name: (number(seed, "seats", *together, name), name))
        first = cycle % len(order)
        return cls((*order[first:], *order[:first]), cycle, round, legs)

    @property
    def identity(self) -> tuple[object, ...]:
        """What it is known by: the names without order, and the cycle. Seeds and openings are drawn from it."""
        return (*sorted(self.names), self.cycle)

    @property
    def is_bye(self) -> bool:
        """Whether the player has nobody to play with, which is worth as much as a meeting that is won."""
        return not self.legs

    def seats(self, leg: int) -> tuple[str, ...]:
        """Who sits where in the game `leg`: everybody one seat further than in the game before."""
        first = leg % len(self.names)
        return (*self.names[first:], *self.names[:first])
