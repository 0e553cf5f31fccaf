"""The sequential test (SPRT) of a match: its hypotheses, how it stands, and what it has decided.

It uses complete pairs of games only. `formats/match.py` reads it from a description.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from arena.ratings.match_statistics import Hypothesis, Model, Sprt, pentanomial, sprt

DEFAULT_RISK: Final = 0.05
_CLAIMS: Final = {
    Hypothesis.H0: ("at least {} worse than", "not better than", "at most {} better than"),
    Hypothesis.H1: ("at most {} worse than", "at least as good as", "at least {} better than"),
}
"""The claim of each hypothesis if its limit is below 0, is 0, and is above 0."""
_UNITS: Final = {Model.LOGISTIC: "Elo", Model.NORMALIZED: "normalized Elo"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SprtTerms:
    """The hypotheses of a sequential test: H0, one player is at most `elo0` better than the other; H1, it is at least
    `elo1` better."""

    of: str
    """The player that the hypotheses are about."""
    elo0: float
    elo1: float
    alpha: float = DEFAULT_RISK
    """The probability of accepting H1 when H0 is true (type I error)."""
    beta: float = DEFAULT_RISK
    """The probability of accepting H0 when H1 is true (type II error)."""
    model: Model = Model.LOGISTIC

    def claim(self, hypothesis: Hypothesis, other: str) -> str:
        """What the hypothesis says about `of` and the other player, as a sentence."""
        limit = self.elo1 if hypothesis is Hypothesis.H1 else self.elo0
        worse, level, better = _CLAIMS[hypothesis]
        how = better if limit > 0 else worse if limit < 0 else level
        return f"{self.of} is {how.format(f'{abs(limit):g} {_UNITS[self.model]}')} {other}"

    def outcome(self, verdict: Hypothesis | None, other: str) -> str:
        """What is decided, as a sentence."""
        return "undecided" if verdict is None else f"{verdict} accepted: {self.claim(verdict, other)}"


class MatchTest(Sprt, frozen=True):
    """The state of a match's sequential test."""

    pairs: int
    """Number of pairs of games so far."""


@dataclass(frozen=True, slots=True)
class TestedMatch:
    """The sequential test of a match, and how it stands."""

    terms: SprtTerms
    other: str
    """The opponent of the tested player."""
    found: MatchTest

    @property
    def outcome(self) -> str:
        """What is decided, as a sentence."""
        return self.terms.outcome(self.found.verdict, self.other)

    def renamed(self, shown: Mapping[str, str]) -> TestedMatch:
        """The same with other names for the players."""
        return TestedMatch(replace(self.terms, of=shown[self.terms.of]), shown[self.other], self.found)


def line_of_match(first: str, second: str, pairs: Mapping[float, int], test: Sprt | None) -> str:
    """How a match stands, as those who test engines know it. `pairs`: as for `match_test`, of the first player."""
    counts = _counts(pairs)
    found, many = pentanomial(counts), sum(counts)
    elo = "?" if found.elo is None else f"{found.elo:+.1f}"
    parts = [
        f"Elo {elo} ± {'?' if found.error is None else f'{found.error:.1f}'}",
        f"nElo {'?' if found.normalized is None else f'{found.normalized:+.1f}'}",
        f"LOS {'?' if found.los is None else f'{found.los:.1%}'}",
        f"drawn pairs {counts[2] / many:.1%}" if many else "no pairs yet",
        f"pentanomial {counts}",
    ]
    if test is not None:
        parts.append(f"LLR {test.llr:.2f} ({test.lower:.2f}, {test.upper:.2f})")
    return f"{first} vs {second}, {2 * many:,} games in pairs: {', '.join(parts)}"


def match_test(terms: SprtTerms, pairs: Mapping[float, int]) -> MatchTest:
    """The state of the test. `pairs`: numbers of pairs of games, by the points of the player `terms.of` in a pair."""
    counts = _counts(pairs)
    stands = sprt(counts, terms.elo0, terms.elo1, terms.alpha, terms.beta, terms.model)
    return MatchTest(stands.llr, stands.lower, stands.upper, stands.verdict, pairs=sum(counts))


def _counts(pairs: Mapping[float, int]) -> list[int]:
    return [pairs.get(points, 0) for points in (0.0, 0.5, 1.0, 1.5, 2.0)]
