"""Plackett-Luce: games of two and more, from the order in which they leave their players.

Of those still to be placed each is the next with a chance in proportion to its strength; so who beats the strong gains
more than who beats the weak, in games of any size. For two players it is Bradley-Terry without an advantage for who
sits first, and like there a little prior keeps every rating finite, whatever the results.

Who shares a place is taken in each order alike: of two, each has beaten the other in half a game. Where more than
EXACT share one, all subsets of so many of them are replaced by a few whose strengths have the same average and spread.
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
from arena.ratings.estimates import ELO, PRIOR, Estimates, VirtualDraws, logistic
from arena.ratings.meetings import repeats
from arena.ratings.pools import connected
from db.records import RatedGame

EXACT: Final = 6
"""So many may share a place without any approximation: their subsets are gone through."""
_LEAST: Final = 0.001
_MOST: Final = 1000.0
"""Within these priors the fit is sure to keep its digits."""
_CLIMBS: Final = 10
_STEPS: Final = 200
_NEAR: Final = 1e-10
_LONGEST: Final = 5.0

Place = tuple[int, ...]
"""Who shares one, as indices in alphabetical order."""
Order = tuple[Place, ...]
"""How a game ended, best first."""
Meeting = tuple[tuple[Order, int], ...]
"""How its games ended, and how many just so."""


def fit(
    games: Iterable[RatedGame], *, prior: float = PRIOR, anchors: Mapping[str, float] = MappingProxyType({})
) -> Estimates:
    """The ratings of everybody who has played.

    `prior`: so many virtual draws of each player, against a phantom rated 0. `anchors`: see `Estimates.moved`. Errors
    come from one number for all meetings (the games of one `pair`; without one, each game): how much more or less they
    differ from what the fit expects than independent games would."""
    if not _LEAST <= prior <= _MOST:
        raise BadRating(f"expected a prior of {_LEAST:g} to {_MOST:g} virtual draws, got {prior:g}")
    played = [game for game in games if len(game.names) > 1]
    names = sorted({name for game in played for name in game.names})
    index = {name: number for number, name in enumerate(names)}
    pools = connected(names, sorted({(game.names[0], other) for game in played for other in game.names[1:]}))
    meetings = _meetings(played, index)
    problem = _Problem(len(names), meetings, prior)
    values = problem.maximum()
    known = problem.known(values)
    return Estimates(
        names=tuple(names),
        ratings=ELO * values,
        covariance=ELO**2 * problem.sandwich(values, known),
        pools=pools,
        virtual=VirtualDraws(prior, values, known),
        repeated=sum(many - many // often for _, many, often in meetings),
    ).moved(anchors)


def _meetings(games: Iterable[RatedGame], index: dict[str, int]) -> list[tuple[Meeting, int, int]]:
    """How the games of each meeting ended, how many meetings went just so, and how often each of those was played,
    move for move. Sorted: sums are then the same whatever the order in which the games came."""
    together: dict[object, list[RatedGame]] = {}
    for number, game in enumerate(games):
        key = (False, number) if game.pair is None else (True, game.pair)
        together.setdefault(key, []).append(game)
    ended = (Counter(_order(game, index) for game in meeting) for meeting in together.values())
    alike = Counter(
        (tuple(sorted(orders.items())), often) for orders, often in zip(ended, repeats(together.values()), strict=True)
    )
    return [(meeting, many, often) for (meeting, often), many in sorted(alike.items())]


def _order(game: RatedGame, index: dict[str, int]) -> Order:
    places: dict[float, list[int]] = {}
    for name, points in zip(game.names, game.points, strict=True):
        places.setdefault(points, []).append(index[name])
    return tuple(tuple(sorted(places[points])) for points in sorted(places, reverse=True))


class _Choice(NamedTuple):
    """Who could have been placed next."""

    among: Place
    shares: tuple[float, ...]
    """How much of the strength of each counts: all of it, but in ties of many."""
    times: float
    """How often it was made."""


def _choices(order: Order) -> Iterable[_Choice]:
    """The choices that led to this order. A choice among one is none, but in a tie: the last of a place that is the
    last of the game."""
    behind: Place = ()
    for place in reversed(order):
        for left, shares, times in _subsets(len(place)) if len(place) <= EXACT else _spread(len(place)):
            if len(left) + len(behind) > 1:
                among = tuple(place[number] for number in left) + behind
                yield _Choice(among, shares + (1.0,) * len(behind), times)
        behind = tuple(sorted(place + behind))


@cache
def _subsets(tied: int) -> list[_Choice]:
    """Who is left of so many while they are placed one after the other, each subset as likely as all orders make it."""
    return [
        _Choice(left, (1.0,) * size, 1.0 / comb(tied, size))
        for size in range(1, tied + 1)
        for left in combinations(range(tied), size)
    ]


@cache
def _spread(tied: int) -> list[_Choice]:
    """Instead of all subsets of a size one for each of so many: it counts for so much more or less than the others
    that the sums of strengths have the average and the variance that they have over all subsets.

    Where one is left, or all but one, or all, these are the subsets themselves."""
    found = []
    for left, one in product(range(1, tied + 1), range(tied)):
        more = sqrt(left * (tied - left) / (tied - 1.0)) * (-1.0 if left == tied - 1 else 1.0)
        others = (left - more) / tied
        shares = {number: others + more if number == one else others for number in range(tied)}
        counting = {number: share for number, share in shares.items() if share > 1e-12}
        found.append(_Choice(tuple(counting), tuple(counting.values()), 1.0 / tied))
    return found


class _Choices(NamedTuple):
    """All choices among so many, as arrays with a line for each."""

    meeting: Places
    among: Places
    log_shares: Numbers
    within: Numbers
    """How often each was made in such a meeting."""
    times: Numbers
    """How often in all of them."""

    def made(self, values: Numbers) -> tuple[Numbers, Numbers]:
        """The chance of each of whom could have been placed; and the log of what these are shares of."""
        strength = values[self.among] + self.log_shares
        most = strength.max(axis=1, keepdims=True)
        above = np.exp(strength - most)
        whole = above.sum(axis=1, keepdims=True)
        return above / whole, (most + np.log(whole))[:, 0]


class _Problem:
    """The games as arrays, and the strengths that fit them, as natural logarithms."""

    def __init__(self, players: int, meetings: Sequence[tuple[Meeting, int, int]], prior: float) -> None:
        self._players, self._prior = players, prior
        self._often = np.array([often for _, often, _ in meetings], dtype=np.float64)
        self._repeats = np.array([repeats for _, _, repeats in meetings], dtype=np.float64)
        orders = [(number, order, many) for number, (ended, _, _) in enumerate(meetings) for order, many in ended]
        self._choices = self._arrays(orders)
        self._extreme = _extreme(players, (order for _, order, _ in orders))
        # How often each was placed while somebody else was left, by meeting.
        self._placed = np.zeros((len(meetings), players))
        for number, order, many in orders:
            for place in order:
                share = 1.0 if place is not order[-1] else 1.0 - 1.0 / len(place)
                for player in place:
                    self._placed[number, player] += many * share
        self._wins: Numbers = self._often @ self._placed

    def _arrays(self, orders: Iterable[tuple[int, Order, int]]) -> list[_Choices]:
        known: dict[Order, list[_Choice]] = {}
        lines: dict[int, list[tuple[int, _Choice, float]]] = {}
        for number, order, many in orders:
            if order not in known:
                known[order] = list(_choices(order))
            for choice in known[order]:
                lines.setdefault(len(choice.among), []).append((number, choice, choice.times * many))
        return [self._array(some) for _, some in sorted(lines.items())]

    def _array(self, lines: Sequence[tuple[int, _Choice, float]]) -> _Choices:
        meetings, choices, often = zip(*lines, strict=True)
        meeting = np.array(meetings, dtype=np.intp)
        within = np.array(often, dtype=np.float64)
        return _Choices(
            meeting=meeting,
            among=np.array([choice.among for choice in choices], dtype=np.intp),
            log_shares=np.log(np.array([choice.shares for choice in choices], dtype=np.float64)),
            within=within,
            times=within * self._often[meeting],
        )

    def maximum(self) -> Numbers:
        """The strengths that make the games most likely.

        A few steps of Hunter's MM algorithm (2004), each of which leads up from anywhere; then Newton's, which is
        quick close to the top, with steps halved as long as they lead down."""
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
        """The log likelihood of the games and of the virtual draws."""
        games = self._wins @ values - sum(some.times @ some.made(values)[1] for some in self._choices)
        return float(games + self._prior * np.sum(0.5 * values - np.logaddexp(0.0, values)))

    def gradient(self, values: Numbers) -> Numbers:
        """Its first derivatives."""
        found: Numbers = self._wins + self._prior / 2.0 - self._expected(values)
        return found

    def information(self, values: Numbers) -> Numbers:
        """Minus its second derivatives."""
        n = self._players
        sums = np.zeros(n * n)
        for some in self._choices:
            made, _ = some.made(values)
            products = some.times[:, None, None] * made[:, :, None] * made[:, None, :]
            at = some.among[:, :, None] * n + some.among[:, None, :]
            sums -= np.bincount(at.ravel(), products.ravel(), n * n)
        found: Numbers = sums.reshape(n, n)
        # Only differences count: a line sums to 0. Added up like that no digits are lost where a chance is close to 1.
        np.fill_diagonal(found, 0.0)
        np.fill_diagonal(found, self._prior * logistic(values) * logistic(-values) - found.sum(axis=1))
        return found

    def known(self, values: Numbers) -> Numbers:
        """M, the inverse of the information: the covariance of the strengths if all games were independent."""
        return np.asarray(np.linalg.inv(self.information(values)), dtype=np.float64)

    def sandwich(self, values: Numbers, known: Numbers) -> Numbers:
        """The covariance of the strengths, from one spread of all meetings; as for games of two in `spread.py`."""
        if not self._choices:
            return known
        who, blocks = self._blocks(values)
        phi = self._spread(values, known, who, blocks)
        surely = np.any(np.isin(who, self._extreme) & (np.diagonal(blocks, axis1=1, axis2=2) > 0.0), axis=1)
        phis = self._often * self._repeats * np.where(surely, max(phi, 1.0), phi)
        n = self._players
        at = who[:, :, None] * n + who[:, None, :]
        flat = np.zeros(n * n)
        flat += np.bincount(at.ravel(), (phis[:, None, None] * blocks).ravel(), n * n)
        middle = flat.reshape(n, n) + np.diag(self._prior * logistic(values) * logistic(-values))
        found: Numbers = known @ middle @ known
        return found

    def _spread(self, values: Numbers, known: Numbers, who: Places, blocks: Numbers) -> float:
        """How often as large as expected the squared pulls of meetings are, with one expected meeting added.

        Pulls are measured by M; the fit follows each meeting a little, and so leaves less of it."""
        pulls = self.pulls(values)
        seen = np.sum(pulls @ known * pulls, axis=1)
        products = known[who[:, :, None], who[:, None, :]] @ blocks
        expected = np.trace(products, axis1=1, axis2=2)
        followed = np.einsum("mij,mji->m", products, products)
        unlike = self._often / self._repeats
        left = max(float(unlike @ expected - self._often @ followed), 0.0)
        one = float(self._often @ expected / self._often.sum())
        return float((unlike @ seen + one) / max(left + one, np.finfo(float).tiny))

    def _blocks(self, values: Numbers) -> tuple[Places, Numbers]:
        """For each meeting its players and its information about them: minus the second derivatives of its log
        likelihood. Where it has fewer players than others, the rest is 0."""
        n, meetings = self._players, len(self._often)
        seats = np.unique(np.concatenate([(some.meeting[:, None] * n + some.among).ravel() for some in self._choices]))
        meeting, player = np.divmod(seats, n)
        slot = np.arange(len(seats)) - np.searchsorted(meeting, meeting)
        most = int(slot.max()) + 1
        who = np.zeros((meetings, most), dtype=np.intp)
        who[meeting, slot] = player
        flat: Numbers = np.zeros(meetings * most * most)
        for some in self._choices:
            made, _ = some.made(values)
            own = slot[np.searchsorted(seats, some.meeting[:, None] * n + some.among)]
            row = (some.meeting[:, None] * most + own) * most
            products = some.within[:, None, None] * made[:, :, None] * made[:, None, :]
            flat = flat + np.bincount((row + own).ravel(), (some.within[:, None] * made).ravel(), len(flat))
            flat = flat - np.bincount((row[:, :, None] + own[:, None, :]).ravel(), products.ravel(), len(flat))
        return who, flat.reshape(meetings, most, most)

    def pulls(self, values: Numbers) -> Numbers:
        """The derivatives of what each meeting adds to the log likelihood, a line for each."""
        n = self._players
        found = self._placed.ravel().copy()
        for some in self._choices:
            at = some.meeting[:, None] * n + some.among
            found -= np.bincount(at.ravel(), (some.within[:, None] * some.made(values)[0]).ravel(), len(found))
        return found.reshape(len(self._often), n)

    def _expected(self, values: Numbers) -> Numbers:
        """How often each is expected to be placed before somebody else, virtual draws with them."""
        found: Numbers = self._prior * logistic(values)
        for some in self._choices:
            weight = some.times[:, None] * some.made(values)[0]
            found += np.bincount(some.among.ravel(), weight.ravel(), self._players)
        return found


def _extreme(players: int, orders: Iterable[Order]) -> Places:
    """Who was always placed before all others, or always behind them."""
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
