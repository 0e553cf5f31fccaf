"""What a tournament format is: who plays whom, in pairings, its own keys of the description, and what else others ask
of it, such as its bracket and its sequential test.

Each format is a class under `Format` with a file of its own in `formats/`; no other module names it. An object of the
class is a format as it was described. A format is pure: the players, the results and the seed so far come in as a
`TournamentState`, which does not depend on the order in which names and results were given.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from json import dumps
from math import inf
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Self

from msgspec import Struct, json, structs

from arena.match.allowance import Whole
from arena.match.seeds import number
from arena.ratings.match_statistics import Hypothesis, Model, Sprt, pentanomial, sprt

if TYPE_CHECKING:
    from arena.tournament.description import Table


# A pairing: players who meet, with the round, the number of earlier pairings, and their seats in each of their games.


_quoted: Final = lru_cache(maxsize=10_000)(dumps)
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


Results = Mapping[str, Mapping[str, float]]
"""By the key of each pairing that is over: the points of each of its players, summed over its games."""
_Meeting = tuple[int, tuple[str, str], int]
"""The round from 0, the players, and the cycle."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The number of games of a whole tournament; a match with a sequential test can end earlier."""

    pairings: int
    games: int
    """With a bracket: the games if no series is tied."""
    at_most: int
    """Most games possible: with a bracket, if every series is tied to the end; else `games`."""


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
    seats: int = 2
    """Players per game."""

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

    def points(self) -> dict[str, float]:
        """All players' points so far; a bye is worth as many as winning all games of a pairing."""
        points = dict.fromkeys(self.names, 0.0)
        for pairing in self.known:
            for name in pairing.names:
                won = self.seats if pairing.is_bye else self.results.get(pairing.key, {}).get(name, 0)
                points[name] = points.get(name, 0) + won
        return points

    def met(self) -> Counter[tuple[str, ...]]:
        """The number of pairings of the same players (sorted names)."""
        return Counter(tuple(sorted(pairing.names)) for pairing in self.known)

    def pairing(self, names: Iterable[str], *, cycle: int, round: int, bye: bool = False) -> Pairing:
        """A new pairing of these players; or a `bye` for one."""
        return Pairing.of(names, cycle=cycle, round=round, legs=0 if bye else self.seats, seed=self.seed)


class Format(ABC):
    """A tournament format. Each is a frozen dataclass; its fields are its own keys of a description, with defaults."""

    name: ClassVar[str]
    """Its name in descriptions and in the database."""
    for_two: ClassVar[bool] = True
    """Whether it is for games of two players only."""
    grows: ClassVar[bool] = False
    """Whether later pairings depend on results; else all pairings are known from the start."""
    has_bracket: ClassVar[bool] = False
    """Whether its pairings are the series of a bracket, which is drawn once: players who lose a series are out. Then it
    has `bracket`, `is_decided` and `needless`."""
    closed: ClassVar[str] = ""
    """Why no agents can be added once it has begun, in words; empty if they can."""
    every_two_meet: ClassVar[bool] = False
    """Whether every two players meet equally often."""
    most_players: ClassVar[float] = inf
    for_ladders: ClassVar[bool] = False
    """Whether it fits the tournaments of a ladder, in which any number of agents can be."""
    agent_keys: ClassVar[tuple[str, ...]] = ()
    """Its keys that hold names of agents. The tournaments of a ladder cannot have them."""
    old_keys: ClassVar[tuple[str, ...]] = ()
    """Its keys that tournaments of all formats record, as version 1 did: default names are made of them. None in new
    formats."""

    @classmethod
    def read(cls, table: Table, agents: Sequence[str]) -> Self:
        """The format with its keys in `table`, each checked; `agents`: the names of the agents as they are listed."""
        return table.read(cls())

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Its own keys with their defaults, as JSON values."""
        return cls().settings()

    @classmethod
    def own_keys(cls) -> list[str]:
        """Its own keys of a description."""
        return [*cls.defaults()]

    def settings(self) -> dict[str, Any]:
        """Its own keys as JSON values, to be stored with the tournament."""
        found: dict[str, Any] = json.decode(json.encode(self))
        return found

    def check(self, table: Table, players: int) -> None:
        """Fails, with `table.fail`, if that number of players does not suit it."""

    def agents_named(self) -> Iterator[tuple[str, Collection[str]]]:
        """The names of agents in its keys; each key as a message shows it."""
        return ((key, getattr(self, key)) for key in self.agent_keys)

    @property
    @abstractmethod
    def length(self) -> str:
        """How long it is, in a word for tables: "2" (rounds), "best of 3"."""

    @property
    def apart(self) -> Sequence[str]:
        """Players who meet all the others and are ranked separately; if there are any, nobody else meets."""
        return ()

    @property
    def test(self) -> SprtTerms | None:
        """The sequential test that can end the tournament early."""
        return None

    def further(self, so_far: TournamentState) -> Iterator[Pairing]:
        """The pairings that follow the known ones. A pairing is never taken back."""
        while more := self.next_round(so_far):
            yield from more
            so_far = replace(so_far, known=(*so_far.known, *more))

    def next_round(self, so_far: TournamentState) -> list[Pairing]:
        """The next round; empty if there is none, or none yet. Each format has this or its own `further`."""
        return []

    @abstractmethod
    def pairing_count(self, players: int, seats: int) -> int:
        """The number of pairings of a whole tournament, if no series is tied."""

    @abstractmethod
    def most_meetings(self, players: int, seats: int) -> int:
        """The most pairings that the same players can have."""

    def estimate(self, players: int, seats: int) -> Estimate:
        """The number of games of a whole tournament of this number of players."""
        count = self.pairing_count(players, seats)
        return Estimate(count, count * seats, at_most=count * seats)

    def is_all(self, players: int, seats: int, pairings: int) -> bool:
        """Whether this number of known pairings is certainly all of them, so that none has to be looked at."""
        return False

    def needless(self, so_far: TournamentState) -> list[Pairing]:
        """Known pairings that are not over and need not be played, because their series is decided."""
        return []

    def is_decided(self, series: TournamentState) -> bool:
        """Whether a series is decided by its points. `series`: nothing but its two players and their pairings."""
        return False

    def bracket(self, so_far: TournamentState, forfeits: Collection[tuple[str, str]]) -> Bracket | None:
        """The current bracket. `forfeits`: keys of pairings, each with a player who forfeited a game of it."""
        return None

    @classmethod
    def suggestions(cls, players: int, bars: Sequence[str]) -> Iterator[Format]:
        """Formats of this kind that a plan compares. `bars`: players to measure others against, if there are any."""
        yield from ()

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, kw_only=True)
class InRounds(Format):
    """A format with a number of rounds, one after the other."""

    some_meet: ClassVar[bool] = False
    """Whether only some players meet in each round, about as if they were drawn. If it is `for_two`, a plan proposes it
    in place of a format in which every two meet, if that takes too long."""

    plan_rounds: ClassVar[tuple[int, ...]] = ()
    """The numbers of rounds that a plan compares."""

    rounds: Annotated[int, Whole(1, 100_000)] = 1

    @classmethod
    def least_rounds(cls, players: int) -> int:
        """The smallest number of rounds that makes sense."""
        return 1

    @property
    def length(self) -> str:
        return str(self.rounds)

    def most_meetings(self, players: int, seats: int) -> int:
        return self.rounds

    @classmethod
    def suggestions(cls, players: int, bars: Sequence[str]) -> Iterator[Format]:
        return (cls(rounds=rounds) for rounds in cls.plan_rounds)


@dataclass(frozen=True, kw_only=True)
class Scheduled(InRounds):
    """A format in which the same players meet in each cycle; `rounds` is the number of cycles."""

    @abstractmethod
    def meetings(self, so_far: TournamentState) -> list[list[tuple[str, str]]]:
        """Who meets whom in each round of a cycle. Withdrawn players are in it too: their games are forfeited."""
        raise NotImplementedError

    def further(self, so_far: TournamentState) -> Iterator[Pairing]:
        """One by one, so that a million games need little memory."""
        return _scheduled(so_far, self.meetings(so_far), self.rounds)

    def pairing_count(self, players: int, seats: int) -> int:
        return self.rounds * (players * (players - 1) // 2)

    def is_all(self, players: int, seats: int, pairings: int) -> bool:
        return pairings == self.pairing_count(players, seats)


def _scheduled(so_far: TournamentState, rounds: Sequence[Sequence[tuple[str, str]]], cycles: int) -> Iterator[Pairing]:
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
        yield so_far.pairing(names, cycle=cycle, round=before + at + 1)


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


# The sequential test (SPRT) of a match: its hypotheses, how it stands, and what it has decided.


DEFAULT_RISK: Final = 0.05
_CLAIMS: Final = {
    Hypothesis.H0: ("at least {} worse than", "not better than", "at most {} better than"),
    Hypothesis.H1: ("at most {} worse than", "at least as good as", "at least {} better than"),
}
"""The claim of each hypothesis if its limit is below 0, is 0, and is above 0."""
_UNITS: Final = {Model.LOGISTIC: "Elo", Model.NORMALIZED: "normalized Elo"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SprtTerms:
    """The hypotheses of a sequential test: H0, one player is at most `elo0` better than the other; H1, it is at least
    `elo1` better."""

    of: str
    """The player that the hypotheses are about."""
    elo0: float
    elo1: float
    alpha: float = DEFAULT_RISK
    """The probability of accepting H1 when H0 is true (type I error)."""
    beta: float = DEFAULT_RISK
    """The probability of accepting H0 when H1 is true (type II error)."""
    model: Model = Model.LOGISTIC

    def claim(self, hypothesis: Hypothesis, other: str) -> str:
        """What the hypothesis says about `of` and the other player, as a sentence."""
        limit = self.elo1 if hypothesis is Hypothesis.H1 else self.elo0
        worse, level, better = _CLAIMS[hypothesis]
        how = better if limit > 0 else worse if limit < 0 else level
        return f"{self.of} is {how.format(f'{abs(limit):g} {_UNITS[self.model]}')} {other}"

    def outcome(self, verdict: Hypothesis | None, other: str) -> str:
        """What is decided, as a sentence."""
        return "undecided" if verdict is None else f"{verdict} accepted: {self.claim(verdict, other)}"


class MatchTest(Sprt, frozen=True):
    """The state of a match's sequential test."""

    pairs: int
    """Number of pairs of games so far."""


@dataclass(frozen=True, slots=True)
class TestedMatch:
    """The sequential test of a match, and how it stands."""

    terms: SprtTerms
    other: str
    """The opponent of the tested player."""
    found: MatchTest

    @property
    def outcome(self) -> str:
        """What is decided, as a sentence."""
        return self.terms.outcome(self.found.verdict, self.other)

    def renamed(self, shown: Mapping[str, str]) -> TestedMatch:
        """The same with other names for the players."""
        return TestedMatch(replace(self.terms, of=shown[self.terms.of]), shown[self.other], self.found)


def line_of_match(first: str, second: str, pairs: Mapping[float, int], test: Sprt | None) -> str:
    """How a match stands, as those who test engines know it. `pairs`: as for `match_test`, of the first player."""
    counts = _counts(pairs)
    found, many = pentanomial(counts), sum(counts)
    elo = "?" if found.elo is None else f"{found.elo:+.1f}"
    parts = [
        f"Elo {elo} ± {'?' if found.error is None else f'{found.error:.1f}'}",
        f"nElo {'?' if found.normalized is None else f'{found.normalized:+.1f}'}",
        f"LOS {'?' if found.los is None else f'{found.los:.1%}'}",
        f"drawn pairs {counts[2] / many:.1%}" if many else "no pairs yet",
        f"pentanomial {counts}",
    ]
    if test is not None:
        parts.append(f"LLR {test.llr:.2f} ({test.lower:.2f}, {test.upper:.2f})")
    return f"{first} vs {second}, {2 * many:,} games in pairs: {', '.join(parts)}"


def match_test(terms: SprtTerms, pairs: Mapping[float, int]) -> MatchTest:
    """The state of the test. `pairs`: numbers of pairs of games, by the points of the player `terms.of` in a pair."""
    counts = _counts(pairs)
    stands = sprt(counts, terms.elo0, terms.elo1, terms.alpha, terms.beta, terms.model)
    return MatchTest(stands.llr, stands.lower, stands.upper, stands.verdict, pairs=sum(counts))


def _counts(pairs: Mapping[float, int]) -> list[int]:
    return [pairs.get(points, 0) for points in (0.0, 0.5, 1.0, 1.5, 2.0)]


# The bracket of a format whose losers are out: its series, who went through and why, and what it says in words.


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
            return structs.replace(series, players=(top, bottom), winner=winner)

        rounds = tuple(tuple(map(one, series)) for series in self.rounds)
        return Bracket(tuple(names[name] for name in self.seeds), rounds)
