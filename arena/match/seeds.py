"""All randomness of a tournament, drawn from its one seed by keyed BLAKE2b over what it is for.

Whoever knows a seat's seed knows neither the dice of the game nor the other seat's seed. The games of a pair share the
opening, not the dice.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

Outcome = TypeVar("Outcome")

_SEAT_SEEDS: Final = 2**53
"""Seats' seeds are below, so that every JSON reader keeps them exactly."""


def fresh_seed() -> int:
    """A seed that nobody can guess."""
    return secrets.randbits(128)


def short_seed() -> int:
    """A seed that can be typed, for games at which nothing is at stake."""
    return secrets.randbelow(10**9)


@dataclass(frozen=True, slots=True)
class GameSeeds:
    """The randomness of one game."""

    key: bytes

    @classmethod
    def of(cls, seed: int, identity: Iterable[object], *, leg: int, attempt: int) -> GameSeeds:
        """That of the game with this `identity` (names without order, cycle) in a tournament with this `seed`."""
        return cls(_drawn(_key(seed), "game", *identity, leg, attempt))

    def for_seat(self, seat: int) -> int:
        """The seat's own seed, below 2^53."""
        return int.from_bytes(_drawn(self.key, "seat", seat)[:8], "big") % _SEAT_SEEDS

    def outcome(self, ply: int, chances: Sequence[tuple[Outcome, float]]) -> Outcome:
        """What chance does at `ply`, where these outcomes have these probabilities."""
        point = int.from_bytes(_drawn(self.key, "chance", ply)[:8], "big") / 2**64
        for outcome, probability in chances:
            point -= probability
            if point < 0:
                return outcome
        return chances[-1][0]


def number(seed: int, *purpose: object) -> int:
    """A number of 64 bits for anything else that a tournament draws: an order, an opening."""
    return int.from_bytes(_drawn(_key(seed), *purpose)[:8], "big")


def _key(seed: int) -> bytes:
    return hashlib.sha256(str(seed).encode()).digest()


def _drawn(key: bytes, *purpose: object) -> bytes:
    # Each part with its length: ("a", "bc") and ("ab", "c") are two purposes.
    text = "".join(f"{len(str(part))}:{part}," for part in purpose)
    return hashlib.blake2b(text.encode(), key=key, digest_size=32).digest()
