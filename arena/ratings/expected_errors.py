"""How sure the ratings of a tournament will be, before it is played: the error bars that its schedule alone leads to.

Players are taken to be equally strong and to draw nothing, which makes results vary most. Then each game of two tells
as much as any other, and the errors follow from who meets whom how often.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np

from arena.ratings.duels import Numbers
from arena.ratings.estimates import ELO, PRIOR, WIDTH

_VARIANCE: Final = 0.25
"""Of the score of one game of equals without draws."""


def expected_errors(
    together: Numbers, *, seats: int = 2, prior: float = PRIOR, anchors: Collection[int] = ()
) -> Numbers:
    """Half the 95 % interval of each player's rating, in Elo.

    `together`: a symmetric matrix of how many games each two play together, in games for that many `seats`. Ratings are
    differences from the mean of the `anchors` (indices), or else from that of all players."""
    informed = information(seats) * together
    matrix = np.diag(informed.sum(axis=1) + prior * _VARIANCE) - informed
    players = len(together)
    held = sorted(anchors) or list(range(players))
    shift = np.eye(players)
    shift[:, held] -= 1.0 / len(held)
    covariance = shift @ np.linalg.inv(matrix) @ shift.T
    found: Numbers = WIDTH * ELO * np.sqrt(np.diag(covariance))
    return found


def information(seats: int) -> float:
    """How much a game for that many seats tells about the difference of two of its players.

    By Plackett-Luce a game is a choice of one among all, then of one among the rest, and so on. While k equals are left
    of s, both of the two are among them with a chance of k(k-1) in s(s-1), and each is chosen with a chance of 1/k."""
    return sum((k - 1) / k for k in range(2, seats + 1)) / (seats * (seats - 1))
