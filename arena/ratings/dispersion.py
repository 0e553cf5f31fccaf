"""The dispersion of results, for the standard errors of Bradley-Terry ratings.

The unit of observation is the pairing: the two games of two players that share an opening, or a single game. The
dispersion is the variance of a pairing's result, relative to two independent games without draws. It is one number for
the whole tournament (`phi` for the lead, `psi` for the first-move advantage), so that equal results against equal
opponents have equal errors. A player has a dispersion of their own only beyond ten pairings, and only if a chi-squared
test shows that players differ.

docs/developers/ratings.md has the reasons and the formulas, with the same letters; all values are in log odds.
Pairings that repeat another one move for move are one observation: they count once for the dispersion, and with their
full weight for the error.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec import Struct

from arena.ratings.duels import Duels, Numbers, Places

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
