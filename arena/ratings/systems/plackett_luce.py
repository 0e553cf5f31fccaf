"""Plackett-Luce: ratings for games of two or more players, from the players' final places.

A game is a sequence of choices: of the players not placed yet, each is next with a probability proportional to its
strength. For two players this is Bradley-Terry without a first-move advantage. A weak prior keeps every rating finite.

Ties: all orders of the tied players are equally likely, so of two tied players each has beaten the other in half a
game. If more than EXACT players are tied, the subsets of each size are replaced by a few weighted subsets with the same
mean and variance of the sum of strengths.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations, product
from math import comb, sqrt
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from arena.errors import BadRating
from arena.ratings.duels import Numbers, Places
from arena.ratings.estimates import PRIOR, Estimates, VirtualDraws, connected, logistic
from arena.ratings.match_statistics import repeats
from arena.ratings.ranking import FittedSystem, Ranking, RankingSettings, listed
from arena.ratings.scale import ELO
from db.records import PairCount, RatedGame

EXACT: Final = 6
"""Largest tie that is computed exactly, by enumerating all subsets."""
_LEAST: Final = 0.001
_MOST: Final = 1000.0
"""Smallest and largest prior for which the fit is numerically exact."""
_CLIMBS: Final = 10
_STEPS: Final = 200
_NEAR: Final = 1e-10
_LONGEST: Final = 5.0

Place = tuple[int, ...]
"""The players who share a place, as sorted indices."""
Order = tuple[Place, ...]
"""The places of a game, best first."""
PairingResult = tuple[tuple[Order, int], ...]
"""The results of a pairing's games, and the number of games with each result."""


def fit(
    games: Iterable[RatedGame], *, prior: float = PRIOR, anchors: Mapping[str, float] = MappingProxyType({})
) -> Estimates:
    """The ratings of all players of these games.

    `prior`: the number of virtual draws of each player against a phantom rated 0. `anchors`: see `Estimates.moved`.
    Standard errors use one dispersion for all pairings (the games of one `pair`; a game without one is its own): the
    variance of their results relative to that of independent games."""
    if not _LEAST <= prior <= _MOST:
        raise BadRating(f"expected a prior of {_LEAST:g} to {_MOST:g} virtual draws, got {prior:g}")
    played = [game for game in games if len(game.names) > 1]
    names = sorted({name for game in played for name in game.names})
    index = {name: number for number, name in enumerate(names)}
    pools = connected(names, sorted({(game.names[0], other) for game in played for other in game.names[1:]}))
    pairings = _pairing_results(played, index)
    problem = _Problem(len(names), pairings, prior)
    values = problem.maximum()
    inverse = problem.inverse(values)
    return Estimates(
        names=tuple(names),
        ratings=ELO * values,
        covariance=ELO**2 * problem.sandwich(values, inverse),
        pools=pools,
        virtual=VirtualDraws(prior, values, inverse),
        repeated=sum(many - many // often for _, many, often in pairings),
    ).moved(anchors)


def _pairing_results(games: Iterable[RatedGame], index: dict[str, int]) -> list[tuple[PairingResult, int, int]]:
    """The distinct results of pairings, each with the number of pairings and how often each of those was played with
    the same moves. Sorted, so that sums do not depend on the order of the games."""
    together: dict[object, list[RatedGame]] = {}
    for number, game in enumerate(games):
        key = (False, number) if game.pair is None else (True, game.pair)
        together.setdefault(key, []).append(game)
    ended = (Counter(_order(game, index) for game in pairing) for pairing in together.values())
    alike = Counter(
        (tuple(sorted(orders.items())), often) for orders, often in zip(ended, repeats(together.values()), strict=True)
    )
    return [(pairing, many, often) for (pairing, often), many in sorted(alike.items())]


def _order(game: RatedGame, index: dict[str, int]) -> Order:
    places: dict[float, list[int]] = {}
    for name, points in zip(game.names, game.points, strict=True):
        places.setdefault(points, []).append(index[name])
    return tuple(tuple(sorted(places[points])) for points in sorted(places, reverse=True))


class _Choice(NamedTuple):
    """The players who could have been placed next."""

    among: Place
    shares: tuple[float, ...]
    """The weight of each player's strength: 1, except in ties of more than EXACT."""
    times: float
    """How often this choice was made."""


def _choices(order: Order) -> Iterable[_Choice]:
    """The choices that led to this order; a choice among one player is left out."""
    behind: Place = ()
    for place in reversed(order):
        for left, shares, times in _subsets(len(place)) if len(place) <= EXACT else _weighted_subsets(len(place)):
            if len(left) + len(behind) > 1:
                among = tuple(place[number] for number in left) + behind
                yield _Choice(among, shares + (1.0,) * len(behind), times)
        behind = tuple(sorted(place + behind))


@cache
def _subsets(tied: int) -> list[_Choice]:
    """The players left of `tied` players while they are placed one after the other, in a uniformly random order; each
    subset with its probability."""
    return [
        _Choice(left, (1.0,) * size, 1.0 / comb(tied, size))
        for size in range(1, tied + 1)
        for left in combinations(range(tied), size)
    ]


@cache
def _weighted_subsets(tied: int) -> list[_Choice]:
    """Replaces all subsets of each size by `tied` weighted ones. In each of these, one player weighs more or less than
    the others, so that the sum of strengths has the same mean and variance as over all subsets.

    For one player left, all but one, or all, these are the exact subsets."""
    found = []
    for left, one in product(range(1, tied + 1), range(tied)):
        more = sqrt(left * (tied - left) / (tied - 1.0)) * (-1.0 if left == tied - 1 else 1.0)
        others = (left - more) / tied
        shares = {number: others + more if number == one else others for number in range(tied)}
        counting = {number: share for number, share in shares.items() if share > 1e-12}
        found.append(_Choice(tuple(counting), tuple(counting.values()), 1.0 / tied))
    return found


class _Choices(NamedTuple):
    """All choices among the same number of players, as arrays with a row for each choice."""

    pairing: Places
    among: Places
    log_shares: Numbers
    within: Numbers
    """How often each choice was made in one pairing with this result."""
    times: Numbers
    """How often it was made in all of them."""

    def made(self, values: Numbers) -> tuple[Numbers, Numbers]:
        """The probability of each player in each choice; and the log of the sum of strengths in each choice."""
        strength = values[self.among] + self.log_shares
        most = strength.max(axis=1, keepdims=True)
        above = np.exp(strength - most)
        whole = above.sum(axis=1, keepdims=True)
        return above / whole, (most + np.log(whole))[:, 0]


class _Problem:
    """The games as arrays, and their fit. `values` are natural logarithms of strengths."""

    def __init__(self, players: int, pairings: Sequence[tuple[PairingResult, int, int]], prior: float) -> None:
        self._players, self._prior = players, prior
        self._often = np.array([often for _, often, _ in pairings], dtype=np.float64)
        self._repeats = np.array([repeats for _, _, repeats in pairings], dtype=np.float64)
        orders = [(number, order, many) for number, (ended, _, _) in enumerate(pairings) for order, many in ended]
        self._choices = self._arrays(orders)
        self._extreme = _extreme(players, (order for _, order, _ in orders))
        # By pairing: how often each player was placed while others were left.
        self._placed = np.zeros((len(pairings), players))
        for number, order, many in orders:
            for place in order:
                share = 1.0 if place is not order[-1] else 1.0 - 1.0 / len(place)
                for player in place:
                    self._placed[number, player] += many * share
        self._wins: Numbers = self._often @ self._placed

    def _arrays(self, orders: Iterable[tuple[int, Order, int]]) -> list[_Choices]:
        choices_of: dict[Order, list[_Choice]] = {}
        lines: dict[int, list[tuple[int, _Choice, float]]] = {}
        for number, order, many in orders:
            if order not in choices_of:
                choices_of[order] = list(_choices(order))
            for choice in choices_of[order]:
                lines.setdefault(len(choice.among), []).append((number, choice, choice.times * many))
        return [self._array(some) for _, some in sorted(lines.items())]

    def _array(self, lines: Sequence[tuple[int, _Choice, float]]) -> _Choices:
        pairings, choices, often = zip(*lines, strict=True)
        pairing = np.array(pairings, dtype=np.intp)
        within = np.array(often, dtype=np.float64)
        return _Choices(
            pairing=pairing,
            among=np.array([choice.among for choice in choices], dtype=np.intp),
            log_shares=np.log(np.array([choice.shares for choice in choices], dtype=np.float64)),
            within=within,
            times=within * self._often[pairing],
        )

    def maximum(self) -> Numbers:
        """The maximum-likelihood strengths.

        A few steps of Hunter's MM algorithm (2004), which increases the likelihood from any start; then Newton's
        method, which converges fast near the maximum. A step that leads down is halved."""
        values: Numbers = np.zeros(self._players)
        for _ in range(_CLIMBS):
            values += np.log((self._wins + self._prior / 2.0) / self._expected(values))
        likelihood = self.likelihood(values)
        for _ in range(_STEPS):
            step = np.asarray(np.linalg.solve(self.information(values), self.gradient(values)), dtype=np.float64)
            step *= min(1.0, _LONGEST / max(_largest(step), 1e-300))
            while (after := self.likelihood(values + step)) < likelihood and _largest(step) > _NEAR:
                step *= 0.5
            values, likelihood = values + step, after
            if _largest(step) <= _NEAR * max(1.0, _largest(values)):
                break
        return values

    def likelihood(self, values: Numbers) -> float:
        """The log-likelihood of the games and of the virtual draws."""
        games = self._wins @ values - sum(some.times @ some.made(values)[1] for some in self._choices)
        return float(games + self._prior * np.sum(0.5 * values - np.logaddexp(0.0, values)))

    def gradient(self, values: Numbers) -> Numbers:
        """The first derivatives of the log-likelihood."""
        found: Numbers = self._wins + self._prior / 2.0 - self._expected(values)
        return found

    def information(self, values: Numbers) -> Numbers:
        """The Fisher information: minus the second derivatives of the log-likelihood."""
        n = self._players
        sums = np.zeros(n * n)
        for some in self._choices:
            made, _ = some.made(values)
            products = some.times[:, None, None] * made[:, :, None] * made[:, None, :]
            at = some.among[:, :, None] * n + some.among[:, None, :]
            sums -= np.bincount(at.ravel(), products.ravel(), n * n)
        found: Numbers = sums.reshape(n, n)
        # Only differences count, so a row of the games' part sums to 0. Computing the diagonal from that sum loses no
        # digits when a probability is close to 1.
        np.fill_diagonal(found, 0.0)
        np.fill_diagonal(found, self._prior * logistic(values) * logistic(-values) - found.sum(axis=1))
        return found

    def inverse(self, values: Numbers) -> Numbers:
        """M, the inverse of the Fisher information: the covariance of the strengths if all games were independent."""
        return np.asarray(np.linalg.inv(self.information(values)), dtype=np.float64)

    def sandwich(self, values: Numbers, inverse: Numbers) -> Numbers:
        """The covariance of the strengths, by the sandwich estimator with one dispersion for all pairings; compare
        `bradley_terry.py` for games of two."""
        if not self._choices:
            return inverse
        who, blocks = self._blocks(values)
        phi = self._dispersion(values, inverse, who, blocks)
        surely = np.any(np.isin(who, self._extreme) & (np.diagonal(blocks, axis1=1, axis2=2) > 0.0), axis=1)
        phis = self._often * self._repeats * np.where(surely, max(phi, 1.0), phi)
        n = self._players
        at = who[:, :, None] * n + who[:, None, :]
        flat = np.zeros(n * n)
        flat += np.bincount(at.ravel(), (phis[:, None, None] * blocks).ravel(), n * n)
        meat = flat.reshape(n, n) + np.diag(self._prior * logistic(values) * logistic(-values))
        found: Numbers = inverse @ meat @ inverse
        return found

    def _dispersion(self, values: Numbers, inverse: Numbers, who: Places, blocks: Numbers) -> float:
        """The dispersion: the squared score vectors of pairings relative to their expectation, with one expected
        pairing added to both.

        Score vectors are measured by M. The fit follows each pairing a little, which reduces the expectation."""
        score_vectors = self.score_vectors(values)
        seen = np.sum(score_vectors @ inverse * score_vectors, axis=1)
        products = inverse[who[:, :, None], who[:, None, :]] @ blocks
        expected = np.trace(products, axis1=1, axis2=2)
        followed = np.einsum("mij,mji->m", products, products)
        distinct = self._often / self._repeats
        left = max(float(distinct @ expected - self._often @ followed), 0.0)
        one = float(self._often @ expected / self._often.sum())
        return float((distinct @ seen + one) / max(left + one, np.finfo(float).tiny))

    def _blocks(self, values: Numbers) -> tuple[Places, Numbers]:
        """For each pairing its players, and its Fisher information about them, padded with 0 to the largest number of
        players."""
        n, pairings = self._players, len(self._often)
        seats = np.unique(np.concatenate([(some.pairing[:, None] * n + some.among).ravel() for some in self._choices]))
        pairing, player = np.divmod(seats, n)
        slot = np.arange(len(seats)) - np.searchsorted(pairing, pairing)
        most = int(slot.max()) + 1
        who = np.zeros((pairings, most), dtype=np.intp)
        who[pairing, slot] = player
        flat: Numbers = np.zeros(pairings * most * most)
        for some in self._choices:
            made, _ = some.made(values)
            own = slot[np.searchsorted(seats, some.pairing[:, None] * n + some.among)]
            row = (some.pairing[:, None] * most + own) * most
            products = some.within[:, None, None] * made[:, :, None] * made[:, None, :]
            flat = flat + np.bincount((row + own).ravel(), (some.within[:, None] * made).ravel(), len(flat))
            flat = flat - np.bincount((row[:, :, None] + own[:, None, :]).ravel(), products.ravel(), len(flat))
        return who, flat.reshape(pairings, most, most)

    def score_vectors(self, values: Numbers) -> Numbers:
        """The score vectors: the first derivatives of each pairing's log-likelihood, a row for each pairing."""
        n = self._players
        found = self._placed.ravel().copy()
        for some in self._choices:
            at = some.pairing[:, None] * n + some.among
            found -= np.bincount(at.ravel(), (some.within[:, None] * some.made(values)[0]).ravel(), len(found))
        return found.reshape(len(self._often), n)

    def _expected(self, values: Numbers) -> Numbers:
        """How often each player is expected to be placed before another player, including the virtual draws."""
        found: Numbers = self._prior * logistic(values)
        for some in self._choices:
            weight = some.times[:, None] * some.made(values)[0]
            found += np.bincount(some.among.ravel(), weight.ravel(), self._players)
        return found


def _extreme(players: int, orders: Iterable[Order]) -> Places:
    """The players who always came first, or always came last, without sharing the place."""
    not_first, not_last = set[int](), set[int]()
    for order in orders:
        for place in order:
            if place is not order[0] or len(place) > 1:
                not_first.update(place)
            if place is not order[-1] or len(place) > 1:
                not_last.update(place)
    return np.array([player for player in range(players) if player not in not_first & not_last], dtype=np.intp)


def _largest(values: Numbers) -> float:
    return float(np.max(np.abs(values), initial=0.0))


class _PlackettLuce(FittedSystem):
    name = "plackett-luce"
    method = "Elo (Plackett-Luce, all games together); ±: 95 % error, from pairings"

    def fitted(
        self, games: Sequence[RatedGame], counts: Sequence[PairCount], settings: RankingSettings
    ) -> tuple[Ranking, Estimates]:
        del counts
        found = fit(games, prior=settings.prior, anchors=settings.anchors)
        return listed(self, found, games, settings.anchors), found


SYSTEM: Final = _PlackettLuce()
