"""Standings and crosstables, computed from what the games came to.

Values in, values out; the command line and the live table of a tournament show them. Players with equal points are
told apart by what they scored against each other, then by whom they scored against, then by wins; who is equal in all
of it shares a rank.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from db.results import Meetings, Results, Score

TIEBREAKS: Final = ("direct", "sonneborn_berger", "wins")


class Standing(Struct, frozen=True):
    """One line of the standings."""

    rank: int
    name: str
    games: int
    wins: int
    draws: int
    losses: int
    points: float
    score: float | None
    """Points a game, byes left out; None without games."""
    tiebreaks: dict[str, float]
    """`direct`: points against those with equal points. `sonneborn_berger`: the sum over all opponents of the points
    scored against them, times their own points. `wins`."""
    faults: dict[str, int]
    """How many games were lost by which fault."""


class Crosstable(Struct, frozen=True):
    """Who scored what against whom."""

    players: list[str]
    """In the order of the standings."""
    cells: list[list[Meetings | None]]
    """A row for each player; None where two have not met."""


def standings(
    results: Results, entered: Iterable[str] = (), byes: Mapping[str, float] = MappingProxyType({})
) -> list[Standing]:
    """Everybody in order: those who have played, and those who are only `entered`; `byes` are points without games."""
    played = {name: results.players.get(name, Score()) for name in sorted({*results.players, *entered})}
    scores = {name: replace(score, points=score.points + byes.get(name, 0.0)) for name, score in played.items()}
    breaks = _tiebreaks(scores, results.meetings)
    keys = {name: _key(scores[name], breaks[name]) for name in scores}
    ordered = sorted(scores, key=lambda name: ([-part for part in keys[name]], name))
    found: list[Standing] = []
    for number, name in enumerate(ordered, 1):
        score = scores[name]
        tied = number > 1 and keys[name] == keys[ordered[number - 2]]
        found.append(
            Standing(
                rank=found[-1].rank if tied else number,
                name=name,
                games=score.games,
                wins=score.wins,
                draws=score.draws,
                losses=score.losses,
                points=_rounded(score.points),
                score=_rounded(played[name].points / score.games) if score.games else None,
                tiebreaks=breaks[name],
                faults=dict(sorted(score.faults.items())),
            )
        )
    return found


def crosstable(results: Results, entered: Iterable[str] = ()) -> Crosstable:
    """Everybody against everybody, in the order of the standings."""
    players = [standing.name for standing in standings(results, entered)]
    return Crosstable(players, [[results.meetings.get((one, other)) for other in players] for one in players])


def _tiebreaks(
    scores: Mapping[str, Score], meetings: Mapping[tuple[str, str], Meetings]
) -> dict[str, dict[str, float]]:
    points = {name: _rounded(score.points) for name, score in scores.items()}
    direct, sonneborn_berger = dict.fromkeys(scores, 0.0), dict.fromkeys(scores, 0.0)
    for (name, opponent), met in meetings.items():
        sonneborn_berger[name] += met.points * points[opponent]
        if points[name] == points[opponent]:
            direct[name] += met.points
    return {
        name: {
            "direct": _rounded(direct[name]),
            "sonneborn_berger": _rounded(sonneborn_berger[name]),
            "wins": scores[name].wins,
        }
        for name in scores
    }


def _key(score: Score, tiebreaks: Mapping[str, float]) -> list[float]:
    """What decides about the rank, the more the better."""
    return [_rounded(score.points), *(tiebreaks[name] for name in TIEBREAKS)]


def _rounded(number: float) -> float:
    """Without what sums of thirds leave over in the last digits."""
    return round(number, 9)
