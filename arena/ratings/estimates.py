"""Ratings that were estimated together, on the Elo scale, with their covariance matrix; and pools of players.

Bradley-Terry and Plackett-Luce return them. Only differences of ratings within a pool have a meaning; the zero point is
a convention: the mean is 0, or it follows from anchors.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from math import erf, sqrt
from typing import Final, Self

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from adsearch.errors import quote
from arena.errors import BadRating
from arena.ratings.duels import Numbers
from arena.ratings.scale import ELO, WIDTH

# Pools: groups of players that games connect, so that their ratings can be compared.


Pools = tuple[tuple[str, ...], ...]


def connected(names: Collection[str], met: Iterable[tuple[str, str]]) -> Pools:
    """The connected components of the graph of who met whom."""
    leader = {name: name for name in names}

    def lead(name: str) -> str:
        while leader[name] != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    apart = len(leader)
    for one, other in met:
        if apart == 1:
            break  # all are connected: the other meetings change nothing
        if (first := lead(one)) != (second := lead(other)):
            leader[first] = second
            apart -= 1
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(lead(name), []).append(name)
    return _in_order(groups.values())


def strongly_connected(names: Collection[str], scored: Iterable[tuple[str, str]]) -> Pools:
    """The strongly connected components of the graph of who scored against whom (Tarjan's algorithm)."""
    against: dict[str, list[str]] = {name: [] for name in names}
    for one, other in scored:
        against[one].append(other)
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    path: list[str] = []
    on_path: set[str] = set()
    groups: list[list[str]] = []
    for root in names:
        if root in number:
            continue
        visits = [(root, iter(against[root]))]
        number[root] = lowest[root] = len(number)
        path.append(root)
        on_path.add(root)
        while visits:
            name, left = visits[-1]
            for other in left:
                if other not in number:
                    number[other] = lowest[other] = len(number)
                    path.append(other)
                    on_path.add(other)
                    visits.append((other, iter(against[other])))
                    break
                if other in on_path:
                    lowest[name] = min(lowest[name], number[other])
            else:
                visits.pop()
                if visits:
                    above = visits[-1][0]
                    lowest[above] = min(lowest[above], lowest[name])
                if lowest[name] == number[name]:
                    at = path.index(name)
                    groups.append(path[at:])
                    on_path.difference_update(path[at:])
                    del path[at:]
    return _in_order(groups)


def _in_order(groups: Iterable[Collection[str]]) -> Pools:
    return tuple(sorted((tuple(sorted(group)) for group in groups), key=lambda group: (-len(group), group)))


PRIOR: Final = 1.0
"""Default number of virtual draws of each player."""

_NOTHING: Final = 1e-6
"""Numbers below this are rounding errors, in Elo."""


class VirtualDraws(Struct, frozen=True):
    """The fit before anchors, in log odds, with a prior of `prior` draws of each player against a phantom rated 0."""

    prior: float
    values: Numbers
    inverse: Numbers
    """M, the inverse of the Fisher information."""

    def mutual(self, one: int, other: int) -> float:
        """The change of the lead of `one` if these two had their virtual draws with each other, not with the phantom.

        One step of Newton's method. The draws with the phantom pull a player of few games towards 0, and hardly move a
        player of many games: two equally strong players would look unequal."""
        x, y, m = self.values[one], self.values[other], self.inverse
        m_x, m_y = m[one, one] - m[one, other], m[one, other] - m[other, other]
        pulls = np.array([x, y, x - y])
        of_one, of_other, of_both = logistic(pulls) - 0.5
        return float(self.prior * (m_x * of_one + m_y * of_other - (m_x - m_y) * of_both))


class Estimates(Struct, frozen=True):
    """The ratings of all players, and their covariance."""

    names: tuple[str, ...]
    """All rated players, in alphabetical order."""
    ratings: Numbers
    covariance: Numbers
    """The covariance matrix of the ratings, in squared Elo."""
    pools: Pools
    """Players whose ratings can be compared; no games connect players of different pools."""
    virtual: VirtualDraws | None
    """None if there is no prior."""
    repeated: int
    """Number of pairings that repeat an earlier one move for move; they do not reduce any error."""

    def errors(self) -> Numbers:
        """Half the width of each rating's 95 % confidence interval."""
        return WIDTH * np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    def lead(self, one: int, other: int) -> tuple[float, float]:
        """The rating difference of `one` to `other` (indices), and its standard error.

        The virtual draws of these two count as played with each other: see `VirtualDraws.mutual`."""
        c = self.covariance
        variance = float(c[one, one] + c[other, other] - 2.0 * c[one, other])
        mutual = self.virtual.mutual(one, other) * ELO if self.virtual is not None else 0.0
        return float(self.ratings[one] - self.ratings[other]) + mutual, sqrt(max(variance, 0.0))

    def superiority(self, one: int, other: int) -> float:
        """The likelihood of superiority (LOS): the probability that `one` (an index) is stronger than `other`."""
        lead, error = self.lead(one, other)
        if error < _NOTHING:
            return 0.5 if abs(lead) < _NOTHING else float(lead > 0.0)
        return 0.5 * (1.0 + erf(lead / error / sqrt(2.0)))

    def moved(self, anchors: Mapping[str, float]) -> Self:
        """The same estimates, shifted so that the mean rating of each pool is 0, or the mean rating of its `anchors` is
        the mean of their given ratings. Errors become those of the differences to that mean."""
        if unknown := sorted(set(anchors) - set(self.names)):
            raise BadRating(f"no anchor {quote(unknown[0])}: no rated player has that name")
        shift, at = np.eye(len(self.names)), np.zeros(len(self.names))
        for pool in self.pools:
            places = np.searchsorted(self.names, pool)
            anchored = [place for place in places if self.names[place] in anchors] or list(places)
            shift[np.ix_(places, anchored)] -= 1.0 / len(anchored)
            at[places] = sum(anchors.get(self.names[place], 0.0) for place in anchored) / len(anchored)
        return replace(self, ratings=shift @ self.ratings + at, covariance=shift @ self.covariance @ shift.T)


def logistic(values: Numbers) -> Numbers:
    """The probability of these log odds; exact also near 0."""
    found: Numbers = np.exp(-np.logaddexp(0.0, -values))
    return found
