"""Tie-breaks: numbers that order players with equal points, from their points against each opponent.

`points.py` ranks by them. For every tie-break, higher is better. None depends on the order of the games or on names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import fsum
from typing import Final

from db.scores import HeadToHead, Score

TIEBREAKS: Final = ("direct", "sonneborn_berger", "buchholz", "buchholz_cut1", "wins", "wins_second")
"""In the order in which they are applied."""


def tiebreaks(
    scores: Mapping[str, Score], meetings: Mapping[tuple[str, str], HeadToHead]
) -> dict[str, dict[str, float]]:
    """The tie-breaks of all players, by name and in order.

    `direct`: points against the players with equal points. `sonneborn_berger`: the sum over all games of its points
    times the opponent's points. `buchholz`: the sum over all games of the opponent's points. `buchholz_cut1`: as
    `buchholz`, without one game against the opponent with the fewest points. `wins`. `wins_second`: wins in any seat
    but the first.
    """
    points = {name: score.points for name, score in scores.items()}
    level = {name: rounded(number) for name, number in points.items()}
    met: dict[str, dict[str, HeadToHead]] = {name: {} for name in scores}
    for (name, opponent), meeting in meetings.items():
        met[name][opponent] = meeting
    return {
        name: dict(zip(TIEBREAKS, _of(scores[name], met[name], points, level, level[name]), strict=True))
        for name in scores
    }


def rounded(number: float) -> float:
    """Rounded to 9 digits, so that sums of thirds compare equal."""
    return round(number, 9)


def _of(
    score: Score, met: Mapping[str, HeadToHead], points: Mapping[str, float], level: Mapping[str, float], own: float
) -> Iterator[float]:
    """The tie-breaks of a player. `met`: its points against each opponent; `level`: `points`, rounded; `own`: its own
    level."""
    # Only the sums are rounded: with rounded terms the result would depend on the order of addition.
    buchholz = fsum(meeting.games * points[opponent] for opponent, meeting in met.items())
    yield rounded(fsum(meeting.points for opponent, meeting in met.items() if level[opponent] == own))
    yield rounded(fsum(meeting.points * points[opponent] for opponent, meeting in met.items()))
    yield rounded(buchholz)
    yield rounded(buchholz - min((points[opponent] for opponent in met), default=0.0))
    yield score.wins
    yield score.wins_second
