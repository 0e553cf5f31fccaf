"""How much the results of meetings vary: what the error bars of Bradley-Terry ratings are made of.

A meeting is the pair of games of two players that share an opening, or a game without its other one. Two independent
games without draws would vary by a known amount; how much more or less meetings vary is one number for the whole
tournament (`phi` for who beat whom, `psi` for the first-move advantage). So equal results against equal opponents have
equal errors. Only where a tournament proves that players differ, and only beyond ten meetings, does a player have a
spread of their own.

docs/ratings.md says why. The letters are those of its formulas; all values are log odds. Meetings that repeat another
move for move are one observation: counted once for the spread, and with all its weight for the error.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec import Struct

from arena.ratings.duels import Duels, Numbers, Places

ALWAYS_POOLED: Final = 10.0
"""Number of meetings up to which a player has no spread of their own."""


class Cells(Struct, frozen=True):
    """Meetings of the same two players in the same kind of games, single games apart from pairs; a row for each."""

    low: Places
    high: Places
    """The two players; `low` is the first in alphabetical order."""
    kind: Places
    group: Places
    """Which meetings share one spread: those of one kind, pairs apart from single games."""
    unlike: Numbers
    """How many meetings there are, those that repeat another move for move left out."""
    weight: Numbers
    """How many there are in all."""
    squares: Numbers
    """The sum over unlike meetings of how often each was played, squared."""
    of_lead: Numbers
    """The sum over unlike meetings of D squared: by how much `low` did better than expected."""
    of_first: Numbers
    """The sum over unlike meetings of A squared: by how much who sat first did better than expected."""
    v: Numbers
    """The variance of D, and of A, if the games of a meeting were independent and nobody drew."""
    t: Numbers
    """The covariance of D and A then: v if `low` always sat first, 0 if each sat first once."""


class Spread(Struct, frozen=True):
    """How often as large as for independent games without draws the variance is, cell by cell."""

    phi: Numbers
    """Of D."""
    psi: Numbers
    """Of A."""


def cells(games: Duels, surprise: Numbers, expected: Numbers) -> Cells:
    """The meetings of these games, counted. `surprise` and `expected` are those of the first seat, game by game."""
    players, kinds = len(games.names), len(games.kinds)
    low, high = np.minimum(games.first, games.second), np.maximum(games.first, games.second)
    sign = np.where(games.first == low, 1.0, -1.0)
    w = expected * (1.0 - expected)
    who = ((games.kind * players) + low) * players + high
    meetings, meeting = np.unique(games.pair * max(1, kinds * players**2) + who, return_inverse=True)

    def summed(of_games: Numbers) -> Numbers:
        sums: Numbers = np.bincount(meeting, of_games, len(meetings)).astype(float)
        return sums

    pair, who = np.divmod(meetings, max(1, kinds * players**2))
    is_pair = summed(np.ones(len(meeting))) > 1.0
    found, cell = np.unique(who * 2 + is_pair, return_inverse=True)
    weight, repeats = games.often[pair], games.repeats[pair]
    unlike = weight / repeats

    def counted(of_meetings: Numbers, times: Numbers) -> Numbers:
        sums: Numbers = np.bincount(cell, times * of_meetings, len(found)).astype(float)
        return sums

    number = counted(np.ones(len(meetings)), weight)
    kind, two = np.divmod(found // 2, max(1, players**2))
    return Cells(
        low=two // max(1, players),
        high=two % max(1, players),
        kind=kind,
        group=kind * 2 + found % 2,
        unlike=counted(np.ones(len(meetings)), unlike),
        weight=number,
        squares=counted(np.ones(len(meetings)), weight * repeats),
        of_lead=counted(summed(sign * surprise) ** 2, unlike),
        of_first=counted(summed(surprise) ** 2, unlike),
        v=counted(summed(w), weight) / number,
        t=counted(summed(sign * w), weight) / number,
    )


def spread(met: Cells, known: Numbers, *, players: int, extreme: Places) -> Spread:
    """The spread of each cell. `known` is the inverse of the information, M; `extreme` are those who only won or only
    lost, whose results cannot show how much they vary."""
    lead, first = _left_by_the_fit(met, known, players)
    apart = met.low != met.high  # a game against oneself says nothing about a lead
    phi = _pooled(met, met.of_lead, met.v * lead, apart)
    psi = _pooled(met, met.of_first, met.v * first, np.ones_like(apart))
    own = _own(met, np.where(apart, lead, 0.0), np.where(apart, phi * met.v * lead, 0.0), players)
    phi = phi * own[met.low] * own[met.high]
    surely = np.isin(met.low, extreme) | np.isin(met.high, extreme)
    return Spread(np.where(surely, np.maximum(phi, 1.0), phi), psi)


def middle(met: Cells, spread: Spread, *, players: int, size: int) -> Numbers:
    """What the sandwich is filled with: how much the pull of all games on each number varies."""
    pulls = met.squares * met.v * spread.phi
    of_first = met.squares * met.v * spread.psi
    both = met.squares * met.t * (spread.phi + spread.psi) / 2.0
    low, high, kind = met.low, met.high, players + met.kind
    flat = np.zeros(size * size)
    for row, column, much in (
        *((low, low, pulls), (high, high, pulls), (low, high, -pulls), (high, low, -pulls)),
        *((low, kind, both), (kind, low, both), (high, kind, -both), (kind, high, -both)),
        (kind, kind, of_first),
    ):
        flat += np.bincount(row * size + column, much, size * size)
    found: Numbers = flat.reshape(size, size)
    return found


def _left_by_the_fit(met: Cells, known: Numbers, players: int) -> tuple[Numbers, Numbers]:
    """Of how many meetings the variance of D, and of A, is left after the fit, which follows each of them a little."""
    low, high, kind = met.low, met.high, players + met.kind
    a = known[low, low] + known[high, high] - 2.0 * known[low, high]
    b = known[low, kind] - known[high, kind]
    c = known[kind, kind]
    t = np.divide(met.t, met.v, out=np.zeros_like(met.t), where=met.v > 0.0)  # between -1 and 1
    lead = met.unlike - met.weight * met.v * (a + 2.0 * t * b + t**2 * c)
    first = met.unlike - met.weight * met.v * (t**2 * a + 2.0 * t * b + c)
    return np.maximum(lead, 0.0), np.maximum(first, 0.0)


def _pooled(met: Cells, squares: Numbers, left: Numbers, which: np.typing.NDArray[np.bool_]) -> Numbers:
    """What was seen relative to what is expected, over each group; with one meeting of independent games added."""
    groups = int(met.group.max(initial=-1)) + 1

    def summed(of_cells: Numbers) -> Numbers:
        sums: Numbers = np.bincount(met.group, np.where(which, of_cells, 0.0), groups).astype(float)
        return sums

    number = summed(met.weight)
    one = np.divide(summed(met.weight * met.v), number, out=np.ones(groups), where=number > 0.0)
    one = np.maximum(one, np.finfo(float).tiny)
    return ((summed(squares) + one) / (summed(left) + one))[met.group]


def _own(met: Cells, meetings: Numbers, expected: Numbers, players: int) -> Numbers:
    """How many times as large the spread of each player is as that of all; 1 unless players are proven to differ."""

    def summed(of_cells: Numbers) -> Numbers:
        sums: Numbers = np.bincount(met.low, of_cells, players) + np.bincount(met.high, of_cells, players).astype(float)
        return sums

    g, wanted = summed(meetings), summed(expected)
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
