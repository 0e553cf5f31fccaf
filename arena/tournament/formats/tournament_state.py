"""What a format knows when it is asked who plays next: the description of the tournament, and how far it has come.

Both are plain values, made by whoever runs the tournament. It is the same whatever the order in which its names
and results were given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from arena.match.seeds import number
from arena.tournament.formats.pairing import Pairing

Results = Mapping[str, Mapping[str, float]]
"""By the key of each pairing that is over: the points of each of its players, summed over its games."""


class Terms(Protocol):
    """What a format wants to know of a tournament's description; a `League` is one."""

    @property
    def format(self) -> str:
        """The format's name."""

    @property
    def seats(self) -> int:
        """How many players a game has."""

    @property
    def rounds(self) -> int:
        """How often everyone meets everyone, or how many rounds there are; a knockout asks for none."""

    @property
    def gauntlet(self) -> Sequence[str]:
        """Who plays against all others."""

    @property
    def seeds(self) -> Sequence[str]:
        """The first seeds of a knockout, strongest first."""

    @property
    def best_of(self) -> int:
        """How many pairings a series of a knockout has."""

    @property
    def repeats(self) -> int:
        """How often a tied series gets one pairing more."""


@dataclass(frozen=True, slots=True)
class TournamentState:
    """How far a tournament has come."""

    names: tuple[str, ...]
    """Everybody who takes part or did, sorted."""
    seed: int
    results: Results
    known: tuple[Pairing, ...] = ()
    """The pairings so far, in order."""
    withdrawn: frozenset[str] = frozenset()

    @property
    def active(self) -> tuple[str, ...]:
        """Who has not withdrawn."""
        return tuple(name for name in self.names if name not in self.withdrawn)

    @property
    def last_round(self) -> int:
        """The round that was paired last; 0 before the first."""
        return max((pairing.round for pairing in self.known), default=0)

    def draw(self, *purpose: object) -> list[str]:
        """All names in an order that is drawn from the seed, for that purpose."""
        return sorted(self.names, key=lambda name: (number(self.seed, *purpose, name), name))

    def is_over(self, pairing: Pairing) -> bool:
        """Whether the pairing needs to be waited for no longer."""
        return pairing.is_bye or pairing.key in self.results

    def points(self, *, bye: float) -> dict[str, float]:
        """Everybody's points so far, where a bye is worth so many."""
        points = dict.fromkeys(self.names, 0.0)
        for pairing in self.known:
            for name in pairing.names:
                won = bye if pairing.is_bye else self.results.get(pairing.key, {}).get(name, 0)
                points[name] = points.get(name, 0) + won
        return points

    def met(self) -> Counter[tuple[str, ...]]:
        """How often just these players, sorted, were paired."""
        return Counter(tuple(sorted(pairing.names)) for pairing in self.known)

    def pairing(self, names: Iterable[str], *, cycle: int, round: int, legs: int) -> Pairing:
        """A new pairing of these players."""
        return Pairing.of(names, cycle=cycle, round=round, legs=legs, seed=self.seed)


def scheduled(so_far: TournamentState, rounds: Sequence[Sequence[tuple[str, str]]], cycles: int) -> list[Pairing]:
    """The pairings not yet known, where in each of the `cycles` everybody meets as `rounds` say.

    At the start each keeps its round. Later (players or cycles were added) they fill new rounds after the last, as
    soon as both players are free."""
    known = {(*sorted(pairing.names), pairing.cycle) for pairing in so_far.known}
    missing = [
        (cycle * len(rounds) + at, names, cycle)
        for cycle in range(cycles)
        for at, meetings in enumerate(rounds)
        for names in meetings
        if (*sorted(names), cycle) not in known
    ]
    if known:
        missing = _packed(missing)
    before = so_far.last_round
    return [so_far.pairing(names, cycle=cycle, round=before + at + 1, legs=2) for at, names, cycle in missing]


def _packed(meetings: Iterable[tuple[int, tuple[str, str], int]]) -> list[tuple[int, tuple[str, str], int]]:
    """The same meetings, each in the first round from 0 in which both players are free."""
    busy: Counter[str] = Counter()
    """The rounds in which a player is busy, as bits."""
    packed = []
    for _, (first, second), cycle in meetings:
        taken = busy[first] | busy[second]
        free = ~taken & (taken + 1)
        busy[first] |= free
        busy[second] |= free
        packed.append((free.bit_length() - 1, (first, second), cycle))
    return sorted(packed, key=lambda meeting: meeting[0])
