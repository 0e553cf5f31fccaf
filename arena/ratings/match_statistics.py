"""Statistics of two players: the Elo difference, the likelihood of superiority (LOS), and the sequential test (SPRT).

The two games of a pair share an opening and are not independent. Therefore pairs are counted where they are known: five
possible scores (pentanomial) instead of three (trinomial). No result raises an exception or gives an infinite number;
what the results do not determine is None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Sequence
from enum import StrEnum
from math import copysign, erfc, exp, log, log10, sqrt
from typing import Final, NamedTuple

from msgspec import Struct

from arena.errors import BadRating
from db.records import RatedGame

NORMALIZED: Final = 800.0 / log(10.0)
"""Normalized Elo per standard deviation of one game's score. For small differences and no draws, normalized Elo equals
Elo."""
FARTHEST: Final = 2000.0
"""Largest absolute value of a bound of a sequential test, in Elo."""
_WIDTH: Final = 1.959963984540054
"""Standard errors to each side of a 95 % confidence interval."""
_NEVER: Final = 1e-3
"""The count that a sequential test uses for an outcome that was not observed, so that its probability is not 0."""

Shares = Sequence[float]
"""The probability of each outcome, from the lowest score to the highest."""


class Difference(Struct, frozen=True):
    """The difference in strength of two players, by the normal approximation."""

    elo: float | None
    """The Elo difference; None without games, or if one player scored all points."""
    error: float | None
    """Half the width of the 95 % confidence interval. None if all outcomes are the same (the variance is then not
    known), or if the interval reaches a score of 0 or 100 %."""
    los: float | None
    """The likelihood of superiority; None if all outcomes are the same."""
    normalized: float | None
    """Normalized Elo: the lead in standard deviations of one game's score, which determines the number of games that a
    test needs. None if all outcomes are the same."""


class Hypothesis(StrEnum):
    """The hypotheses of a sequential test."""

    H0 = "H0"
    """The difference is at most `elo0`."""
    H1 = "H1"
    """The difference is at least `elo1`."""


class Model(StrEnum):
    """The scale of the bounds of a sequential test."""

    LOGISTIC = "logistic"
    NORMALIZED = "normalized"


class Sprt(Struct, frozen=True):
    """The state of a sequential test."""

    llr: float
    """The log-likelihood ratio of `elo1` to `elo0`."""
    lower: float
    """H0 is accepted when `llr` is at most this."""
    upper: float
    """H1 is accepted when `llr` is at least this."""
    verdict: Hypothesis | None
    """The accepted hypothesis; None: not decided yet."""


class Outcome(NamedTuple):
    """The score of `many` pairs of games, or single games, with the same result; they are independent observations."""

    many: int
    games: int
    """Games of each: 2 for a pair, else 1."""
    points: float
    times: int = 1
    """How often each was played with the same moves: all of them count for the score, but as one observation."""


def pentanomial(counts: Sequence[int]) -> Difference:
    """The difference from the numbers of pairs that scored 0, 1/2, 1, 3/2 and 2, by a normal approximation."""
    return difference(Outcome(many, 2, half / 2.0) for half, many in enumerate(_of_pairs(counts)))


def difference(outcomes: Iterable[Outcome], *, one_more_pair: bool = False) -> Difference:
    """The difference from pairs and single games. A normal approximation: not for few games, nor for scores near 0 or
    100 %.

    `one_more_pair`: the variance includes one virtual pair of independent games without draws, so that the error is not
    too small when a few games happen to have the same result."""
    played = [one for one in outcomes if one.many]
    _checked([one.many for one in played])
    games = sum(many * of * times for many, of, _, times in played)
    if not games:
        return Difference(None, None, None, None)
    points = sum(many * scored * times for many, _, scored, times in played)
    alike = sum(many * of * times**2 for many, of, _, times in played)
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
        # Of one game: games with the same moves are one observation, so there are fewer of them.
        normalized=(mean - 0.5) / sqrt(variance * games**2 / alike) * NORMALIZED,
    )


def _mean_square(counted: Sequence[tuple[int, int]]) -> float:
    """The mean of the squares of the second numbers, weighted by the first ones."""
    return sum(many * times**2 for many, times in counted) / sum(many for many, _ in counted)


def superiority(wins: int, losses: int) -> float:
    """The likelihood of superiority (LOS): the probability that p > 1/2 under Beta(wins + 1, losses + 1), the posterior
    of a uniform prior. Draws do not matter. Exact to 1e-9 for all counts."""
    _checked((wins, losses))
    # This is the probability of at most `wins` heads in wins + losses + 1 throws of a coin. The binomial terms are
    # relative to the largest one, because factorials and their logarithms would lose digits.
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
    """The generalised sequential probability ratio test (GSPRT), from the numbers of pairs that scored 0, 1/2, 1, 3/2
    and 2.

    `alpha`: the probability of accepting H1 when the difference is `elo0`; `beta`: of accepting H0 when the difference
    is `elo1`. BadRating for bounds out of range."""
    bounds = elo0, elo1
    _checked(_of_pairs(counts))
    lower, upper = _limits(bounds, (alpha, beta))
    if model not in list(Model):
        raise BadRating(f"expected the model {' or '.join(Model)} of a sequential test, got {model!r}")
    llr = _ratio(counts, bounds, Model(model)) if sum(counts) else 0.0
    verdict = Hypothesis.H1 if llr >= upper else Hypothesis.H0 if llr <= lower else None
    return Sprt(llr, lower, upper, verdict)


def _of_pairs(counts: Sequence[int]) -> Sequence[int]:
    if len(counts) != 5:
        raise BadRating(f"expected 5 numbers of pairs, scored 0, 1/2, 1, 3/2 and 2; got {len(counts)} numbers")
    return counts


def _checked(counts: Sequence[int]) -> None:
    if min(counts, default=0) < 0:
        raise BadRating(f"expected counts of 0 or more, got {', '.join(map(str, counts))}")


def _scores(outcomes: int) -> list[float]:
    """The score of each outcome, from 0 to 1."""
    return [number / (outcomes - 1) for number in range(outcomes)]


def _moments(shares: Shares) -> tuple[float, float]:
    """The mean and the variance of the score."""
    scores = _scores(len(shares))
    mean = sum(share * score for share, score in zip(shares, scores, strict=True))
    return mean, sum(share * (score - mean) ** 2 for share, score in zip(shares, scores, strict=True))


def _elo(score: float) -> float | None:
    """The Elo difference with this expected score; None for scores of 0 and 1."""
    return 400.0 * log10(score / (1.0 - score)) if 0.0 < score < 1.0 else None


def _limits(bounds: tuple[float, float], errors: tuple[float, float]) -> tuple[float, float]:
    """The bounds of the log-likelihood ratio at which the test ends."""
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


def _ratio(counts: Sequence[int], bounds: tuple[float, float], model: Model) -> float:
    """The log-likelihood ratio of two distributions: the maximum-likelihood fits with a difference of either bound
    (M. Van den Bergh, "Comments on normalized Elo", as used by fishtest)."""
    seen = [count or _NEVER for count in counts]
    total = sum(seen)
    shares = [count / total for count in seen]
    if model is Model.LOGISTIC:
        fit0, fit1 = (_with_mean(shares, 1.0 / (1.0 + 10.0 ** (-elo / 400.0))) for elo in bounds)
    else:
        fit0, fit1 = (_with_lead(shares, elo / NORMALIZED * sqrt(2)) for elo in bounds)  # two games
    return sum(count * log(one / other) for count, one, other in zip(seen, fit1, fit0, strict=True))


def _with_mean(shares: Shares, mean: float) -> list[float]:
    """The maximum-likelihood distribution for `shares` among those with that mean."""
    return _balanced(shares, [score - mean for score in _scores(len(shares))])


def _with_lead(shares: Shares, lead: float) -> list[float]:
    """The maximum-likelihood distribution for `shares` among those whose mean is `lead` standard deviations above 1/2.

    This constraint is not linear. It is solved by iteration: the standard deviation is replaced by its tangent at the
    last fit. The standard deviation is concave, so the tangent is above it, and every step is feasible. The iteration
    starts from wins and losses only."""
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
    """The maximum-likelihood distribution for `shares` among those under which `weights` have the mean 0. Some weights
    must be negative and some positive.

    It is share / (1 + x * weight), with the one x for which all are positive. The bisection is over u, the log odds of
    the position of x between its bounds, so that no digits are lost near the bounds."""
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


# One player against another: the score, the Elo difference, the likelihood of superiority, and how the games ended.


LAST = 10
SURE = 0.95


class Seated(Struct, frozen=True):
    """The results of `a` in one seat."""

    seat: int
    games: int
    wins: int
    draws: int
    losses: int


class PairResults(Struct, frozen=True):
    """One of their games, from the view of `a`."""

    id: int
    seat: int
    points: float
    """The points of `a`: 1, 1/2 or 0."""
    verdict: str
    plies: int | None


class Versus(Struct, frozen=True):
    """The comparison of `a` and `b`."""

    a: str
    b: str
    games: int
    wins: int
    draws: int
    losses: int
    by_seat: list[Seated]
    difference: Difference
    bound: float | None
    """A one-sided 95 % confidence bound of the Elo difference: the lower bound if `a` has won every game, the upper
    bound if it has lost every game; None otherwise."""
    los: float
    """The likelihood that `a` is the stronger player, from the pairs of games that one of them has won."""
    pentanomial: list[int]
    """Numbers of pairs of games in which `a` scored 0, 1/2, 1, 3/2 and 2 points."""
    single: int
    """Number of rated games without the other game of their pair."""
    verdicts: dict[str, int]
    longest: PairResults | None
    shortest: PairResults | None
    last: list[PairResults]
    """The last games, the newest first."""
    repeated: int
    """Number of pairs (and single games) that repeat an earlier one move for move; they are not new observations."""


def versus(games: Sequence[RatedGame], a: str, b: str) -> Versus:
    """The comparison of `a` and `b` in `games`, which are in the order of play. A name without a version means all its
    versions."""
    met: list[PairResults] = []
    pairs: dict[Hashable, list[tuple[RatedGame, float]]] = {}
    for game in games:
        for seat, own in enumerate(game.names):
            for other_seat, other in enumerate(game.names):
                if seat != other_seat and _is(own, a) and _is(other, b):
                    lead = game.points[seat] - game.points[other_seat]
                    points = 1.0 if lead > 0 else 0.0 if lead < 0 else 0.5
                    met.append(PairResults(game.id, seat, points, game.verdict, game.plies))
                    pairs.setdefault(game.pair, []).append((game, points))
    outcomes = _outcomes(pairs.values())
    decided = Counter[float]()
    for one in outcomes:
        decided[copysign(1.0, lead) if (lead := one.points - one.games / 2.0) else 0.0] += one.many
    pentanomial = [
        sum(one.many * one.times for one in outcomes if (one.games, one.points) == (2, half / 2.0)) for half in range(5)
    ]
    with_plies = [one for one in met if one.plies is not None]
    return Versus(
        a=a,
        b=b,
        games=len(met),
        **_counted(met),
        by_seat=[
            Seated(seat, len(sat), **_counted(sat))
            for seat in sorted({one.seat for one in met})
            if (sat := [one for one in met if one.seat == seat])
        ],
        difference=difference(outcomes, one_more_pair=True),
        bound=_bound(outcomes),
        los=superiority(decided[1], decided[-1]),
        pentanomial=pentanomial,
        single=sum(one.many * one.times for one in outcomes if one.games == 1),
        verdicts=dict(sorted(Counter(one.verdict for one in met).items())),
        longest=max(with_plies, key=lambda one: one.plies or 0, default=None),
        shortest=min(with_plies, key=lambda one: one.plies or 0, default=None),
        last=met[: -LAST - 1 : -1],
        repeated=sum(one.many * (one.times - 1) for one in outcomes),
    )


def _outcomes(pairs: Collection[Sequence[tuple[RatedGame, float]]]) -> list[Outcome]:
    """The scores of the pairs of games, and of the single games (whose `pair` has not exactly two games)."""
    singles = [[one] for pair in pairs if len(pair) != 2 for one in pair]
    grouped = [*(pair for pair in pairs if len(pair) == 2), *singles]
    times = repeats([game for game, _ in group] for group in grouped)
    counted = Counter(
        (len(group), sum(points for _, points in group), often) for group, often in zip(grouped, times, strict=True)
    )
    return [Outcome(many // often, games, points, often) for (games, points, often), many in sorted(counted.items())]


def _bound(outcomes: Sequence[Outcome]) -> float | None:
    """A one-sided 95 % confidence bound of the Elo difference if one of the two has won every game; else None."""
    shares = {one.points / one.games for one in outcomes}
    if shares not in ({0.0}, {1.0}):
        return None
    # A player with expected score m wins both games of a pair with probability at most m, and n pairs with m ** n.
    least = (1.0 - SURE) ** (1.0 / sum(one.many for one in outcomes))
    elo = 400.0 * log10(least / (1.0 - least))
    return elo if shares == {1.0} else -elo


def _is(player: str, name: str) -> bool:
    return name in (player, player.rpartition("@")[0])


def _counted(met: Sequence[PairResults]) -> dict[str, int]:
    scores = Counter(one.points for one in met)
    return {"wins": scores[1.0], "draws": scores[0.5], "losses": scores[0.0]}


# Pairs of games that share an opening, and which of them repeat another pair move for move.


def in_pairs(games: Iterable[RatedGame]) -> list[list[RatedGame]]:
    """The games of two players, grouped by pair. If the pair is not recorded, two consecutive games with swapped seats
    are a pair."""
    paired: dict[Hashable, list[RatedGame]] = {}
    singles: list[list[RatedGame]] = []
    before: RatedGame | None = None
    for game in games:
        if len(game.names) != 2:
            continue
        if game.pair is not None:
            paired.setdefault(game.pair, []).append(game)
            before = None
        elif before is not None and (before.names, before.rules) == (game.names[::-1], game.rules):
            singles[-1].append(game)
            before = None
        else:
            singles.append([game])
            before = game
    return [*paired.values(), *singles]


def repeats(pairs: Iterable[Sequence[RatedGame]]) -> list[int]:
    """For each pair of games, how many pairs are equal to it: the same players in the same seats played the same moves
    in all games. A pair with a game whose moves are not recorded equals no other."""
    played = [
        tuple(sorted((game.rules, game.names, game.moves_hash, game.points) for game in pair))
        if all(game.moves_hash is not None for game in pair)
        else number
        for number, pair in enumerate(pairs)
    ]
    times = Counter[Hashable](played)
    return [times[one] for one in played]
