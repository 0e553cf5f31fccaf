"""The expected standard errors of a tournament's ratings, computed from its schedule before it is played.

Players are assumed to be equally strong and never to draw; results then vary most. All games then have the same Fisher
information, and the errors depend only on how often each two players meet.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np

from arena.ratings.duels import Numbers
from arena.ratings.estimates import PRIOR
from arena.ratings.scale import ELO, WIDTH

_VARIANCE: Final = 0.25
"""Variance of the score of one game between equals without draws."""


def expected_errors(
    together: Numbers, *, seats: int = 2, prior: float = PRIOR, anchors: Collection[int] = ()
) -> Numbers:
    """Half the width of the 95 % confidence interval of each player's rating, in Elo.

    `together`: a symmetric matrix with the number of games that each two players play together, in games for that many
    `seats`. Ratings are relative to the mean of the `anchors` (indices), else to the mean of all players."""
    informed = information(seats) * together
    matrix = np.diag(informed.sum(axis=1) + prior * _VARIANCE) - informed
    players = len(together)
    anchored = sorted(anchors) or list(range(players))
    shift = np.eye(players)
    shift[:, anchored] -= 1.0 / len(anchored)
    covariance = shift @ np.linalg.inv(matrix) @ shift.T
    found: Numbers = WIDTH * ELO * np.sqrt(np.diag(covariance))
    return found


def information(seats: int) -> float:
    """The Fisher information of one game for that many seats about the difference of two of its players.

    In the Plackett-Luce model a game is a sequence of choices: the best of all, then the best of the rest, and so on.
    When k of s equal players are left, both of the two are among them with probability k(k-1) / s(s-1), and each is
    chosen with probability 1/k."""
    return sum((k - 1) / k for k in range(2, seats + 1)) / (seats * (seats - 1))
