"""Who leads by points, and who scored what against whom: standings and crosstables, from what games came to.

Values in, values out: the command line shows them, and a plain list of games can be ranked by points as by any other
rating. Equal points are parted by the tie-breaks, in their order; who is equal in all of them shares a rank.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import permutations
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from arena.ratings.tiebreaks import TIEBREAKS, rounded, tiebreaks
from db.scores import Meetings, Score, Scores

if TYPE_CHECKING:
    from db.records import RatedGame


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
    """By name, in the order in which they count."""
    faults: dict[str, int]
    """How many games were lost by which fault."""


class Crosstable(Struct, frozen=True):
    """Who scored what against whom."""

    players: list[str]
    """In the order of the standings."""
    cells: list[list[Meetings | None]]
    """A row for each player; None where two have not met."""


def of(games: Iterable[RatedGame]) -> Scores:
    """What these games came to, counted as the record counts its own."""
    results = Scores()
    for game in games:
        for seat, (name, points) in enumerate(zip(game.names, game.points, strict=True)):
            won = int(points == 1.0)
            results.player(name).add(1, points, wins=won, losses=int(points == 0.0), wins_second=won if seat > 0 else 0)
        for one, other in permutations(range(len(game.names)), 2):
            results.meet(game.names[one], game.names[other], 1, game.points[one])
    return results


def standings(
    results: Scores, entered: Iterable[str] = (), byes: Mapping[str, float] = MappingProxyType({})
) -> list[Standing]:
    """Everybody in order: those who have played, and those who are only `entered`; `byes` are points without games."""
    played = {name: results.players.get(name, Score()) for name in sorted({*results.players, *entered})}
    scores = {name: replace(score, points=score.points + byes.get(name, 0.0)) for name, score in played.items()}
    breaks = tiebreaks(scores, results.meetings)
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
                points=rounded(score.points),
                score=rounded(played[name].points / score.games) if score.games else None,
                tiebreaks=breaks[name],
                faults=dict(sorted(score.faults.items())),
            )
        )
    return found


def crosstable(
    results: Scores, entered: Iterable[str] = (), byes: Mapping[str, float] = MappingProxyType({})
) -> Crosstable:
    """Everybody against everybody, in the order of the standings."""
    players = [standing.name for standing in standings(results, entered, byes)]
    return Crosstable(players, [[results.meetings.get((one, other)) for other in players] for one in players])


def _key(score: Score, tiebreaks: Mapping[str, float]) -> list[float]:
    """What decides about the rank, the more the better."""
    return [rounded(score.points), *(tiebreaks[name] for name in TIEBREAKS)]
