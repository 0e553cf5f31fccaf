"""Glicko-2: ratings by rating periods, for players whose strength changes; each has a deviation and a volatility.

It follows Mark Glickman, "Example of the Glicko-2 system" (http://www.glicko.net/glicko/glicko2.pdf), with the paper's
letters. The games of a period count together, with the ratings from before the period. The deviation of a player who
does not play grows. All numbers stay finite.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, fsum, log, pi, sqrt, tanh
from typing import Final, NamedTuple, TypeVar

from msgspec import Struct

from arena.errors import BadRating
from arena.ratings.duels import each_two
from arena.ratings.ranking import Ranking, RankingSettings, RatingSystem, apart, listed
from db.records import PairCount, RatedGame

START: Final = 1500.0
DEVIATION: Final = 350.0
VOLATILITY: Final = 0.06
TAU: Final = 0.5
FARTHEST: Final = 4000.0
"""Largest distance of a rating from the start. The method takes one step per period, which would overshoot by 100,000
points if a weak player won a thousand games in one period."""
_SCALE: Final = 173.7178
"""Rating points per unit of the Glicko-2 scale."""
_SUREST: Final = 50.0
"""Largest absolute value of half the log odds, so that the Fisher information of a game is never 0."""
_NEAR: Final = 1e-6
_STEPS: Final = 100
Key = TypeVar("Key", int, str)


class Glicko2Rating(Struct, frozen=True):
    """The rating of a player."""

    rating: float
    deviation: float
    """The standard error of the rating."""
    volatility: float
    """The expected change of the strength from one period to the next, on the Glicko-2 scale."""
    games: int = 0


class RatedOpponent(NamedTuple):
    """An opponent in a period, with its rating from before the period."""

    rating: float
    deviation: float
    score: float
    """The player's score against that opponent."""
    weight: float = 1.0
    """The weight of the game: 1 / (n - 1) for each opponent in a game of n players."""


def ratings(
    periods: Iterable[Iterable[RatedGame]],
    *,
    start: float = START,
    deviation: float = DEVIATION,
    volatility: float = VOLATILITY,
    tau: float = TAU,
) -> dict[str, Glicko2Rating]:
    """All players in alphabetical order, after these periods in their order.

    A new player has the rating `start` and the `deviation`, which is also the largest possible deviation; `tau` limits
    how fast volatilities change. Each two seats of a game for n count as 1 / (n - 1) of a game. BadRating for settings
    out of range."""
    _check(start, deviation, volatility, tau)
    new = Glicko2Rating(start, deviation, volatility)
    rated: dict[str, Glicko2Rating] = {}
    for period in periods:
        games = [game for game in period if len(game.names) > 1]
        before = {name: rated.get(name, new) for name in {*rated, *(name for game in games for name in game.names)}}
        met, played = _opponents(games, before)
        for name, player in before.items():
            after = rated_after(player, met[name], tau=tau)
            rated[name] = Glicko2Rating(
                rating=min(max(after.rating, start - FARTHEST), start + FARTHEST),
                deviation=min(after.deviation, deviation),
                volatility=after.volatility,
                games=player.games + played[name],
            )
    return dict(sorted(rated.items()))


def periods(games: Iterable[RatedGame]) -> list[list[RatedGame]]:
    """The games by round if all games have one; else by the day on which they ended, if all have one; else as one
    period. In order; a round or day without games is not a period."""
    everything = list(games)
    rounds = [game.round for game in everything if game.round is not None]
    if len(rounds) == len(everything):
        return _by(rounds, everything)
    days = [game.finished[:10] for game in everything if game.finished is not None]
    return _by(days, everything) if len(days) == len(everything) else [everything]


def rated_after(player: Glicko2Rating, met: Sequence[RatedOpponent], *, tau: float = TAU) -> Glicko2Rating:
    """The rating of a player after a period with these opponents; its count of games does not change."""
    phi = player.deviation / _SCALE
    if not met:
        return Glicko2Rating(
            player.rating,
            _SCALE * sqrt(phi * phi + player.volatility * player.volatility),
            player.volatility,
            player.games,
        )
    pull, information = [], []
    for opponent in met:
        g = 1.0 / sqrt(1.0 + 3.0 * (opponent.deviation / _SCALE) ** 2 / pi**2)
        half = min(max(g * (player.rating - opponent.rating) / _SCALE / 2.0, -_SUREST), _SUREST)
        pull.append(opponent.weight * g * (opponent.score - 0.5 * (1.0 + tanh(half))))
        # E (1 - E), computed from the odds, because 1 - E loses digits when E is close to 1.
        odds = exp(-2.0 * abs(half))
        information.append(opponent.weight * g * g * odds / (1.0 + odds) ** 2)
    v = 1.0 / fsum(information)
    total = fsum(pull)
    sigma = _volatility(player.volatility, phi, v, v * total, tau)
    phi = 1.0 / sqrt(1.0 / sqrt(phi * phi + sigma * sigma) ** 2 + 1.0 / v)
    return Glicko2Rating(player.rating + _SCALE * phi * phi * total, _SCALE * phi, sigma, player.games)


def _volatility(sigma: float, phi: float, v: float, delta: float, tau: float) -> float:
    """Step 5 of the paper: the root of f by the Illinois method (regula falsi), between two points that bracket it."""
    a = log(sigma * sigma)

    def f(x: float) -> float:
        spread = phi * phi + v + exp(x)
        return exp(x) * (delta * delta - spread) / (2.0 * spread * spread) - (x - a) / (tau * tau)

    low, excess = a, delta * delta - phi * phi - v
    if excess > 0.0:
        high = log(excess)
    else:
        high = a - tau
        while f(high) < 0.0:  # ends: after k steps f is at least k / tau - 1/2
            high -= tau
    f_low, f_high = f(low), f(high)
    for _ in range(_STEPS):
        if abs(high - low) <= _NEAR or f_high == f_low:
            break
        between = low + (low - high) * f_low / (f_high - f_low)
        f_between = f(between)
        if f_between * f_high <= 0.0:
            low, f_low = high, f_high
        else:
            f_low /= 2.0
        high, f_high = between, f_between
    return exp(low / 2.0)


def _opponents(
    games: Iterable[RatedGame], before: dict[str, Glicko2Rating]
) -> tuple[dict[str, list[RatedOpponent]], dict[str, int]]:
    """For each player the opponents, and the number of games."""
    met: dict[str, list[RatedOpponent]] = {name: [] for name in before}
    played = dict.fromkeys(before, 0)
    for game in games:
        for name in set(game.names):
            played[name] += 1
        weight = 1.0 / (len(game.names) - 1)
        for one, other, score in each_two(game):
            if one != other:
                met[one].append(RatedOpponent(before[other].rating, before[other].deviation, score, weight))
                met[other].append(RatedOpponent(before[one].rating, before[one].deviation, 1.0 - score, weight))
    return met, played


def _by(keys: list[Key], games: list[RatedGame]) -> list[list[RatedGame]]:
    together: dict[Key, list[RatedGame]] = {}
    for key, game in zip(keys, games, strict=True):
        together.setdefault(key, []).append(game)
    return [together[key] for key in sorted(together)]


def _check(start: float, deviation: float, volatility: float, tau: float) -> None:
    if not abs(start) <= 1e6:
        raise BadRating(f"expected a start from -1e+06 to 1e+06, got {start:g}")
    for name, number, most in (("deviation", deviation, 1e4), ("volatility", volatility, 10.0), ("tau", tau, 10.0)):
        if not 1e-6 <= number <= most:
            raise BadRating(f"expected a {name} from 1e-06 to {most:g}, got {number:g}")


class _Glicko2(RatingSystem):
    name = "glicko2"
    method = "Glicko-2, updated after each round or day; ±: 95 % error"
    options = ("start",)
    by_rounds = True

    def rank(self, games: Sequence[RatedGame], counts: Sequence[PairCount], settings: RankingSettings) -> Ranking:
        del counts
        rated = ratings(periods(games), start=settings.numbers.get("start", START))
        return listed(self, apart(games, {name: (one.rating, one.deviation) for name, one in rated.items()}), games)


SYSTEM: Final = _Glicko2()
