"""The ranking: a table of players with ratings and errors, in any of the rating systems.

Values in, values out. Players are ranked within their pool; each pool has its own ranks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final

import numpy as np
from msgspec import Struct

from arena.ratings import points
from arena.ratings.bradley_terry import Advantage
from arena.ratings.duels import Duels, Numbers
from arena.ratings.estimates import PRIOR, Estimates, connected
from arena.ratings.scale import DIGITS
from db.records import PairCount, RatedGame

ONLY_WON: Final = ">"
ONLY_LOST: Final = "<"
ANCHOR: Final = "anchor"
MARKS: Final = {ONLY_WON: "won all", ONLY_LOST: "lost all", ANCHOR: "anchor"}
"""The marks of a ranking in words."""


class RankingSettings(Struct, frozen=True, kw_only=True):
    """The settings of all systems; each system uses its own."""

    prior: float = PRIOR
    anchors: Mapping[str, float] = MappingProxyType({})
    hold: bool = False
    """Whether each anchor keeps its given rating, instead of their mean; only for two players, with a prior."""
    numbers: Mapping[str, float] = MappingProxyType({})
    """Of the options that are numbers of one system, those that are given."""


class Ranked(Struct, frozen=True, kw_only=True):
    """One line of a ranking."""

    rank: int | None = None
    """None if the player cannot be rated."""
    rank_low: int | None = None
    """The best rank that the 95 % confidence intervals allow."""
    rank_high: int | None = None
    """The worst rank that the 95 % confidence intervals allow."""
    name: str
    rating: float | None = None
    error: float | None = None
    """Half the width of the 95 % confidence interval; None if the system has no errors."""
    games: int
    wins: int
    draws: int
    losses: int
    points: float
    score: float
    """Points per game."""
    opponents: float | None = None
    """The mean rating of the opponents, weighted by games."""
    los: float | None = None
    """The likelihood of superiority over the next player below; None for the last player, and if the system has no
    errors."""
    marks: list[str] = []
    """ONLY_WON or ONLY_LOST (only the prior bounds the rating), ANCHOR."""
    pool: int = 1
    """The number of the pool; only ratings within a pool can be compared."""


class Ranking(Struct, frozen=True, kw_only=True):
    """A whole table."""

    system: RatingSystem
    players: list[Ranked]
    pools: int
    advantages: dict[str, Advantage] = {}
    """The first-move advantage, by kind of game."""
    unrated: dict[str, str] = {}
    """Players who cannot be rated, with the reason."""
    repeated: int = 0
    """Number of pairings that repeat an earlier one move for move: they count for ratings but do not reduce errors."""


class RatingSystem(ABC):
    """A rating system: its name, and what it makes of results."""

    name: ClassVar[str]
    method: ClassVar[str]
    """How it computes its numbers, for the line below a table."""
    options: ClassVar[tuple[str, ...]] = ()
    """The options of `arena results rank` that it uses."""
    unit: ClassVar[str] = "Elo"
    for_points: ClassVar[bool] = False
    """Whether its numbers are points: then games count that say nothing about strength."""
    for_two: ClassVar[bool] = False
    """Whether it rates only games of two players, and takes them counted by pairing."""
    by_rounds: ClassVar[bool] = False
    """Whether it needs to know the round of each game."""

    @abstractmethod
    def rank(self, games: Sequence[RatedGame], counts: Sequence[PairCount], settings: RankingSettings) -> Ranking:
        """The ranking of all players with a rated game. `games`: in the order of play. `counts`: if it is `for_two`."""

    def __str__(self) -> str:
        return self.name


class FittedSystem(RatingSystem):
    """A system that fits all games together, with a prior and anchors."""

    options = ("anchor", "prior")

    @abstractmethod
    def fitted(
        self, games: Sequence[RatedGame], counts: Sequence[PairCount], settings: RankingSettings
    ) -> tuple[Ranking, Estimates]:
        """The ranking, and its fit."""

    def rank(self, games: Sequence[RatedGame], counts: Sequence[PairCount], settings: RankingSettings) -> Ranking:
        return self.fitted(games, counts, settings)[0]


def by_points(system: RatingSystem, standings: Iterable[points.Standing]) -> Ranking:
    """The standings as a ranking, with points as ratings."""
    players = [
        Ranked(
            rank=one.rank,
            rank_low=one.rank,
            rank_high=one.rank,
            name=one.name,
            rating=one.points,
            games=one.games,
            wins=one.wins,
            draws=one.draws,
            losses=one.losses,
            points=one.points,
            score=one.score or 0.0,
            marks=marks(one.games, one.wins, one.losses),
        )
        for one in standings
    ]
    return Ranking(system=system, players=players, pools=min(1, len(players)))


def listed(
    system: RatingSystem,
    found: Estimates,
    games: Iterable[RatedGame],
    anchors: Iterable[str] = (),
    *,
    sure: bool = True,
) -> Ranking:
    """The ranking by these estimates, with the results of the games. `sure`: whether errors are known."""
    tally = Tally.of_games(games, found.names)
    players = list(lines(found, tally, anchors, sure=sure))
    return Ranking(system=system, players=players, pools=len(found.pools), repeated=found.repeated)


def apart(games: Iterable[RatedGame], rated: Mapping[str, tuple[float, float]]) -> Estimates:
    """Independent ratings, each with its standard error, as `Estimates`."""
    names = tuple(sorted(rated))
    return Estimates(
        names=names,
        ratings=np.array([rated[name][0] for name in names]),
        covariance=np.diag(np.array([rated[name][1] ** 2 for name in names])),
        pools=connected(names, sorted({(game.names[0], other) for game in games for other in game.names[1:]})),
        virtual=None,
        repeated=0,
    )


class Tally(Struct, frozen=True):
    """The results of all players, as columns."""

    names: tuple[str, ...]
    games: Numbers
    wins: Numbers
    losses: Numbers
    points: Numbers
    met: Numbers
    """A matrix: how often each two players have met."""

    @classmethod
    def of_duels(cls, games: Duels) -> Tally:
        n, times = len(games.names), games.often[games.pair]

        def summed(of_first: Numbers, of_second: Numbers) -> Numbers:
            found: Numbers = np.zeros(n)
            for places, of in ((games.first, of_first), (games.second, of_second)):
                found += np.bincount(places, times * of, n)
            return found

        won, lost = (games.score == 1.0).astype(float), (games.score == 0.0).astype(float)
        met: Numbers = np.zeros(n * n)
        met += np.bincount(games.first * n + games.second, times, n * n)
        met = met.reshape(n, n)
        np.fill_diagonal(met, 0.0)
        return cls(
            names=games.names,
            games=summed(np.ones(len(won)), np.ones(len(won))),
            wins=summed(won, lost),
            losses=summed(lost, won),
            points=summed(games.score, 1.0 - games.score),
            met=met + met.T,
        )

    @classmethod
    def of_games(cls, games: Iterable[RatedGame], names: tuple[str, ...]) -> Tally:
        n, place = len(names), {name: number for number, name in enumerate(names)}
        tally = cls(names, np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros((n, n)))
        for game in games:
            seated = [place[name] for name in game.names if len(game.names) > 1]
            for own, share in zip(seated, game.points, strict=False):
                tally.games[own] += 1
                tally.wins[own] += share == 1.0
                tally.losses[own] += share == 0.0
                tally.points[own] += share
                for other in seated:
                    tally.met[own, other] += own != other
        return tally

    def of(self, place: int) -> dict[str, Any]:
        """The results of one player."""
        games, wins, losses = (int(column[place]) for column in (self.games, self.wins, self.losses))
        own = round(float(self.points[place]), 9)
        return {
            "games": games,
            "wins": wins,
            "draws": games - wins - losses,
            "losses": losses,
            "points": own,
            "score": own / games,
            "marks": marks(games, wins, losses),
        }


def lines(found: Estimates, tally: Tally, anchors: Iterable[str] = (), *, sure: bool = True) -> Iterator[Ranked]:
    """A line for each player, pool after pool, best first. `sure`: whether errors are known."""
    rated = {name: number for number, name in enumerate(found.names)}
    counted = {name: number for number, name in enumerate(tally.names)}
    ratings, errors = np.round(found.ratings, DIGITS), found.errors() if sure else np.zeros(len(found.names))
    met = tally.met[:, [counted[name] for name in found.names]]
    low, high = (ratings + sign * errors for sign in (-1.0, 1.0))
    for number, pool in enumerate(found.pools, 1):
        order = sorted((rated[name] for name in pool), key=lambda place: (-ratings[place], found.names[place]))
        in_pool, lowest, highest = ratings[order], low[order], high[order]
        for at, place in enumerate(order):
            name, below = found.names[place], order[at + 1 : at + 2]
            own = counted[name]
            rank = 1 + int(np.sum(in_pool > ratings[place]))
            line = tally.of(own)
            line["marks"] += [ANCHOR] * (name in anchors)
            yield Ranked(
                rank=rank,
                rank_low=1 + int(np.sum(lowest > high[place])) if sure else rank,
                rank_high=len(order) - int(np.sum(highest < low[place])) if sure else rank,
                name=name,
                rating=float(found.ratings[place]),
                error=float(errors[place]) if sure else None,
                opponents=float(met[own] @ found.ratings / met[own].sum()) if met[own].any() else None,
                los=found.superiority(place, below[0]) if sure and below else None,
                pool=number,
                **line,
            )


def marks(games: int, wins: int, losses: int) -> list[str]:
    """What a score that has no bound says: ONLY_WON or ONLY_LOST."""
    return [ONLY_WON] * (0 < games == wins) + [ONLY_LOST] * (0 < games == losses)
