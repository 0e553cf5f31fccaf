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
from arena.ratings.duels import Numbers, Places
from arena.ratings.pools import Pools

ELO: Final = 400.0 / log(10.0)
"""Elo points of one unit of log odds."""
WIDTH: Final = 1.96
"""Standard errors to each side that hold 95 in 100."""
PRIOR: Final = 1.0
"""Virtual draws of each player, usually."""


HARDLY: Final = 1e-3
"""Of the variance of independent games: what is less was never surprised."""
_NOTHING: Final = 1e-6
"""What rounding leaves of nothing, in Elo."""
NOBODY: Final[Places] = np.zeros(0, dtype=np.intp)


class Estimates(Struct, frozen=True):
    """Everybody's rating, and how sure that is."""

    names: tuple[str, ...]
    """Everybody who is rated, in alphabetical order."""
    ratings: Numbers
    covariance: Numbers
    """Of the ratings, in squared Elo."""
    pools: Pools
    """Who can be compared: players of different pools were never connected by games."""

    def errors(self) -> Numbers:
        """Half the 95 % interval of each rating."""
        return WIDTH * np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    def superiority(self, one: int, other: int) -> float:
        """How likely it is that `one` (an index) is stronger than `other`, from the joint covariance."""
        c = self.covariance
        variance = float(c[one, one] + c[other, other] - 2.0 * c[one, other])
        difference = float(self.ratings[one] - self.ratings[other])
        if variance < _NOTHING:
            return 0.5 if abs(difference) < _NOTHING else float(difference > 0.0)
        return 0.5 * (1.0 + erf(difference / sqrt(2.0 * variance)))

    def moved(
        self,
        anchors: Mapping[str, float],
        *,
        never_surprised: Places = NOBODY,
        belief: Numbers | None = None,
    ) -> Self:
        """The same where the ratings of each pool average 0; or its `anchors` average what they are given. Errors are
        those of the differences from there.

        Surprises are what errors are made of, and who only won or only lost never caused any; nor did who was in pairs
        that all went alike. They are left as uncertain as `belief` has them: the covariance if all games were
        independent."""
        if unknown := sorted(set(anchors) - set(self.names)):
            raise BadRating(f"no anchor {quote(unknown[0])}: nobody called so is rated")
        shift, at = np.eye(len(self.names)), np.zeros(len(self.names))
        for pool in self.pools:
            places = np.searchsorted(self.names, pool)
            held = [place for place in places if self.names[place] in anchors] or list(places)
            shift[np.ix_(places, held)] -= 1.0 / len(held)
            at[places] = sum(anchors.get(self.names[place], 0.0) for place in held) / len(held)
        covariance = shift @ self.covariance @ shift.T
        if belief is not None:
            believed = shift @ belief @ shift.T
            alike = np.flatnonzero(np.diag(covariance) < HARDLY * np.diag(believed))
            places = np.union1d(never_surprised, alike)
            block = np.ix_(places, places)
            covariance[block] += believed[block]
        return replace(self, ratings=shift @ self.ratings + at, covariance=covariance)


def logistic(values: Numbers) -> Numbers:
    """The chance that goes with log odds; exact also where it is all but 0."""
    found: Numbers = np.exp(-np.logaddexp(0.0, -values))
    return found
