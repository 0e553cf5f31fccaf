"""Who is better, and how sure is that: a table in any of the rating systems, from the games alone.

Values in, values out. Within a pool players are ranked by rating; those that no games connect have ranks of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from msgspec import Struct

from arena.errors import BadRating
from arena.ratings import bradley_terry, elo, glicko2, plackett_luce, points
from arena.ratings.bradley_terry import Advantage
from arena.ratings.duels import Duels, Numbers, duels
from arena.ratings.estimates import PRIOR, Estimates
from arena.ratings.pools import connected
from arena.ratings.systems import FITTED, System
from db.records import RatedGame

if TYPE_CHECKING:
    from db.records import PairCount

ONLY_WON: Final = ">"
ONLY_LOST: Final = "<"
ANCHOR: Final = "anchor"
_DIGITS: Final = 6
"""Ratings that differ by less are equal."""


class Settings(Struct, frozen=True, kw_only=True):
    """What the systems can be told; each takes what concerns it."""

    prior: float = PRIOR
    anchors: Mapping[str, float] = MappingProxyType({})
    k: float = elo.K
    start: float = elo.START
    floor: float = elo.FLOOR


class Ranked(Struct, frozen=True, kw_only=True):
    """One line of a ranking."""

    rank: int | None = None
    """None: who cannot be rated."""
    rank_low: int | None = None
    """The best rank that the error bars allow."""
    rank_high: int | None = None
    """The worst one."""
    name: str
    rating: float | None = None
    error: float | None = None
    """Half the 95 % interval; None where the system knows none."""
    games: int
    wins: int
    draws: int
    losses: int
    points: float
    score: float
    """Points a game."""
    opponents: float | None = None
    """The mean rating of those it has met, each as often as they met."""
    los: float | None = None
    """How likely it is better than the next one below; None for the last one, and where the system does not tell."""
    marks: list[str] = []
    """ONLY_WON: nothing bounds its rating but the prior; ONLY_LOST likewise. ANCHOR."""
    pool: int = 1
    """Only ratings of one pool can be compared."""


class Ranking(Struct, frozen=True, kw_only=True):
    """A whole table."""

    system: System
    players: list[Ranked]
    pools: int
    advantages: dict[str, Advantage] = {}
    """What it is worth to sit first, by kind of game."""
    unrated: dict[str, str] = {}
    """Who cannot be rated, and why."""
    repeated: int = 0
    """Meetings that repeat an earlier one move for move: they count for ratings, and make no error shorter."""


def rank(
    games: Sequence[RatedGame],
    counts: Sequence[PairCount] = (),
    *,
    system: System = System.ELO,
    settings: Settings | None = None,
) -> Ranking:
    """Everybody who has a rated game. `games` are in the order of play; `counts` are for the system ELO alone."""
    chosen = settings or Settings()
    if chosen.anchors and system not in FITTED:
        raise BadRating(f"anchors are for {' and '.join(FITTED)}: {system} has numbers of its own to start from")
    match system:
        case System.ELO:
            return _fitted(games, counts, chosen)
        case System.PLACKETT_LUCE:
            found = plackett_luce.fit(games, prior=chosen.prior, anchors=chosen.anchors)
        case System.INCREMENTAL:
            rated = elo.ratings(games, k=chosen.k, start=chosen.start, floor=chosen.floor)
            found = _apart(games, {name: (one.rating, 0.0) for name, one in rated.items()})
        case System.GLICKO2:
            deviating = glicko2.ratings(glicko2.periods(games), start=chosen.start)
            found = _apart(games, {name: (one.rating, one.deviation) for name, one in deviating.items()})
        case System.POINTS:
            return by_points(points.standings(points.of(games)))
    tally = _Tally.of_games(games, found.names)
    lines = _lines(found, tally, chosen.anchors, sure=system is not System.INCREMENTAL)
    return Ranking(system=system, players=list(lines), pools=len(found.pools), repeated=found.repeated)


def usual(games: Sequence[RatedGame]) -> System:
    """How such games are usually rated."""
    return System.PLACKETT_LUCE if games and all(len(game.names) > 2 for game in games) else System.ELO


def by_points(standings: Iterable[points.Standing]) -> Ranking:
    """Standings as a ranking: the rating is the points."""
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
            marks=_marks(one.games, one.wins, one.losses),
        )
        for one in standings
    ]
    return Ranking(system=System.POINTS, players=players, pools=min(1, len(players)))


def _fitted(games: Sequence[RatedGame], counts: Sequence[PairCount], chosen: Settings) -> Ranking:
    for_two = duels(games, counts)
    seats = max((len(game.names) for game in games), default=2)
    if not len(for_two.first) and seats != 2:
        raise BadRating(f"elo is for games for two, these are for {seats}; --system plackett-luce rates those for more")
    found = bradley_terry.fit(for_two, prior=chosen.prior, anchors=chosen.anchors)
    tally = _Tally.of_duels(for_two)
    place = {name: number for number, name in enumerate(tally.names)}
    unrated = [Ranked(name=name, pool=0, **tally.of(place[name])) for name in sorted(found.unrated)]
    return Ranking(
        system=System.ELO,
        players=[*_lines(found, tally, chosen.anchors), *unrated],
        pools=len(found.pools),
        advantages=dict(found.advantages),
        unrated=dict(found.unrated),
        repeated=found.repeated,
    )


def _apart(games: Iterable[RatedGame], rated: Mapping[str, tuple[float, float]]) -> Estimates:
    """Ratings that were found one by one, each with its standard error."""
    names = tuple(sorted(rated))
    return Estimates(
        names=names,
        ratings=np.array([rated[name][0] for name in names]),
        covariance=np.diag(np.array([rated[name][1] ** 2 for name in names])),
        pools=connected(names, sorted({(game.names[0], other) for game in games for other in game.names[1:]})),
        virtual=None,
        repeated=0,
    )


class _Tally(Struct, frozen=True):
    """What everybody has come to, as columns."""

    names: tuple[str, ...]
    games: Numbers
    wins: Numbers
    losses: Numbers
    points: Numbers
    met: Numbers
    """How often each has met each other one."""

    @classmethod
    def of_duels(cls, games: Duels) -> _Tally:
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
    def of_games(cls, games: Iterable[RatedGame], names: tuple[str, ...]) -> _Tally:
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
        """What one of them has come to."""
        games, wins, losses = (int(column[place]) for column in (self.games, self.wins, self.losses))
        own = round(float(self.points[place]), 9)
        return {
            "games": games,
            "wins": wins,
            "draws": games - wins - losses,
            "losses": losses,
            "points": own,
            "score": own / games,
            "marks": _marks(games, wins, losses),
        }


def _lines(found: Estimates, tally: _Tally, anchors: Iterable[str] = (), *, sure: bool = True) -> Iterator[Ranked]:
    """A line for each player, pool after pool, the best first; not `sure`: errors are not known."""
    rated = {name: number for number, name in enumerate(found.names)}
    counted = {name: number for number, name in enumerate(tally.names)}
    ratings, errors = np.round(found.ratings, _DIGITS), found.errors() if sure else np.zeros(len(found.names))
    met = tally.met[:, [counted[name] for name in found.names]]
    for number, pool in enumerate(found.pools, 1):
        order = sorted((rated[name] for name in pool), key=lambda place: (-ratings[place], found.names[place]))
        low, high = (ratings + sign * errors for sign in (-1.0, 1.0))
        for at, place in enumerate(order):
            name, below = found.names[place], order[at + 1 : at + 2]
            own = counted[name]
            rank = 1 + int(np.sum(ratings[order] > ratings[place]))
            line = tally.of(own)
            line["marks"] += [ANCHOR] * (name in anchors)
            yield Ranked(
                rank=rank,
                rank_low=1 + int(np.sum(low[order] > high[place])) if sure else rank,
                rank_high=len(order) - int(np.sum(high[order] < low[place])) if sure else rank,
                name=name,
                rating=float(found.ratings[place]),
                error=float(errors[place]) if sure else None,
                opponents=float(met[own] @ found.ratings / met[own].sum()) if met[own].any() else None,
                los=found.superiority(place, below[0]) if sure and below else None,
                pool=number,
                **line,
            )


def _marks(games: int, wins: int, losses: int) -> list[str]:
    return [ONLY_WON] * (0 < games == wins) + [ONLY_LOST] * (0 < games == losses)
