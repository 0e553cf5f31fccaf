"""The input of a format: the terms of the tournament's description, and the state of the tournament.

Both are plain values. The state does not depend on the order in which names and results were given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from arena.match.seeds import number
from arena.tournament.formats.pairing import Pairing

Results = Mapping[str, Mapping[str, float]]
"""By the key of each pairing that is over: the points of each of its players, summed over its games."""
_Meeting = tuple[int, tuple[str, str], int]
"""The round from 0, the players, and the cycle."""


class Terms(Protocol):
    """The parts of a description that formats need; a `League` has them."""

    @property
    def format(self) -> str:
        """The format's name."""

    @property
    def seats(self) -> int:
        """Players per game."""

    @property
    def rounds(self) -> int:
        """The number of pairings of each two players, or the number of rounds; a knockout does not use it."""

    @property
    def gauntlet(self) -> Sequence[str]:
        """The challengers: each plays against all other players."""

    @property
    def seeds(self) -> Sequence[str]:
        """The first seeds of a knockout, strongest first."""

    @property
    def best_of(self) -> int:
        """Pairings in a series of a knockout."""

    @property
    def repeats(self) -> int:
        """Most extra pairings of a tied series."""


@dataclass(frozen=True, slots=True)
class TournamentState:
    """The players, pairings and results of a tournament so far."""

    names: tuple[str, ...]
    """All players, including withdrawn ones, sorted."""
    seed: int
    results: Results
    known: tuple[Pairing, ...] = ()
    """The pairings so far, in order."""
    withdrawn: frozenset[str] = frozenset()

    @property
    def active(self) -> tuple[str, ...]:
        """The players who have not withdrawn."""
        return tuple(name for name in self.names if name not in self.withdrawn)

    @property
    def last_round(self) -> int:
        """The round that was paired last; 0 before the first."""
        return max((pairing.round for pairing in self.known), default=0)

    def draw(self, *purpose: object) -> list[str]:
        """All names in a random order that is drawn from the seed; another `purpose` gives another order."""
        return sorted(self.names, key=lambda name: (number(self.seed, *purpose, name), name))

    def is_over(self, pairing: Pairing) -> bool:
        """Whether the pairing is a bye or has a result."""
        return pairing.is_bye or pairing.key in self.results

    def points(self, *, bye: float) -> dict[str, float]:
        """All players' points so far; `bye`: the points of a bye."""
        points = dict.fromkeys(self.names, 0.0)
        for pairing in self.known:
            for name in pairing.names:
                won = bye if pairing.is_bye else self.results.get(pairing.key, {}).get(name, 0)
                points[name] = points.get(name, 0) + won
        return points

    def met(self) -> Counter[tuple[str, ...]]:
        """The number of pairings of the same players (sorted names)."""
        return Counter(tuple(sorted(pairing.names)) for pairing in self.known)

    def pairing(self, names: Iterable[str], *, cycle: int, round: int, legs: int) -> Pairing:
        """A new pairing of these players."""
        return Pairing.of(names, cycle=cycle, round=round, legs=legs, seed=self.seed)


def scheduled(so_far: TournamentState, rounds: Sequence[Sequence[tuple[str, str]]], cycles: int) -> Iterator[Pairing]:
    """The pairings that are not known yet, when `rounds` is played once in each of the `cycles`.

    At the start each pairing keeps its round. If players or cycles were added later, the missing pairings fill new
    rounds after the last one, each in the first round where both players are free."""
    known = {(*sorted(pairing.names), pairing.cycle) for pairing in so_far.known}
    missing: Iterable[_Meeting] = (
        (cycle * len(rounds) + at, names, cycle)
        for cycle in range(cycles)
        for at, pairs in enumerate(rounds)
        for names in pairs
        if not known or (*sorted(names), cycle) not in known
    )
    if known:
        missing = _packed(missing)
    before = so_far.last_round
    for at, names, cycle in missing:
        yield so_far.pairing(names, cycle=cycle, round=before + at + 1, legs=2)


def _packed(pairings: Iterable[_Meeting]) -> list[_Meeting]:
    """The same pairings, each in the first round from 0 in which both players are free."""
    busy: Counter[str] = Counter()
    """The rounds in which a player is busy, as bits."""
    packed = []
    for _, (first, second), cycle in pairings:
        taken = busy[first] | busy[second]
        free = ~taken & (taken + 1)
        busy[first] |= free
        busy[second] |= free
        packed.append((free.bit_length() - 1, (first, second), cycle))
    return sorted(packed, key=lambda pairing: pairing[0])
