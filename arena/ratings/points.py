"""Who leads by points, and who scored what against whom: standings and crosstables, from what games came to.

Values in, values out: the command line shows them, and a plain list of games can be ranked by points as by any other
rating. Equal points are parted by the tie-breaks, in their order; players who are equal in all of them share a rank.
Some formats rank in another way, which an `Order` says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import permutations
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from arena.ratings.tiebreaks import TIEBREAKS, rounded, tiebreaks
from db.scores import Meetings, Score, Scores

if TYPE_CHECKING:
    from db.records import RatedGame


_FORFEIT: Final = "forfeit"
"""The verdict of a game that was not played."""


class Order(Struct, frozen=True):
    """How a format ranks where points alone would mislead."""

    apart: frozenset[str] = frozenset()
    """Players who are ranked among themselves and listed after the others: those who meet everybody in a gauntlet. They
    play other opponents than the rest, and far more games. Both parts are ranked by score first."""
    places: Mapping[str, tuple[float, ...]] = {}
    """By name what ranks players instead of points, the more the better: how far they came in a knockout."""


BY_POINTS: Final = Order()
_IN_A_GAUNTLET: Final = ("sonneborn_berger", "wins", "wins_second")
"""Its tie-breaks: players who are ranked together never meet, and all have the same opponents to meet."""


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
    forfeits: int = 0
    """How many of the games were not played, and brought points because another player forfeited them."""
    apart: bool = False
    """Whether it is ranked among those few who meet everybody in a gauntlet."""


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
            score = results.player(name)
            score.forfeits += game.verdict == _FORFEIT and points > 0.0
            score.add(1, points, wins=won, losses=int(points == 0.0), wins_second=won if seat > 0 else 0)
        for one, other in permutations(range(len(game.names)), 2):
            results.meet(game.names[one], game.names[other], 1, game.points[one])
    return results


def standings(
    results: Scores,
    entered: Iterable[str] = (),
    byes: Mapping[str, float] = MappingProxyType({}),
    order: Order = BY_POINTS,
) -> list[Standing]:
    """Everybody in order: those who have played, and those who are only `entered`; `byes` are points without games."""
    played = {name: results.players.get(name, Score()) for name in sorted({*results.players, *entered})}
    scores = {name: replace(score, points=score.points + byes.get(name, 0.0)) for name, score in played.items()}
    breaks = tiebreaks(scores, results.meetings)
    keys = {name: _key(name, scores[name], breaks[name], order) for name in scores}
    together = [name for name in scores if name not in order.apart]
    apart = [name for name in scores if name in order.apart]
    found: list[Standing] = []
    for names in (together, apart):
        ordered = sorted(names, key=lambda name: ([-part for part in keys[name]], name))
        rank = 1
        for number, name in enumerate(ordered, 1):
            if number > 1 and keys[name] != keys[ordered[number - 2]]:
                rank = number
            score = scores[name]
            found.append(
                Standing(
                    rank=rank,
                    name=name,
                    games=score.games,
                    wins=score.wins,
                    draws=score.draws,
                    losses=score.losses,
                    points=rounded(score.points),
                    score=rounded(played[name].points / score.games) if score.games else None,
                    tiebreaks=breaks[name],
                    faults=dict(sorted(score.faults.items())),
                    forfeits=score.forfeits,
                    apart=name in order.apart,
                )
            )
    return found


def crosstable(
    results: Scores,
    entered: Iterable[str] = (),
    byes: Mapping[str, float] = MappingProxyType({}),
    order: Order = BY_POINTS,
) -> Crosstable:
    """Everybody against everybody, in the order of the standings."""
    players = [standing.name for standing in standings(results, entered, byes, order)]
    return Crosstable(players, [[results.meetings.get((one, other)) for other in players] for one in players])


def _key(name: str, score: Score, tiebreaks: Mapping[str, float], order: Order) -> list[float]:
    """What decides about the rank, the more the better."""
    if order.places:
        return list(order.places.get(name, (0.0,)))
    if not order.apart:
        return [rounded(score.points), *(tiebreaks[name] for name in TIEBREAKS)]
    share = rounded(score.points / score.games) if score.games else -1.0
    return [share, rounded(score.points), *(tiebreaks[each] for each in _IN_A_GAUNTLET)]
