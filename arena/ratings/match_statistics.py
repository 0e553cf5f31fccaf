"""Two players: how far apart they are, how sure it is who is better, and when a test between them is decided.

Games of one pair share an opening, so what is counted is pairs, where they are known: five possible scores
(pentanomial) instead of three (trinomial). No result leads to an exception or to a number that is not finite; what
cannot be told is None.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from math import erfc, exp, log, log10, sqrt
from typing import Final, NamedTuple

from msgspec import Struct

from arena.errors import BadRating

NORMALIZED: Final = 800.0 / log(10.0)
"""Normalized Elo points of a lead of one standard deviation of a game: small ones are as large as Elo points
between players who never draw."""
FARTHEST: Final = 2000.0
"""No bound of a sequential test lies farther from 0."""
_WIDTH: Final = 1.959963984540054
"""Standard errors to each side that hold 95 in 100."""
_NEVER: Final = 1e-3
"""What a sequential test counts instead of an outcome that never came, so that its chance is not 0."""

Shares = Sequence[float]
"""The chance of each outcome, from the lowest score to the highest."""


class Difference(Struct, frozen=True):
    """How far apart two players are, by the normal approximation."""

    elo: float | None
    """None where there is no game, or all points went to one of the two."""
    error: float | None
    """Half the 95 % interval. None where all outcomes are the same, which tells nothing about chance, or are so few
    that the interval reaches to a score of 0 or 100 %."""
    los: float | None
    """The likelihood of superiority; None where all outcomes are the same."""
    normalized: float | None
    """Normalized Elo: the lead in standard deviations of a game, which tells how many games it takes to see it. None
    where all outcomes are the same."""


class Hypothesis(StrEnum):
    """What a sequential test decides between."""

    H0 = "H0"
    """The difference is `elo0`, or less."""
    H1 = "H1"
    """It is `elo1`, or more."""


class Model(StrEnum):
    """The scale of the bounds of a sequential test."""

    LOGISTIC = "logistic"
    NORMALIZED = "normalized"


class Sprt(Struct, frozen=True):
    """How a sequential test stands."""

    llr: float
    """The log of how much more likely `elo1` makes the result than `elo0` does."""
    lower: float
    """At this or below, H0 is accepted."""
    upper: float
    """At this or above, H1 is."""
    verdict: Hypothesis | None
    """None: go on."""


class Outcome(NamedTuple):
    """What `many` pairs of games, or games outside of pairs, scored: each is independent of the others."""

    many: int
    games: int
    """Of each: 2 or 1."""
    points: float
    times: int = 1
    """How often each was played, move for move: all of them count for the score, but they are one observation."""


def trinomial(wins: int, draws: int, losses: int) -> Difference:
    """From single games, as if each were independent. A normal approximation: not for a handful of games, nor for
    scores near 0 or 100 %."""
    return difference(Outcome(many, 1, points) for many, points in ((losses, 0.0), (draws, 0.5), (wins, 1.0)))


def pentanomial(counts: Sequence[int]) -> Difference:
    """From how many pairs of games scored 0, 1/2, 1, 3/2 and 2. A normal approximation, as `trinomial`."""
    return difference(Outcome(many, 2, half / 2.0) for half, many in enumerate(_of_pairs(counts)))


def difference(outcomes: Iterable[Outcome], *, one_more_pair: bool = False) -> Difference:
    """From pairs and single games. A normal approximation, as `trinomial`.

    `one_more_pair`: the spread is that of these and of one pair of independent games without draws, which keeps the
    error honest for a handful of games: they may have gone alike by chance."""
    played = [one for one in outcomes if one.many]
    _checked([one.many for one in played])
    games = sum(many * of * times for many, of, _, times in played)
    if not games:
        return Difference(None, None, None, None)
    points = sum(many * scored * times for many, _, scored, times in played)
    mean = points / games
    squares = sum(many * (times * (scored - of * mean)) ** 2 for many, of, scored, times in played)
    if one_more_pair:
        unlike = sum(many * of for many, of, _, _ in played)
        close = (mean * unlike + 0.5) / (unlike + 1.0)
        squares += 2.0 * close * (1.0 - close) * _mean_square([(one.many, one.times) for one in played])
    variance = squares / games**2
    if variance <= 0.0:
        return Difference(_elo(mean), None, None, None)
    of_mean = sqrt(variance)
    low, high = _elo(mean - _WIDTH * of_mean), _elo(mean + _WIDTH * of_mean)
    return Difference(
        elo=_elo(mean),
        error=None if low is None or high is None else (high - low) / 2.0,
        los=erfc((0.5 - mean) / of_mean / sqrt(2.0)) / 2.0,
        normalized=(mean - 0.5) / sqrt(variance * games) * NORMALIZED,
    )


def _mean_square(counted: Sequence[tuple[int, int]]) -> float:
    """Of the second numbers, each there as often as the first one says."""
    return sum(many * times**2 for many, times in counted) / sum(many for many, _ in counted)


def superiority(wins: int, losses: int) -> float:
    """How likely it is that the winner of these is the better one: the chance that p > 1/2 under Beta(wins + 1,
    losses + 1), where all p were as likely before. Draws tell nothing. Right to 1e-9, whatever the numbers."""
    _checked((wins, losses))
    # That is the chance of at most `wins` heads in wins + losses + 1 throws of a coin. The binomial terms are taken
    # relative to the largest one: factorials, and their logarithms, would cost digits.
    throws, fewer = wins + losses + 1, min(wins, losses)
    term, tail, below = 1.0, 0.0, 0.0
    heads = throws // 2
    while heads >= 0 and term > 1e-300:
        below += term
        tail += term if heads <= fewer else 0.0
        term *= heads / (throws - heads + 1)
        heads -= 1
    share = tail / (2.0 * below - (1.0 if throws % 2 == 0 else 0.0))
    return share if wins <= losses else 1.0 - share


def sprt(
    counts: Sequence[int],
    elo0: float,
    elo1: float,
    alpha: float = 0.05,
    beta: float = 0.05,
    model: str = Model.LOGISTIC,
) -> Sprt:
    """The generalised sequential probability ratio test, from how many pairs scored 0, 1/2, 1, 3/2 and 2.

    `alpha`: how often H1 may be accepted though the difference is `elo0`; `beta`: H0 though it is `elo1`. BadRating
    for bounds that are no bounds."""
    return _sprt(_of_pairs(counts), (elo0, elo1), (alpha, beta), model, games=2)


def sprt_trinomial(
    wins: int,
    draws: int,
    losses: int,
    elo0: float,
    elo1: float,
    alpha: float = 0.05,
    beta: float = 0.05,
    model: str = Model.LOGISTIC,
) -> Sprt:
    """As `sprt`, where only single games are known."""
    return _sprt((losses, draws, wins), (elo0, elo1), (alpha, beta), model, games=1)


def _of_pairs(counts: Sequence[int]) -> Sequence[int]:
    if len(counts) != 5:
        raise BadRating(f"expected how many pairs scored 0, 1/2, 1, 3/2 and 2, got {len(counts)} numbers")
    return counts


def _checked(counts: Sequence[int]) -> None:
    if min(counts, default=0) < 0:
        raise BadRating(f"expected counts of 0 or more, got {', '.join(map(str, counts))}")


def _scores(outcomes: int) -> list[float]:
    """What each outcome scores, from 0 to 1."""
    return [number / (outcomes - 1) for number in range(outcomes)]


def _moments(shares: Shares) -> tuple[float, float]:
    """The mean and the variance of the score."""
    scores = _scores(len(shares))
    mean = sum(share * score for share, score in zip(shares, scores, strict=True))
    return mean, sum(share * (score - mean) ** 2 for share, score in zip(shares, scores, strict=True))


def _elo(score: float) -> float | None:
    """The Elo difference that lets expect this score; None where there is none."""
    return 400.0 * log10(score / (1.0 - score)) if 0.0 < score < 1.0 else None


def _sprt(
    counts: Sequence[int], bounds: tuple[float, float], errors: tuple[float, float], model: str, *, games: int
) -> Sprt:
    _checked(counts)
    lower, upper = _limits(bounds, errors)
    if model not in list(Model):
        raise BadRating(f"expected the model {' or '.join(Model)} of a sequential test, got {model!r}")
    llr = _ratio(counts, bounds, Model(model), games) if sum(counts) else 0.0
    verdict = Hypothesis.H1 if llr >= upper else Hypothesis.H0 if llr <= lower else None
    return Sprt(llr, lower, upper, verdict)


def _limits(bounds: tuple[float, float], errors: tuple[float, float]) -> tuple[float, float]:
    """Where the test ends."""
    (elo0, elo1), (alpha, beta) = bounds, errors
    if not -FARTHEST <= elo0 < elo1 <= FARTHEST:
        raise BadRating(
            f"expected elo0 below elo1, both from {-FARTHEST:g} to {FARTHEST:g}, "
            f"got elo0 = {elo0:g} and elo1 = {elo1:g}"
        )
    for name, error in (("alpha", alpha), ("beta", beta)):
        if not 0.0 < error < 0.5:
            raise BadRating(f"expected {name} between 0 and 0.5, got {error:g}")
    return log(beta / (1.0 - alpha)), log((1.0 - beta) / alpha)


def _ratio(counts: Sequence[int], bounds: tuple[float, float], model: Model, games: int) -> float:
    """The log-likelihood ratio of the two distributions that fit best where the difference is the one bound, or the
    other (M. Van den Bergh, "Comments on normalized Elo", as used by fishtest)."""
    seen = [count or _NEVER for count in counts]
    total = sum(seen)
    shares = [count / total for count in seen]
    if model is Model.LOGISTIC:
        fit0, fit1 = (_with_mean(shares, 1.0 / (1.0 + 10.0 ** (-elo / 400.0))) for elo in bounds)
    else:
        fit0, fit1 = (_with_lead(shares, elo / NORMALIZED * sqrt(games)) for elo in bounds)
    return sum(count * log(one / other) for count, one, other in zip(seen, fit1, fit0, strict=True))


def _with_mean(shares: Shares, mean: float) -> list[float]:
    """The distribution of that mean which makes `shares` most likely."""
    return _balanced(shares, [score - mean for score in _scores(len(shares))])


def _with_lead(shares: Shares, lead: float) -> list[float]:
    """The same where the mean lies so many standard deviations above 1/2.

    That condition is not linear, and taken in steps: with the tangent of the standard deviation at the last fit, which
    lies above it everywhere, so that each step can be taken. The first one starts from whole wins and losses."""
    scores = _scores(len(shares))
    balance = lead / sqrt(1.0 + lead * lead)
    fit = [(1.0 - balance) / 2.0, *[0.0] * (len(shares) - 2), (1.0 + balance) / 2.0]
    for _ in range(50):
        mean, variance = _moments(fit)
        deviation = sqrt(variance)
        before = fit
        fit = _balanced(
            shares,
            [score - 0.5 - lead * (deviation + (score - mean) ** 2 / deviation) / 2.0 for score in scores],
        )
        if max(abs(one - other) for one, other in zip(fit, before, strict=True)) < 1e-12:
            break
    return fit


def _balanced(shares: Shares, weights: Sequence[float]) -> list[float]:
    """The distribution under which `weights`, some of them below 0 and some above, average 0, and which makes
    `shares` most likely.

    It is share / (1 + x * weight), with the one x that leaves all of them positive. The search is for the log odds u of
    where x lies between its bounds, so that no digits are lost close to them."""
    lowest, highest = min(weights), max(weights)
    low, high = -700.0, 700.0
    while True:
        u = (low + high) / 2.0
        up, down = 1.0 / (1.0 + exp(-u)), 1.0 / (1.0 + exp(u))
        fit = [
            share / (down * (1.0 - weight / highest) + up * (1.0 - weight / lowest))
            for share, weight in zip(shares, weights, strict=True)
        ]
        if u in (low, high):
            return fit
        if sum(share * weight for share, weight in zip(fit, weights, strict=True)) > 0.0:
            low = u
        else:
            high = u
