"""A tournament without games: feeds a format random results until nothing is left to play."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from itertools import combinations
from random import Random

from arena.tournament import formats
from arena.tournament.format import Format, Pairing, TournamentState


def described(name: str, **keys: object) -> Format:
    """A format with these keys of its own."""
    found = formats.ours(name)
    assert found is not None
    return found(**keys)


@dataclass(slots=True)
class Event:
    """One tournament as it goes on; it holds its format to what was said before."""

    format: Format
    names: list[str]
    seed: int = 7
    withdrawn: set[str] = field(default_factory=set)
    results: dict[str, dict[str, float]] = field(default_factory=dict)
    known: list[Pairing] = field(default_factory=list)
    seats: int = 2

    @property
    def so_far(self) -> TournamentState:
        """What its format is asked with."""
        return TournamentState(
            names=tuple(sorted(self.names)),
            seed=self.seed,
            results=self.results,
            known=tuple(self.known),
            withdrawn=frozenset(self.withdrawn),
            seats=self.seats,
        )

    def ask(self) -> list[Pairing]:
        """The pairings now, which begin with those before; they are remembered."""
        now = [*self.known, *self.format.further(self.so_far)]
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
        self.ask()
        needless = {pairing.key for pairing in self.format.needless(self.so_far)}
        return all(pairing.key in needless for pairing in self.open)


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


def byes(pairings: Iterable[Pairing]) -> dict[int, str]:
    """By round: the player with a bye."""
    return {pairing.round: pairing.names[0] for pairing in pairings if pairing.is_bye}
