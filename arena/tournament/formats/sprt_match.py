"""Match: two players meet, as often as there are rounds in the description, or until a sequential test is decided.

It is the smallest round-robin. Who sits first in the first game of a pair changes from pair to pair. The test looks at
whole pairs alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from arena.ratings.match_statistics import Hypothesis, Model, Sprt, sprt
from arena.tournament.formats.pairing import Pairing
from arena.tournament.formats.tournament_state import Terms, TournamentState, scheduled

USUAL_RISK: Final = 0.05
_CLAIMS: Final = {
    Hypothesis.H0: ("at least {} worse than", "not better than", "at most {} better than"),
    Hypothesis.H1: ("at most {} worse than", "at least as good as", "at least {} better than"),
}
"""What each says where its limit is below 0, is 0, and is above 0."""
_UNITS: Final = {Model.LOGISTIC: "Elo", Model.NORMALIZED: "normalized Elo"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SprtTerms:
    """What a sequential test is to decide: whether one player is at least `elo1` better than the other, H1, or at most
    `elo0`, H0."""

    of: str
    """Whose strength is measured, against the other's."""
    elo0: float
    elo1: float
    alpha: float = USUAL_RISK
    """How often H1 may be accepted where H0 is true."""
    beta: float = USUAL_RISK
    """How often H0 may be accepted where H1 is true."""
    model: Model = Model.LOGISTIC

    def claim(self, hypothesis: Hypothesis, other: str) -> str:
        """What the hypothesis says about `of` and the other, in words."""
        limit = self.elo1 if hypothesis is Hypothesis.H1 else self.elo0
        worse, level, better = _CLAIMS[hypothesis]
        how = better if limit > 0 else worse if limit < 0 else level
        return f"{self.of} is {how.format(f'{abs(limit):g} {_UNITS[self.model]}')} {other}"


class Weighed(Sprt, frozen=True):
    """How the test of a match stands."""

    pairs: int
    """After how many pairs."""


def further(terms: Terms, so_far: TournamentState) -> list[Pairing]:
    """All pairings that are not known yet."""
    first, second = so_far.names
    return scheduled(so_far, [[(first, second)]], terms.rounds)


def weigh(terms: SprtTerms, pairs: Mapping[float, int]) -> Weighed:
    """How the test stands after so many pairs, by the points that each brought the player whom it is about."""
    counts = [pairs.get(points, 0) for points in (0.0, 0.5, 1.0, 1.5, 2.0)]
    stands = sprt(counts, terms.elo0, terms.elo1, terms.alpha, terms.beta, terms.model)
    return Weighed(stands.llr, stands.lower, stands.upper, stands.verdict, pairs=sum(counts))
