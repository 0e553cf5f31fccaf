"""All randomness of a tournament: keyed BLAKE2b of the purpose of each number, with two numbers as the keys.

The tournament's seed gives openings, dice and cards; the seats' key gives each seat its own seed. So a player that
knows its own seed learns nothing about the dice, even if the tournament's seed is a number that can be tried out: the
seats' key is random also where the seed is given. Without a seats' key (games that do not count, and tournaments of
older versions) the seats' seeds come from the tournament's seed. The games of a pair share the opening, not the dice.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeVar

Outcome = TypeVar("Outcome")

_SHORT: Final = 2**64
_SEAT_SEEDS: Final = 2**53
"""Upper bound of seats' seeds: every JSON reader keeps smaller integers exactly."""


def fresh_seed() -> int:
    """A random seed of 128 bits, which nobody can guess."""
    return secrets.randbits(128)


def is_short(seed: int) -> bool:
    """Whether a program can try all seeds up to this one."""
    return seed < _SHORT


def short_seed() -> int:
    """A random seed that is short enough to type, for games that do not count."""
    return secrets.randbelow(10**9)


@dataclass(frozen=True, slots=True)
class GameSeeds:
    """The seeds of one game."""

    key: bytes

    @classmethod
    def of(cls, seed: int, identity: Iterable[object], *, leg: int, attempt: int) -> GameSeeds:
        """The seeds of a game: of `identity` (names in any order, cycle), leg, attempt, and the tournament's `seed` or
        its seats' key."""
        return cls(_drawn(_key(seed), "game", *identity, leg, attempt))

    def for_seat(self, seat: int) -> int:
        """The seat's own seed, below 2^53."""
        return int.from_bytes(_drawn(self.key, "seat", seat)[:8], "big") % _SEAT_SEEDS

    def outcome(self, ply: int, chances: Sequence[tuple[Outcome, float]]) -> Outcome:
        """The outcome of the chance event at `ply`. `chances`: outcomes and their probabilities."""
        point = int.from_bytes(_drawn(self.key, "chance", ply)[:8], "big") / 2**64
        for outcome, probability in chances:
            point -= probability
            if point < 0:
                return outcome
        return chances[-1][0]


def number(seed: int, *purpose: object) -> int:
    """A random number of 64 bits for any other purpose in a tournament: an order, an opening."""
    return int.from_bytes(_drawn(_key(seed), *purpose)[:8], "big")


@lru_cache(maxsize=16)
def _key(seed: int) -> bytes:
    return hashlib.sha256(str(seed).encode()).digest()


def _drawn(key: bytes, *purpose: object) -> bytes:
    # Each part is preceded by its length, so that ("a", "bc") and ("ab", "c") are different purposes.
    text = "".join([f"{len(part)}:{part}," for part in map(str, purpose)])
    return hashlib.blake2b(text.encode(), key=key, digest_size=32).digest()
