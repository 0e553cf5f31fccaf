"""Knockout: whoever loses a series is out, until one player is left.

The bracket is drawn once: the description may name the first seeds, the seed of the tournament draws the others, and
the best seeds have byes where the bracket is not full. A series is so many pairings; a tied one gets one pairing more,
so often as the description says, and then the higher seed goes through.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from arena.errors import BadLeague
from arena.tournament.formats.pairing import Pairing
from arena.tournament.formats.tournament_state import Terms, TournamentState


def further(terms: Terms, so_far: TournamentState) -> list[Pairing]:
    """What is to be played once all series of the last pairings are decided or tied: the next pairing of the tied
    ones, then the next round. Whoever meets a withdrawn player goes through without playing."""
    for series in _rounds(terms, so_far):
        if any(each.is_running for each in series):
            return []
        if more := [pairing for each in series for pairing in each.next()]:
            return more
    return []


def needless(terms: Terms, so_far: TournamentState) -> list[Pairing]:
    """Known pairings that are not over and can change nothing any more: their series is decided without them."""
    return [
        pairing
        for series in _rounds(terms, so_far)
        for each in series
        for pairing in each.pairings
        if each.winner is not None and not so_far.is_over(pairing)
    ]


def bracket(players: int) -> list[int]:
    """The seeds from top to bottom, 1 for the strongest, so that the strongest meet last; those over `players` are
    byes: 1 8, 4 5, 2 7, 3 6."""
    seeds = [1]
    while len(seeds) < players:
        seeds = [seed for high in seeds for seed in (high, 2 * len(seeds) + 1 - high)]
    return seeds


def seeding(terms: Terms, so_far: TournamentState) -> list[str]:
    """All players, the strongest seed first."""
    return [*terms.seeds, *(name for name in so_far.draw("order") if name not in terms.seeds)]


@dataclass(frozen=True, slots=True)
class _Series:
    """Two players of whom one goes through: the higher seed first."""

    terms: Terms
    so_far: TournamentState
    round: int
    names: tuple[str, str]
    pairings: tuple[Pairing, ...]
    later: frozenset[str]
    """Who has been paired in a later round already."""

    @property
    def winner(self) -> str | None:
        """Who goes through; None as long as that is open."""
        high, low = self.names
        if went := [name for name in self.names if name in self.later]:
            return went[0]
        lead = sum(won.get(high, 0) - won.get(low, 0) for won in self._results)
        to_come = sum(pairing.legs for pairing in self.pairings if not self.so_far.is_over(pairing))
        if self.pairings and abs(lead) > to_come:
            return high if lead > 0 else low
        if to_come or not self._is_at_its_end:
            return None
        return low if high in self.so_far.withdrawn and low not in self.so_far.withdrawn else high

    @property
    def is_running(self) -> bool:
        """Whether it is open, and there are games to wait for."""
        return self.winner is None and not all(map(self.so_far.is_over, self.pairings))

    def next(self) -> list[Pairing]:
        """The pairings that it needs now, when nothing of it is being played."""
        if self.winner is not None:
            return []
        first = len(self.pairings)
        count = 1 if first else self.terms.best_of
        return [
            self.so_far.pairing(self.names, cycle=cycle, round=self.round, legs=self.terms.seats)
            for cycle in range(first, first + count)
        ]

    @property
    def _results(self) -> list[dict[str, float]]:
        results = self.so_far.results
        return [dict(results[pairing.key]) for pairing in self.pairings if pairing.key in results]

    @property
    def _is_at_its_end(self) -> bool:
        """Whether it gets no more pairings, even if it is tied."""
        spent = len(self.pairings) >= self.terms.best_of + self.terms.repeats
        return spent or any(name in self.so_far.withdrawn for name in self.names)


def _rounds(terms: Terms, so_far: TournamentState) -> list[list[_Series]]:
    """The series of each round whose players are known."""
    order = seeding(terms, so_far)
    rank = {name: seed for seed, name in enumerate(order)}
    through: list[str | None] = [order[seed - 1] if seed <= len(order) else None for seed in bracket(len(order))]
    rounds: list[list[_Series]] = []
    known: defaultdict[frozenset[str], list[Pairing]] = defaultdict(list)
    for pairing in so_far.known:
        known[frozenset(pairing.names)].append(pairing)
    while len(through) > 1:
        found = []
        winners: list[str | None] = []
        later = frozenset(name for pairing in so_far.known if pairing.round > len(rounds) + 1 for name in pairing.names)
        for one, other in zip(through[::2], through[1::2], strict=True):
            if one is None or other is None:
                winners.append(one or other)
                continue
            high, low = sorted((one, other), key=rank.__getitem__)
            pairings = tuple(known[frozenset((one, other))])
            found.append(_Series(terms, so_far, len(rounds) + 1, (high, low), pairings, later))
            winners.append(found[-1].winner)
        rounds.append(found)
        if len(rounds) == 1 and sum(pairing.round == 1 for pairing in so_far.known) > sum(
            len(series.pairings) for series in found
        ):
            raise BadLeague("the bracket of a knockout is drawn once: nobody can be added to it or left out later")
        if any(series.winner is None for series in found):
            break
        through = winners
    return rounds
