"""A pairing: players who meet, with the round, the number of earlier pairings, and their seats in each of their games.

Every format returns pairings; the director makes games of them. The identity of a pairing (the players, and the number
of their pairings before) does not depend on the order of the names, nor on the other players.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Self

from arena.match.seeds import number

_quoted: Final = lru_cache(maxsize=10_000)(json.dumps)
"""A name as JSON; it is needed in each of its player's pairings."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """As many players as the game has seats; or a bye: one player without an opponent."""

    names: tuple[str, ...]
    """In the order of their seats in leg 0."""
    cycle: int
    """Number of earlier pairings of the same players."""
    round: int
    """The round, from 1; 0 on a ladder, which has no rounds."""
    legs: int
    """Number of games: as many as there are seats; 0 for a bye."""
    key: str = field(init=False, repr=False, compare=False)
    """The identity as JSON; unique in a tournament."""

    def __post_init__(self) -> None:
        # Computed once, because the key is read far more often than pairings are made.
        object.__setattr__(self, "key", f"[{', '.join(map(_quoted, sorted(self.names)))}, {self.cycle}]")

    @classmethod
    def of(cls, names: Iterable[str], *, cycle: int, round: int, legs: int, seed: int) -> Self:
        """A pairing of these players. The first seat is drawn from the seed, and moves on with each cycle."""
        together = sorted(names)
        drawn = [(number(seed, "seats", *together, name), name) for name in together]
        order = [name for _, name in sorted(drawn)]
        first = cycle % len(order)
        return cls((*order[first:], *order[:first]), cycle, round, legs)

    @property
    def identity(self) -> tuple[object, ...]:
        """The sorted names and the cycle. The games' seeds and the opening are drawn from it."""
        return (*sorted(self.names), self.cycle)

    @property
    def is_bye(self) -> bool:
        """Whether the player has no opponent. A bye is worth as many points as winning every game of a pairing."""
        return not self.legs

    def seats(self, leg: int) -> tuple[str, ...]:
        """The players by seat in the game `leg`: each player sits one seat further than in the leg before."""
        first = leg % len(self.names)
        return (*self.names[first:], *self.names[:first])
