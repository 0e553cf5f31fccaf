"""Knockout: the loser of a series is out, until one player is left.

The bracket is drawn once. The description can name the first seeds; the others are drawn with the tournament's random
seed. If the bracket is not full, the best seeds have byes. A series has `best_of` pairings; a tied series gets one more
pairing, at most `repeats` times, and then the higher seed goes through.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Annotated

from arena.errors import BadLeague
from arena.match.allowance import Whole
from arena.tournament.format import Bracket, Estimate, Format, Pairing, Series, TournamentState, Why


@dataclass(frozen=True, kw_only=True)
class Knockout(Format):
    """The format."""

    name = "knockout"
    grows = True
    has_bracket = True
    closed = "a knockout's bracket is drawn once"
    for_ladders = True
    agent_keys = ("seeds",)
    old_keys = ("best_of", "repeats", "seeds")

    best_of: Annotated[int, Whole(1, 1000)] = 1
    """Pairings in a series."""
    repeats: Annotated[int, Whole(0, 100)] = 3
    """Most extra pairings of a tied series."""
    seeds: tuple[str, ...] = ()
    """The first seeds, strongest first."""

    @property
    def length(self) -> str:
        return f"best of {self.best_of}"

    def next_round(self, so_far: TournamentState) -> list[Pairing]:
        """The next pairings, once all pairings so far are over: one more for each tied series, else the next round. The
        opponent of a withdrawn player goes through without playing."""
        for row in _rounds(self, so_far):
            series = [place.series for place in row if place.series is not None]
            if any(each.is_running for each in series):
                return []
            if more := [pairing for each in series for pairing in each.next()]:
                return more
        return []

    def needless(self, so_far: TournamentState) -> list[Pairing]:
        return [
            pairing
            for place in chain(*_rounds(self, so_far))
            if place.series is not None and place.series.winner is not None
            for pairing in place.series.pairings
            if not so_far.is_over(pairing)
        ]

    def is_decided(self, series: TournamentState) -> bool:
        first, second = series.names
        return _Series(self, series, 1, (first, second), series.known, frozenset()).winner is not None

    def bracket(self, so_far: TournamentState, forfeits: Collection[tuple[str, str]] = ()) -> Bracket:
        rounds = tuple(tuple(place.shown(forfeits) for place in row) for row in _rounds(self, so_far))
        return Bracket(tuple(self.seeding(so_far)), rounds)

    def seeding(self, so_far: TournamentState) -> list[str]:
        """All players, the strongest seed first."""
        return [*self.seeds, *(name for name in so_far.draw("order") if name not in self.seeds)]

    def pairing_count(self, players: int, seats: int) -> int:
        return self.best_of * (players - 1)

    def estimate(self, players: int, seats: int) -> Estimate:
        count = self.pairing_count(players, seats)
        return Estimate(count, count * seats, at_most=(count + self.repeats * (players - 1)) * seats)

    def most_meetings(self, players: int, seats: int) -> int:
        return self.best_of + self.repeats

    @classmethod
    def suggestions(cls, players: int, bars: Sequence[str]) -> Iterator[Knockout]:
        yield from (cls(best_of=best_of) for best_of in (1, 3))


FORMAT = Knockout


def places(players: int) -> list[int]:
    """The seeds from top to bottom (1 is the strongest), placed so that the strongest meet last: 1 8, 4 5, 2 7, 3 6.
    Seeds greater than `players` are byes."""
    seeds = [1]
    while len(seeds) < players:
        seeds = [seed for high in seeds for seed in (high, 2 * len(seeds) + 1 - high)]
    return seeds


@dataclass(frozen=True)  # without slots, for `cached_property`
class _Series:
    """Two players, one of whom goes through; the higher seed is first."""

    terms: Knockout
    so_far: TournamentState
    round: int
    names: tuple[str, str]
    pairings: tuple[Pairing, ...]
    later: frozenset[str]
    """Players who are already paired in a later round."""

    @property
    def winner(self) -> str | None:
        """The player who goes through; None while the series is undecided."""
        decision = self.decision
        return None if decision is None else decision[0]

    @cached_property
    def decision(self) -> tuple[str, Why] | None:
        """The player who goes through, and why; None while the series is undecided."""
        by_points = self._by_points
        went = next((name for name in self.names if name in self.later), None)
        if went is None or (by_points is not None and by_points[0] == went):
            return by_points
        level = len(set(self.points.values())) == 1
        other_left = any(name != went and name in self.so_far.withdrawn for name in self.names)
        return went, Why.WITHDREW if level and (other_left or not self.pairings) else Why.PAIRED

    @property
    def _by_points(self) -> tuple[str, Why] | None:
        high, low = self.names
        won = self.points
        lead = won[high] - won[low]
        to_come = sum(pairing.legs for pairing in self.pairings if not self.so_far.is_over(pairing))
        if self.pairings and abs(lead) > to_come:
            return high if lead > 0 else low, Why.WON
        if to_come:
            return None
        # A withdrawal after the last pairing does not change the winner of the series.
        out = [name for name in self.names if name in self.so_far.withdrawn]
        if len(self.pairings) >= self.terms.best_of + self.terms.repeats or len(out) == 2:
            return high, Why.TIED
        return (low if out == [high] else high, Why.WITHDREW) if out else None

    @property
    def is_running(self) -> bool:
        """Whether the series is undecided and some of its games are not over."""
        return self.winner is None and not all(map(self.so_far.is_over, self.pairings))

    def next(self) -> list[Pairing]:
        """The next pairings of the series, when all its pairings so far are over."""
        if self.winner is not None:
            return []
        first = len(self.pairings)
        count = 1 if first else self.terms.best_of
        return [self.so_far.pairing(self.names, cycle=cycle, round=self.round) for cycle in range(first, first + count)]

    @property
    def points(self) -> dict[str, float]:
        """The points of both players from the pairings that are over."""
        results = self.so_far.results
        over = [results[pairing.key] for pairing in self.pairings if pairing.key in results]
        return {name: sum(result.get(name, 0) for result in over) for name in self.names}

    @property
    def games(self) -> int:
        """Number of games that the points are from: each game is worth one point in total."""
        return round(sum(self.points.values()))


@dataclass(frozen=True, slots=True)
class _Place:
    """A place in the bracket, and the series that is played there once both players are known."""

    players: tuple[str | None, str | None]
    series: _Series | None
    bye: str | None
    """The player who goes through here without an opponent."""

    @property
    def winner(self) -> str | None:
        return self.bye if self.series is None else self.series.winner

    def shown(self, forfeits: Collection[tuple[str, str]]) -> Series:
        """The place as a `Series`, for display."""
        if self.series is None:
            return Series(self.players, winner=self.bye, why=None if self.bye is None else Why.BYE)
        winner, why = self.series.decision or (None, None)
        points = self.series.points
        if why is Why.WON and any(
            (pairing.key, name) in forfeits for pairing in self.series.pairings for name in points if name != winner
        ):
            why = Why.WITHDREW
        top, bottom = self.players
        scored = (points[top or ""], points[bottom or ""])
        return Series(self.players, points=scored, games=self.series.games, winner=winner, why=why)


def _rounds(terms: Knockout, so_far: TournamentState) -> list[list[_Place]]:
    """The rounds of the bracket, from the first to the final."""
    order = terms.seeding(so_far)
    rank = {name: seed for seed, name in enumerate(order)}
    through: list[str | None] = [order[seed - 1] if seed <= len(order) else None for seed in places(len(order))]
    rounds: list[list[_Place]] = []
    known: defaultdict[frozenset[str], list[Pairing]] = defaultdict(list)
    for pairing in so_far.known:
        known[frozenset(pairing.names)].append(pairing)
    while len(through) > 1:
        round = len(rounds) + 1
        later = frozenset(name for pairing in so_far.known if pairing.round > round for name in pairing.names)
        row = []
        for one, other in zip(through[::2], through[1::2], strict=True):
            if one is None or other is None:
                row.append(_Place((one, other), None, (one or other) if round == 1 else None))
                continue
            high, low = sorted((one, other), key=rank.__getitem__)
            pairings = tuple(known[frozenset((one, other))])
            row.append(_Place((one, other), _Series(terms, so_far, round, (high, low), pairings, later), None))
        rounds.append(row)
        if round == 1 and sum(pairing.round == 1 for pairing in so_far.known) > sum(
            len(place.series.pairings) for place in row if place.series is not None
        ):
            raise BadLeague("the bracket of a knockout is drawn once: players cannot be added or removed later")
        through = [place.winner for place in row]
    return rounds
