"""Standings by points, and crosstables.

Values in, values out: commands show them, and a plain list of games can be ranked by points as by any other system.
Tie-breaks order players with equal points; players who are equal in all tie-breaks share a rank. Formats that rank in
another way pass an `Order`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import permutations
from math import fsum
from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from db.records import RatedGame
from db.scores import HeadToHead, Score, Scores

# Tie-breaks: numbers that order players with equal points, from their points against each opponent.


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


IN_CROSSTABLE: Final = 100
"""How many players a crosstable for people has at most: the first of the standings."""
_FORFEIT: Final = "forfeit"
"""The verdict of a game that was forfeited without being played."""


class Order(Struct, frozen=True):
    """How a format ranks players, if not by points and tie-breaks only."""

    apart: frozenset[str] = frozenset()
    """Players who are ranked separately and listed after the others: the challengers of a gauntlet, who play other
    opponents and far more games. Both groups are ranked by score first."""
    places: Mapping[str, tuple[float, ...]] = {}
    """By name, the keys that rank players instead of points, higher is better: the rounds reached in a knockout."""


BY_POINTS: Final = Order()
APART: Final = "gauntlet"
"""What the players `apart` are called in tables and on pages."""
_IN_A_GAUNTLET: Final = ("sonneborn_berger", "wins", "wins_second")
"""The tie-breaks of a gauntlet: players who are ranked together never meet, and all have the same opponents."""


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
    """Points per game, without byes; None without games."""
    tiebreaks: dict[str, float]
    """By name, in the order in which they count."""
    faults: dict[str, int]
    """By fault, the number of games that were lost by it."""
    forfeits: int = 0
    """Number of games that were not played and gave points because another player forfeited them."""
    apart: bool = False
    """Whether the player is a challenger of a gauntlet; challengers are ranked separately."""


class Crosstable(Struct, frozen=True):
    """The points of each player against each other player."""

    players: list[str]
    """In the order of the standings."""
    cells: list[list[HeadToHead | None]]
    """A row for each player; None if two players have not met."""


def of(games: Iterable[RatedGame]) -> Scores:
    """The points of these games, counted as `db.scores` counts recorded games."""
    results = Scores()
    for game in games:
        names, shares = game.names, game.points
        forfeit = game.verdict == _FORFEIT
        for seat, (name, points) in enumerate(zip(names, shares, strict=True)):
            won = int(points == 1.0)
            score = results.player(name)
            score.forfeits += forfeit and points > 0.0
            score.add(1, points, wins=won, losses=int(points == 0.0), wins_second=won if seat > 0 else 0)
        for one, other in permutations(range(len(names)), 2):
            results.meet(names[one], names[other], 1, shares[one])
    return results


def standings(
    results: Scores,
    entered: Iterable[str] = (),
    byes: Mapping[str, float] = MappingProxyType({}),
    order: Order = BY_POINTS,
) -> list[Standing]:
    """The standings of all players: those who have played, and those who are `entered`. `byes`: points for byes."""
    played = {name: results.players.get(name, Score()) for name in sorted({*results.players, *entered})}
    scores = {name: replace(score, points=score.points + byes.get(name, 0.0)) for name, score in played.items()}
    breaks = tiebreaks(scores, results.head_to_head)
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
    """The crosstable of all players, in the order of the standings."""
    players = [standing.name for standing in standings(results, entered, byes, order)]
    return Crosstable(players, [[results.head_to_head.get((one, other)) for other in players] for one in players])


def _key(name: str, score: Score, tiebreaks: Mapping[str, float], order: Order) -> list[float]:
    """The keys that rank a player, higher is better."""
    if order.places:
        return list(order.places.get(name, (0.0,)))
    if not order.apart:
        return [rounded(score.points), *(tiebreaks[name] for name in TIEBREAKS)]
    share = rounded(score.points / score.games) if score.games else -1.0
    return [share, rounded(score.points), *(tiebreaks[each] for each in _IN_A_GAUNTLET)]
