"""Knockout: the loser of a series is out, until one player is left.

The bracket is drawn once. The description can name the first seeds; the others are drawn with the tournament's random
seed. If the bracket is not full, the best seeds have byes. A series has `best_of` pairings; a tied series gets one more
pairing, at most `repeats` times, and then the higher seed goes through.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import BadLeague
from arena.tournament.formats.pairing import Pairing
from arena.tournament.formats.tournament_state import Terms, TournamentState


class Why(StrEnum):
    """Why a player went through."""

    WON = "won"
    TIED = "tied, higher seed"
    WITHDREW = "opponent withdrew"
    """The opponent withdrew or was quarantined."""
    BYE = "bye"
    PAIRED = "already paired"
    """A ruling changed the result after the next round was paired."""


class Series(Struct, frozen=True):
    """A place in the bracket: two players, one of whom goes through."""

    players: tuple[str | None, str | None]
    """From top to bottom; None for a bye's missing player (see `why`), or for a player who is not known yet."""
    points: tuple[float, float] = (0.0, 0.0)
    games: int = 0
    """Number of games that the points are from."""
    winner: str | None = None
    """The player who went through; None while the series is undecided."""
    why: Why | None = None


@dataclass(frozen=True, slots=True)
class Bracket:
    """The whole knockout: all series, and who went through."""

    seeds: tuple[str, ...]
    """All players, the strongest seed first."""
    rounds: tuple[tuple[Series, ...], ...]
    """From the first round to the final, each from top to bottom; the winners of places 2i and 2i+1 meet in place i of
    the next round."""
    _seed: dict[str, int] = field(init=False, repr=False, compare=False)
    _series: dict[str, list[tuple[int, Series]]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_seed", {name: seed for seed, name in enumerate(self.seeds, 1)})
        object.__setattr__(self, "_series", {name: [] for name in self.seeds})
        for round, series in enumerate(self.rounds, 1):
            for one in series:
                for name in one.players:
                    if name is not None:
                        self._series[name].append((round, one))

    @property
    def winner(self) -> str | None:
        """The winner of the knockout; None while it is undecided."""
        return self.rounds[-1][0].winner

    def seed(self, name: str) -> int:
        """The player's seed, from 1."""
        return self._seed[name]

    def title(self, round: int) -> str:
        """The name of the round; rounds are counted from 1."""
        return "Final" if round == len(self.rounds) else f"Round {round}"

    def reached(self, name: str) -> str:
        """The last round that the player reached, or "winner"."""
        return "winner" if name == self.winner else self.title(self.of(name)[-1][0]).lower()

    def of(self, name: str) -> list[tuple[int, Series]]:
        """The series of a player, including byes, each with its round."""
        return self._series[name]

    def sentence(self, series: Series, statuses: Mapping[str, str]) -> str:
        """The state of a series, in a sentence; empty if neither player is known. `statuses`: by player, such as
        "withdrawn"."""
        named = [f"{name} ({self.seed(name)})" for name in series.players if name is not None]
        score = [f"{points:g}" for points in series.points]
        if series.winner is not None and series.winner == series.players[1]:
            named.reverse()
            score.reverse()
        through, *other = named or [""]
        if series.why is Why.BYE:
            return f"{through} has a bye"
        if not other:
            return f"{through} waits for the other player" if through else ""
        if series.winner is None:
            stands = f"{'-'.join(score)} so far" if series.games else "no result yet"
            return f"{through} against {other[0]}: {stands}"
        result = "-".join(score) if series.games else "without a game"
        match series.why:
            case Why.TIED:
                return f"{through} and {other[0]} tied {result}: {series.winner} goes through as the higher seed"
            case Why.WITHDREW:
                return f"{through} goes through against {other[0]} {result}: {self.who_left(series, statuses)}"
            case Why.PAIRED:
                return f"{through} went through against {other[0]} before a ruling; now the score is {result}"
            case _:
                return f"{through} beat {other[0]} {result}"

    def who_left(self, series: Series, statuses: Mapping[str, str]) -> str:
        """The player who left the series to the other one, and how: "alice withdrew"."""
        loser = next(name for name in series.players if name is not None and name != series.winner)
        how = {"withdrawn": "withdrew", "quarantined": "was quarantined"}.get(statuses.get(loser, ""), "forfeited")
        return f"{loser} {how}"

    def places(self) -> dict[str, tuple[float, ...]]:
        """By name, the keys that rank the players, higher is better: the round that the player reached, whether it is
        still in, and (among players who lost in the same round) its share of the points of that series."""
        return {name: self._place(name, *series[-1]) for name, series in self._series.items()}

    def _place(self, name: str, round: int, last: Series) -> tuple[float, ...]:
        if last.winner is None:
            return round, 1.0, 0.0
        if last.winner == name:
            return round + 1, 1.0, 0.0
        points = last.points[last.players.index(name)]
        return round, 0.0, points / last.games if last.games else 0.0

    def renamed(self, names: Mapping[str, str]) -> Bracket:
        """The same bracket with other names."""

        def one(series: Series) -> Series:
            top, bottom = (None if name is None else names[name] for name in series.players)
            winner = None if series.winner is None else names[series.winner]
            return replace(series, players=(top, bottom), winner=winner)

        rounds = tuple(tuple(map(one, series)) for series in self.rounds)
        return Bracket(tuple(names[name] for name in self.seeds), rounds)


def further(terms: Terms, so_far: TournamentState) -> list[Pairing]:
    """The next pairings, once all pairings so far are over: one more for each tied series, else the next round. The
    opponent of a withdrawn player goes through without playing."""
    for places in _rounds(terms, so_far):
        series = [place.series for place in places if place.series is not None]
        if any(each.is_running for each in series):
            return []
        if more := [pairing for each in series for pairing in each.next()]:
            return more
    return []


def needless(terms: Terms, so_far: TournamentState) -> list[Pairing]:
    """Known pairings that are not over and need not be played, because their series is decided."""
    return [
        pairing
        for place in chain(*_rounds(terms, so_far))
        if place.series is not None and place.series.winner is not None
        for pairing in place.series.pairings
        if not so_far.is_over(pairing)
    ]


def is_decided(terms: Terms, so_far: TournamentState) -> bool:
    """Whether the series of two players is decided by its points. `so_far`: nothing but these players and pairings."""
    first, second = so_far.names
    return _Series(terms, so_far, 1, (first, second), so_far.known, frozenset()).winner is not None


def bracket_so_far(terms: Terms, so_far: TournamentState, forfeits: Collection[tuple[str, str]] = ()) -> Bracket:
    """The current bracket. `forfeits`: keys of pairings, each with a player who forfeited a game of that pairing."""
    rounds = tuple(tuple(place.shown(forfeits) for place in places) for places in _rounds(terms, so_far))
    return Bracket(tuple(seeding(terms, so_far)), rounds)


def bracket(players: int) -> list[int]:
    """The seeds from top to bottom (1 is the strongest), placed so that the strongest meet last: 1 8, 4 5, 2 7, 3 6.
    Seeds greater than `players` are byes."""
    seeds = [1]
    while len(seeds) < players:
        seeds = [seed for high in seeds for seed in (high, 2 * len(seeds) + 1 - high)]
    return seeds


def seeding(terms: Terms, so_far: TournamentState) -> list[str]:
    """All players, the strongest seed first."""
    return [*terms.seeds, *(name for name in so_far.draw("order") if name not in terms.seeds)]


@dataclass(frozen=True)  # without slots, for `cached_property`
class _Series:
    """Two players, one of whom goes through; the higher seed is first."""

    terms: Terms
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
        return [
            self.so_far.pairing(self.names, cycle=cycle, round=self.round, legs=self.terms.seats)
            for cycle in range(first, first + count)
        ]

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


def _rounds(terms: Terms, so_far: TournamentState) -> list[list[_Place]]:
    """The rounds of the bracket, from the first to the final."""
    order = seeding(terms, so_far)
    rank = {name: seed for seed, name in enumerate(order)}
    through: list[str | None] = [order[seed - 1] if seed <= len(order) else None for seed in bracket(len(order))]
    rounds: list[list[_Place]] = []
    known: defaultdict[frozenset[str], list[Pairing]] = defaultdict(list)
    for pairing in so_far.known:
        known[frozenset(pairing.names)].append(pairing)
    while len(through) > 1:
        round = len(rounds) + 1
        later = frozenset(name for pairing in so_far.known if pairing.round > round for name in pairing.names)
        places = []
        for one, other in zip(through[::2], through[1::2], strict=True):
            if one is None or other is None:
                places.append(_Place((one, other), None, (one or other) if round == 1 else None))
                continue
            high, low = sorted((one, other), key=rank.__getitem__)
            pairings = tuple(known[frozenset((one, other))])
            places.append(_Place((one, other), _Series(terms, so_far, round, (high, low), pairings, later), None))
        rounds.append(places)
        if round == 1 and sum(pairing.round == 1 for pairing in so_far.known) > sum(
            len(place.series.pairings) for place in places if place.series is not None
        ):
            raise BadLeague("the bracket of a knockout is drawn once: players cannot be added or removed later")
        through = [place.winner for place in places]
    return rounds
