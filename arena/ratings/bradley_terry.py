"""Bradley-Terry: the maximum-likelihood fit of all games at the same time; their order does not matter.

The expected score of the first seat is 1 / (1 + 10^(-(first - second + advantage) / 400)), with one first-move
advantage for each kind of game. A weak prior keeps every rating finite. Standard errors come from a sandwich estimator
with a dispersion estimated from pairings (at the end of this file): the games of a pairing are not independent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from arena.errors import BadRating
from arena.ratings.duels import Duels, Numbers, Places
from arena.ratings.estimates import PRIOR, Estimates, Pools, VirtualDraws, connected, logistic, strongly_connected
from arena.ratings.scale import ELO, WIDTH

_STEPS: Final = 500
_NEAR: Final = 1e-11
_FARTHEST: Final = 4000.0 / ELO
"""Largest advantage, in log odds; a fit without a prior that exceeds it does not converge."""


class Advantage(Struct, frozen=True):
    """The first-move advantage in one kind of game."""

    elo: float
    error: float | None
    """Half the width of the 95 % confidence interval; None if the results do not determine the advantage."""
    draw_rate: float
    """The probability of a draw at an expected score of 1/2."""


class Fit(Estimates, frozen=True):
    """The ratings of all players, and the first-move advantages."""

    advantages: Mapping[str, Advantage]
    """By kind of game."""
    unrated: Mapping[str, str]
    """Players who cannot be rated, with the reason; empty if there is a prior."""


def fit(
    games: Duels,
    *,
    prior: float = PRIOR,
    anchors: Mapping[str, float] = MappingProxyType({}),
    held: Mapping[str, float] = MappingProxyType({}),
    middle: float | None = None,
) -> Fit:
    """The ratings of all players of these games.

    `prior`: the number of virtual draws of each player against a phantom rated 0, and between two phantoms in each kind
    of game. With 0 there is no prior, and players without a finite rating are `unrated`. The mean rating of a pool is
    0; or the mean rating of its `anchors` is the mean of their given ratings.

    `held`: ratings that are given, and not estimated: every other rating is relative to them, and they have no error.
    It needs a prior, and replaces `anchors`. The phantom then has the rating `middle`, by default their mean."""
    if not 0.0 <= prior < float("inf"):
        raise BadRating(f"expected a prior of 0 or more virtual draws, got {prior}")
    if prior:
        pools = connected(games.names, _edges(games, np.ones(len(games.first), dtype=bool)))
        return _Problem(games, pools, prior, held, middle).solved(anchors, {})
    pools, unrated = _comparable(games)
    rated = sorted(name for pool in pools for name in pool)
    pool_of = np.array(
        [{name: number for number, pool in enumerate(pools) for name in pool}.get(name, -1) for name in games.names]
    )
    kept = (
        (pool_of[games.first] >= 0) & (pool_of[games.first] == pool_of[games.second])
        if rated
        else np.zeros(len(games.first), dtype=bool)
    )
    return _Problem(games.where(kept, rated), pools, prior).solved(anchors, unrated)


def _edges(games: Duels, which: NDArray[np.bool_]) -> Iterator[tuple[str, str]]:
    """The distinct pairs (first seat, second seat) of those games."""
    found = np.unique(games.first[which] * len(games.names) + games.second[which])
    for first, second in zip(*np.divmod(found, len(games.names)), strict=True):
        yield games.names[first], games.names[second]


def _comparable(games: Duels) -> tuple[Pools, dict[str, str]]:
    """Without a prior: the pools in which everybody has scored against everybody, directly or through others; and the
    unrated players with the reasons."""
    scored = [*_edges(games, games.score > 0.0), *((b, a) for a, b in _edges(games, games.score < 1.0))]
    winners, losers = ({edge[side] for edge in scored if edge[0] != edge[1]} for side in (0, 1))
    groups = strongly_connected(games.names, scored)
    unrated = {}
    for (name,) in (group for group in groups if len(group) == 1):
        if name not in losers:
            unrated[name] = "won every game" if name in winners else "played only against itself"
        elif name not in winners:
            unrated[name] = "lost every game"
        else:
            unrated[name] = "won every game against some players and lost every game against the others"
    return tuple(group for group in groups if len(group) > 1), unrated


class _Problem:
    """The games as arrays, and their fit. Parameters are in log odds: first the ratings, then the advantages."""

    def __init__(
        self,
        games: Duels,
        pools: Pools,
        prior: float,
        held: Mapping[str, float] = MappingProxyType({}),
        middle: float | None = None,
    ) -> None:
        self._games, self._pools, self._prior = games, pools, prior
        self.names, self.kinds = games.names, games.kinds
        n = len(self.names)
        self._size = n + len(self.kinds)
        self._pool_places = [np.searchsorted(self.names, pool) for pool in pools]
        # Equal games are one cell, in a fixed order, so that the result does not depend on the order of the games.
        times = games.often[games.pair]
        cells, cell = np.unique((games.kind * n + games.first) * n + games.second, return_inverse=True)
        self._kind, rest = np.divmod(cells, max(1, n * n))
        self._first, self._second = np.divmod(rest, max(1, n))
        self._kind += n
        self._times = np.bincount(cell, times, len(cells))
        self._points = np.bincount(cell, times * games.score, len(cells))
        self._drawn = np.bincount(cell, times * ((games.score > 0.0) & (games.score < 1.0)), len(cells))
        # The held ratings, and the advantages that the results do not determine, which are fixed at 0.
        self._fixed = np.zeros(self._size, dtype=bool)
        # Where the fit begins. The phantom is at 0: held ratings are relative to the middle.
        self._middle = (sum(held.values()) / len(held) if held else 0.0) if middle is None else middle
        self._begin = np.zeros(self._size)
        for place, name in enumerate(self.names):
            if name in held:
                self._fixed[place] = True
                self._begin[place] = (held[name] - self._middle) / ELO
        self._is_held = bool(held)

    def solved(self, anchors: Mapping[str, float], unrated: Mapping[str, str]) -> Fit:
        """The fit."""
        values = self._maximum()
        while (undetermined := self._undetermined(values)) is not None:
            self._fixed[undetermined] = True
            values = self._maximum()
        inverse = self._inverse_information(values)
        covariance = self._sandwich(values, inverse)
        n, variances = len(self.names), np.diag(covariance)
        advantages = {kind: self._advantage(values, variances, n + number) for number, kind in enumerate(self.kinds)}
        found = Fit(
            names=self.names,
            ratings=values[:n] * ELO + self._middle,
            covariance=covariance[:n, :n] * ELO**2,
            pools=self._pools,
            virtual=VirtualDraws(self._prior, values[:n], inverse[:n, :n]),
            repeated=self._games.repeated,
            advantages=MappingProxyType(advantages),
            unrated=MappingProxyType(dict(unrated)),
        )
        return found if self._is_held else found.moved(anchors)

    def _expected(self, values: Numbers) -> Numbers:
        return logistic(values[self._first] - values[self._second] + values[self._kind])

    def _likelihood(self, values: Numbers) -> float:
        difference = values[self._first] - values[self._second] + values[self._kind]
        # log p = d - log(1 + e^d), log (1 - p) = -log(1 + e^d)
        of_games = self._points @ difference - self._times @ np.logaddexp(0.0, difference)
        return float(of_games + self._prior * np.sum(0.5 * values - np.logaddexp(0.0, values)))

    def _gradient(self, values: Numbers) -> Numbers:
        residual = self._points - self._times * self._expected(values)
        found: Numbers = np.zeros(self._size)
        for places, sign in ((self._first, 1.0), (self._second, -1.0), (self._kind, 1.0)):
            found += np.bincount(places, sign * residual, self._size)
        found += self._prior * (0.5 - logistic(values))
        found[self._fixed] = 0.0
        return found

    def _information(self, values: Numbers, prior: float) -> Numbers:
        """The Fisher information: minus the second derivatives of the log-likelihood. Without a prior only differences
        are determined; a term on the sum of each pool then makes the matrix invertible and changes nothing else."""
        expected = self._expected(values)
        weight = self._times * expected * (1.0 - expected)
        players, size = len(self.names), self._size
        found = quadratic_form(
            *(self._first, self._second, self._kind - players), weight, weight, weight, players=players, size=size
        )
        if prior:
            chance = logistic(values)
            found[np.diag_indices(size)] += prior * chance * (1.0 - chance)
        else:
            for places in self._pool_places:
                found[np.ix_(places, places)] += 1.0 / len(places)
        found[self._fixed, :] = found[:, self._fixed] = 0.0
        found[self._fixed, self._fixed] = 1.0
        return found

    def _maximum(self) -> Numbers:
        """The maximum of the log-likelihood, by Newton's method; a step that leads down is halved."""
        values = self._begin.copy()
        likelihood = self._likelihood(values)
        for _ in range(_STEPS):
            step = _solved(self._information(values, self._prior), self._gradient(values))
            step *= min(1.0, 5.0 / max(float(np.max(np.abs(step), initial=0.0)), 1e-300))
            while (after := self._likelihood(values + step)) < likelihood and np.max(np.abs(step)) > _NEAR:
                step *= 0.5
            values, likelihood = values + step, after
            if np.max(np.abs(step), initial=0.0) < _NEAR:
                break
            if not self._prior and np.max(np.abs(values)) > 2 * _FARTHEST:
                break
        return values

    def _undetermined(self, values: Numbers) -> int | None:
        """The index of an advantage that the results do not determine; None if there is none."""
        if self._prior or not self.kinds:
            return None
        free = [place for place in range(len(self.names), self._size) if not self._fixed[place]]
        if not free:
            return None
        weights, directions = np.linalg.eigh(self._information(values, 0.0))
        if weights[0] > 1e-8 and np.max(np.abs(values)) < _FARTHEST:
            return None
        # Of the direction in which the likelihood is flat, the advantage with the largest component.
        return max(free, key=lambda place: abs(directions[place, 0]))

    def _inverse_information(self, values: Numbers) -> Numbers:
        """The inverse of the Fisher information, with 0 for the fixed advantages."""
        found = _inverse(self._information(values, self._prior))
        found[self._fixed, :] = found[:, self._fixed] = 0.0
        return found

    def _sandwich(self, values: Numbers, inverse: Numbers) -> Numbers:
        """The covariance of all parameters, by the sandwich estimator with the dispersion of pairings."""
        games, players = self._games, len(self.names)
        expected = logistic(values[games.first] - values[games.second] + values[games.kind + players])
        met = cells(games, games.score - expected, expected)
        varies = meat(
            met, dispersion(met, inverse, players=players, extreme=self._extreme()), players=players, size=self._size
        )
        chance = logistic(values)
        varies[np.diag_indices(self._size)] += self._prior * chance * (1.0 - chance)
        return inverse @ varies @ inverse

    def _extreme(self) -> Places:
        """The indices of players who won every game or lost every game."""
        size = len(self.names)
        points = np.bincount(self._first, self._points, size)
        points += np.bincount(self._second, self._times - self._points, size)
        games = np.bincount(self._first, self._times, size) + np.bincount(self._second, self._times, size)
        return np.flatnonzero((points == 0.0) | (points == games))

    def _advantage(self, values: Numbers, variances: Numbers, place: int) -> Advantage:
        error = None if self._fixed[place] else WIDTH * float(np.sqrt(max(variances[place], 0.0))) * ELO
        return Advantage(float(values[place]) * ELO, error, self._draw_rate(values, place))

    def _draw_rate(self, values: Numbers, place: int) -> float:
        """The probability of a draw at an expected score of 1/2, by Davidson's model: with this probability the model
        expects as many draws as were played."""
        games = self._kind == place
        times = self._times[games]
        expected = self._expected(values)[games]
        draws = float(np.sum(self._drawn[games]))
        if draws == 0.0:
            return 0.0
        # A player's number of draws is bounded by its score.
        if draws >= float(times @ np.minimum(expected, 1.0 - expected)) * 2.0:
            return 1.0
        low, high = 0.0, 1.0
        for _ in range(40):
            rate = (low + high) / 2.0
            if float(times @ _draws(rate, expected)) < draws:
                low = rate
            else:
                high = rate
        return (low + high) / 2.0


def _draws(between_equals: float, expected: Numbers) -> Numbers:
    """The probability of a draw at that expected score: d^2 = v^2 w l, with w + d + l = 1 and w + d/2 = expected."""
    v = 2.0 * between_equals / (1.0 - between_equals)
    variance, half = expected * (1.0 - expected), v * v / 4.0
    # The positive root of (1 - v^2/4) d^2 + (v^2/2) d - v^2 variance = 0, written so that no digits cancel.
    found: Numbers = (
        4.0 * half * variance / (half + np.sqrt((half * (1.0 - 2.0 * expected)) ** 2 + 4.0 * half * variance))
    )
    return found


def _solved(matrix: Numbers, vector: Numbers) -> Numbers:
    if not len(vector):
        return vector
    try:
        found = np.linalg.solve(matrix, vector)
    except np.linalg.LinAlgError:
        found = np.linalg.lstsq(matrix, vector)[0]
    return np.asarray(found, dtype=np.float64)


def _inverse(matrix: Numbers) -> Numbers:
    try:
        found = np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        found = np.linalg.pinv(matrix)
    return np.asarray(found, dtype=np.float64)


# The dispersion of results, for the standard errors of Bradley-Terry ratings.


ALWAYS_POOLED: Final = 10.0
"""Number of pairings up to which a player has no dispersion of their own."""


class Cells(Struct, frozen=True):
    """Pairings grouped into cells, one row per cell: the same two players, the same kind of game, and either pairs of
    games or single games."""

    low: Places
    high: Places
    """The two players; `low` is the first in alphabetical order."""
    kind: Places
    group: Places
    """The group that shares one dispersion: all cells of one kind of game, pairs and single games separately."""
    distinct: Numbers
    """Number of pairings, without those that repeat another one move for move."""
    weight: Numbers
    """Number of all pairings."""
    squares: Numbers
    """The sum over distinct pairings of the square of how often each was played."""
    of_lead: Numbers
    """The sum over distinct pairings of D squared; D: the score of `low` minus its expected score."""
    of_first: Numbers
    """The sum over distinct pairings of A squared; A: the score of the first seat minus its expected score."""
    v: Numbers
    """The variance of D, and of A, for independent games without draws."""
    t: Numbers
    """The covariance of D and A for independent games without draws: v if `low` always sat first, 0 if each player sat
    first once."""


class Dispersion(Struct, frozen=True):
    """The variance relative to that of independent games without draws, cell by cell."""

    phi: Numbers
    """Of D."""
    psi: Numbers
    """Of A."""


def cells(games: Duels, residual: Numbers, expected: Numbers) -> Cells:
    """The cells of these games. By game: `expected`, the expected score of the first seat, and `residual`, its actual
    score minus the expected score."""
    players, kinds = len(games.names), len(games.kinds)
    low, high = np.minimum(games.first, games.second), np.maximum(games.first, games.second)
    sign = np.where(games.first == low, 1.0, -1.0)
    w = expected * (1.0 - expected)
    who = ((games.kind * players) + low) * players + high
    pairings, pairing = np.unique(games.pair * max(1, kinds * players**2) + who, return_inverse=True)

    def summed(of_games: Numbers) -> Numbers:
        sums: Numbers = np.bincount(pairing, of_games, len(pairings)).astype(float)
        return sums

    pair, who = np.divmod(pairings, max(1, kinds * players**2))
    is_pair = summed(np.ones(len(pairing))) > 1.0
    found, cell = np.unique(who * 2 + is_pair, return_inverse=True)
    weight, repeats = games.often[pair], games.repeats[pair]
    distinct = weight / repeats

    def counted(of_meetings: Numbers, times: Numbers) -> Numbers:
        sums: Numbers = np.bincount(cell, times * of_meetings, len(found)).astype(float)
        return sums

    number = counted(np.ones(len(pairings)), weight)
    kind, two = np.divmod(found // 2, max(1, players**2))
    return Cells(
        low=two // max(1, players),
        high=two % max(1, players),
        kind=kind,
        group=kind * 2 + found % 2,
        distinct=counted(np.ones(len(pairings)), distinct),
        weight=number,
        squares=counted(np.ones(len(pairings)), weight * repeats),
        of_lead=counted(summed(sign * residual) ** 2, distinct),
        of_first=counted(summed(residual) ** 2, distinct),
        v=counted(summed(w), weight) / number,
        t=counted(summed(sign * w), weight) / number,
    )


def dispersion(met: Cells, inverse: Numbers, *, players: int, extreme: Places) -> Dispersion:
    """The dispersion of each cell. `inverse`: M, the inverse of the Fisher information. `extreme`: players who only won
    or only lost; their results cannot show the variance, so it is at least that of independent games."""
    lead, first = _residual_pairings(met, inverse, players)
    apart = met.low != met.high  # a game of a player against itself has no lead
    phi = _pooled(met, met.of_lead, met.v * lead, apart)
    psi = _pooled(met, met.of_first, met.v * first, np.ones_like(apart))
    own = _relative_by_player(met, np.where(apart, lead, 0.0), np.where(apart, phi * met.v * lead, 0.0), players)
    phi = phi * own[met.low] * own[met.high]
    surely = np.isin(met.low, extreme) | np.isin(met.high, extreme)
    return Dispersion(np.where(surely, np.maximum(phi, 1.0), phi), psi)


def meat(met: Cells, dispersion: Dispersion, *, players: int, size: int) -> Numbers:
    """The meat matrix of the sandwich estimator (its "meat"): the covariance of the score vector."""
    pulls = met.squares * met.v * dispersion.phi
    of_first = met.squares * met.v * dispersion.psi
    both = met.squares * met.t * (dispersion.phi + dispersion.psi) / 2.0
    return quadratic_form(met.low, met.high, met.kind, pulls, both, of_first, players=players, size=size)


def quadratic_form(
    one: Places,
    other: Places,
    kind: Places,
    of_lead: Numbers,
    of_both: Numbers,
    of_kind: Numbers,
    *,
    players: int,
    size: int,
) -> Numbers:
    """The symmetric matrix of the sum over cells of `of_lead` d^2 + 2 `of_both` d k + `of_kind` k^2, where d is the
    rating of `one` minus the rating of `other`, and k the advantage in `kind`. The ratings come first."""
    # The half above the diagonal is copied: adding up each of the nine terms as a whole matrix takes three times as
    # long.
    half: Numbers = np.bincount(one * size + other, -of_lead, size * size).astype(float).reshape(size, size)
    kinds = size - players
    for_one, for_other = (
        np.bincount(player * kinds + kind, of_both, players * kinds).reshape(players, kinds) for player in (one, other)
    )
    half[:players, players:] = for_one - for_other
    found: Numbers = half + half.T
    diagonal = np.bincount(one, of_lead, size) + np.bincount(other, of_lead, size)
    diagonal += np.bincount(players + kind, of_kind, size)
    found[np.diag_indices(size)] += diagonal
    return found


def _residual_pairings(met: Cells, inverse: Numbers, players: int) -> tuple[Numbers, Numbers]:
    """The effective number of pairings whose variance of D, and of A, is left as residual after the fit (a correction
    for degrees of freedom)."""
    low, high, kind = met.low, met.high, players + met.kind
    a = inverse[low, low] + inverse[high, high] - 2.0 * inverse[low, high]
    b = inverse[low, kind] - inverse[high, kind]
    c = inverse[kind, kind]
    t = np.divide(met.t, met.v, out=np.zeros_like(met.t), where=met.v > 0.0)  # between -1 and 1
    lead = met.distinct - met.weight * met.v * (a + 2.0 * t * b + t**2 * c)
    first = met.distinct - met.weight * met.v * (t**2 * a + 2.0 * t * b + c)
    return np.maximum(lead, 0.0), np.maximum(first, 0.0)


def _pooled(met: Cells, squares: Numbers, left: Numbers, which: np.typing.NDArray[np.bool_]) -> Numbers:
    """Observed relative to expected squares, by group, with one pairing of independent games added to both."""
    groups = int(met.group.max(initial=-1)) + 1

    def summed(of_cells: Numbers) -> Numbers:
        sums: Numbers = np.bincount(met.group, np.where(which, of_cells, 0.0), groups).astype(float)
        return sums

    number = summed(met.weight)
    one = np.divide(summed(met.weight * met.v), number, out=np.ones(groups), where=number > 0.0)
    one = np.maximum(one, np.finfo(float).tiny)
    return ((summed(squares) + one) / (summed(left) + one))[met.group]


def _relative_by_player(met: Cells, pairings: Numbers, expected: Numbers, players: int) -> Numbers:
    """The dispersion of each player relative to that of all; 1 unless the players differ significantly."""

    def summed(of_cells: Numbers) -> Numbers:
        sums: Numbers = np.bincount(met.low, of_cells, players) + np.bincount(met.high, of_cells, players).astype(float)
        return sums

    g, wanted = summed(pairings), summed(expected)
    q = np.divide(
        summed(np.where(met.low != met.high, met.of_lead, 0.0)), wanted, out=np.ones(players), where=wanted > 0
    )
    free = max(0, players - 1)
    beyond_chance = float(g @ (q - 1.0) ** 2) / 2.0 - free - 2.0 * np.sqrt(2.0 * free)
    if beyond_chance <= 0.0:
        return np.ones(players)
    tau = 2.0 * beyond_chance / max(float(g.sum() - (g @ g) / g.sum()), np.finfo(float).tiny)
    proven = np.maximum(0.0, g - ALWAYS_POOLED) * tau
    found: Numbers = 1.0 + proven / (proven + 2.0) * (q - 1.0)
    return found
