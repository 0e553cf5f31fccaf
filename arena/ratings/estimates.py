"""Ratings that were estimated together: numbers on the Elo scale, with all that is known of how sure they are.

What the methods that fit all games at once have in common. Only differences mean something, and only within a pool;
where the numbers lie is a matter of taste: they average 0, or anchors say it.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import erf, log, sqrt
from typing import Final, Self

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from adsearch.errors import quote
from arena.errors import BadRating
from arena.ratings.duels import Numbers
from arena.ratings.pools import Pools

ELO: Final = 400.0 / log(10.0)
"""Elo points of one unit of log odds."""
WIDTH: Final = 1.96
"""Standard errors to each side that hold 95 in 100."""
PRIOR: Final = 1.0
"""Virtual draws of each player, usually."""

_NOTHING: Final = 1e-6
"""What rounding leaves of nothing, in Elo."""


class VirtualDraws(Struct, frozen=True):
    """What was fitted, before any anchor: in log odds, with `prior` draws of each player against a phantom rated 0."""

    prior: float
    values: Numbers
    known: Numbers
    """M, the inverse of the information."""

    def mutual(self, one: int, other: int) -> float:
        """By how much the lead of `one` changes if these two drew with each other instead of with the phantom.

        One step of Newton's method. The phantom's draws would pull a player of few games towards 0 and leave one of
        many games where it is, and so make equals unequal."""
        x, y, m = self.values[one], self.values[other], self.known
        m_x, m_y = m[one, one] - m[one, other], m[one, other] - m[other, other]
        pulls = np.array([x, y, x - y])
        of_one, of_other, of_both = logistic(pulls) - 0.5
        return float(self.prior * (m_x * of_one + m_y * of_other - (m_x - m_y) * of_both))


class Estimates(Struct, frozen=True):
    """Everybody's rating, and how sure that is."""

    names: tuple[str, ...]
    """Everybody who is rated, in alphabetical order."""
    ratings: Numbers
    covariance: Numbers
    """Of the ratings, in squared Elo."""
    pools: Pools
    """Who can be compared: players of different pools were never connected by games."""
    virtual: VirtualDraws | None
    """None where there are no virtual draws."""
    repeated: int
    """Meetings that repeat an earlier one move for move: they make no error shorter."""

    def errors(self) -> Numbers:
        """Half the 95 % interval of each rating."""
        return WIDTH * np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    def lead(self, one: int, other: int) -> tuple[float, float]:
        """By how much `one` (an index) is ahead of `other`, and the standard error of that.

        As if the virtual draws of these two were with each other: see `VirtualDraws.mutual`."""
        c = self.covariance
        variance = float(c[one, one] + c[other, other] - 2.0 * c[one, other])
        mutual = self.virtual.mutual(one, other) * ELO if self.virtual is not None else 0.0
        return float(self.ratings[one] - self.ratings[other]) + mutual, sqrt(max(variance, 0.0))

    def superiority(self, one: int, other: int) -> float:
        """How likely it is that `one` (an index) is stronger than `other`."""
        lead, error = self.lead(one, other)
        if error < _NOTHING:
            return 0.5 if abs(lead) < _NOTHING else float(lead > 0.0)
        return 0.5 * (1.0 + erf(lead / error / sqrt(2.0)))

    def moved(self, anchors: Mapping[str, float]) -> Self:
        """The same where the ratings of each pool average 0; or its `anchors` average what they are given. Errors are
        those of the differences from there."""
        if unknown := sorted(set(anchors) - set(self.names)):
            raise BadRating(f"no anchor {quote(unknown[0])}: nobody called so is rated")
        shift, at = np.eye(len(self.names)), np.zeros(len(self.names))
        for pool in self.pools:
            places = np.searchsorted(self.names, pool)
            held = [place for place in places if self.names[place] in anchors] or list(places)
            shift[np.ix_(places, held)] -= 1.0 / len(held)
            at[places] = sum(anchors.get(self.names[place], 0.0) for place in held) / len(held)
        return replace(self, ratings=shift @ self.ratings + at, covariance=shift @ self.covariance @ shift.T)


def logistic(values: Numbers) -> Numbers:
    """The chance that goes with log odds; exact also where it is all but 0."""
    found: Numbers = np.exp(-np.logaddexp(0.0, -values))
    return found
