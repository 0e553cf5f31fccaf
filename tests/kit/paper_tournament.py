"""A tournament without games: feeds a format random results until nothing is left to play."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from random import Random

from arena.tournament import formats
from arena.tournament.formats import Pairing


@dataclass(frozen=True, slots=True)
class Terms:
    """What a format wants to know of a description."""

    format: str
    rounds: int = 1
    seats: int = 2
    gauntlet: Sequence[str] = ()
    seeds: Sequence[str] = ()
    best_of: int = 1
    repeats: int = 3


@dataclass(slots=True)
class Event:
    """One tournament as it goes on; it holds its format to what was said before."""

    terms: Terms
    names: list[str]
    seed: int = 7
    withdrawn: set[str] = field(default_factory=set)
    results: dict[str, dict[str, float]] = field(default_factory=dict)
    known: list[Pairing] = field(default_factory=list)

    def ask(self) -> list[Pairing]:
        """The pairings now, which begin with those before; they are remembered."""
        now = formats.pairings(
            self.terms, self.names, self.results, self.seed, known=self.known, withdrawn=self.withdrawn
        )
        assert now[: len(self.known)] == self.known
        keys = [pairing.key for pairing in now]
        assert len(set(keys)) == len(keys)
        self.known = now
        return now

    @property
    def open(self) -> list[Pairing]:
        """The pairings that are to be played."""
        return [pairing for pairing in self.known if not pairing.is_bye and pairing.key not in self.results]

    def finish(self, pairings: Iterable[Pairing], random: Random, *, draws: bool = True) -> None:
        """Gives each of these pairings a result."""
        for pairing in pairings:
            points = random.choice((0.0, 0.5, 1.0, 1.5, 2.0) if draws else (0.0, 2.0))
            first, *others = pairing.names
            self.results[pairing.key] = {first: points} | {name: (2 - points) / len(others) for name in others}

    def play(self, random: Random, *, draws: bool = True) -> list[Pairing]:
        """Plays to the end, in no order."""
        while self.ask() and self.open:
            playing = self.open
            self.finish(random.sample(playing, random.randint(1, len(playing))), random, draws=draws)
        return self.known

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to be played."""
        return formats.is_complete(
            self.terms, self.names, self.results, self.seed, known=self.known, withdrawn=self.withdrawn
        )


def names(count: int, *, first: int = 0) -> list[str]:
    """So many different names."""
    return [f"agent {number}" for number in range(first, first + count)]


def meetings(pairings: Iterable[Pairing]) -> Counter[tuple[str, ...]]:
    """How often any two sit at a table, each game of a pairing counted once."""
    return Counter(pair for pairing in pairings for pair in combinations(sorted(pairing.names), 2))


def first_seats(pairings: Iterable[Pairing]) -> Counter[tuple[str, int]]:
    """How often each sits on each seat, over all games."""
    return Counter(
        (name, seat)
        for pairing in pairings
        for leg in range(pairing.legs)
        for seat, name in enumerate(pairing.seats(leg))
    )


def spread(counts: Counter[str], everybody: Collection[str]) -> int:
    """How much more often the one counted most is than the one counted least."""
    found = [counts[name] for name in everybody]
    return max(found) - min(found)
