"""Grades for a course: each agent's score and rating, and its verdict against each bar.

Values in, values out. A bar is an agent of the tournament. "better" means that the likelihood of superiority (LOS) of
the student's agent over the bar, from all games of the tournament, is at least 95 %; "not better" that it is at most
5 %.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from math import ceil, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from adsearch.errors import nearly, quote
from arena.errors import BadRating

if TYPE_CHECKING:
    from arena.ratings.estimates import Estimates
    from arena.ratings.points import Standing
    from arena.ratings.ranking import Ranking
    from db.records import PastGame, RatedGame

SURE = 0.95
_SURE_FROM: Final = NormalDist().inv_cdf(SURE)
"""The lead, in standard errors, at which the likelihood of superiority is SURE."""
MOST_MORE: Final = 1000
"""Largest number of further games that is reported; if more are needed, the two are about equally strong."""
_COLUMNS: Final = (
    *("agent", "status", "rank", "games", "wins", "draws", "losses", "points", "score", "rating", "error"),
    *("faults", "reasons", "marks", "marks_why", "grade"),
)
"""The columns of every agent, besides those of the bars; the last three only with a table of marks."""


class Against(StrEnum):
    """The verdict on an agent against a bar."""

    BETTER = "better"
    NOT_BETTER = "not better"
    UNDECIDED = "undecided"


class Bar(Struct, frozen=True):
    """An agent compared with one bar."""

    stands: Against
    los: float
    """The likelihood of superiority: the probability that the agent is stronger than the bar."""
    games: list[str]
    """The games of the two that count, as `arena replay` takes them: "cs101-12"."""
    next: Against
    """The verdict after the next round: every pairing so far once more, with results as the ratings predict."""
    more: int | None = None
    """About how many more games of the agent would decide, at the same average score; None if it is decided, or if it
    would take more than MOST_MORE."""


def bars(
    games: Sequence[RatedGame], fit: Estimates, wanted: Mapping[str, str], tournament: str
) -> dict[str, dict[str, Bar]]:
    """Each agent compared with each bar. `fit`: the ratings by these games. `wanted`: the bar's title -> the agent that
    is the bar. A bar is not compared with itself."""
    _apart(wanted)
    place = {name: number for number, name in enumerate(fit.names)}
    for bar, name in wanted.items():
        if name not in place:
            raise BadRating(f"bar {bar}={name}: no agent {quote(name)} has a rated game{nearly(name, sorted(place))}")
    pool = {name: number for number, names in enumerate(fit.pools) for name in names}
    met: dict[tuple[str, str], list[RatedGame]] = {}
    played = Counter(chain.from_iterable(game.names for game in games))
    compared = {*wanted.values()}
    for game in games:
        for bar in compared.intersection(game.names):
            for name in {*game.names}:
                met.setdefault((name, bar), []).append(game)

    def stands(name: str, other: str) -> Bar:
        own = met.get((name, other), [])
        their_games = [f"{tournament}-{game.number}" for game in own]
        if pool[name] != pool[other]:
            return Bar(Against.UNDECIDED, 0.5, their_games, Against.UNDECIDED)
        los = fit.superiority(place[name], place[other])
        stands = _stands(los)
        lead, error = fit.lead(place[name], place[other])
        more = more_games(played[name], lead, error) if stands is Against.UNDECIDED else None
        return Bar(stands, los, their_games, _after_a_round(lead, error), more)

    return {name: {bar: stands(name, other) for bar, other in wanted.items() if name != other} for name in fit.names}


def _apart(bars: Collection[str]) -> None:
    """Raises BadRating if a column of a bar has the same name as another column."""
    taken = Counter([*_COLUMNS, *(title for bar in bars for title in _titles(bar))])
    for bar in bars:
        if twice := next((title for title in _titles(bar) if taken[title] > 1), None):
            raise BadRating(f"bar {bar}: the column {quote(twice)} already exists; give the bar another name")


def _titles(bar: str) -> tuple[str, str, str, str]:
    return bar, f"{bar}_likely", f"{bar}_games", f"{bar}_more"


def _stands(los: float) -> Against:
    return Against.BETTER if los >= SURE else Against.NOT_BETTER if los <= 1.0 - SURE else Against.UNDECIDED


def _after_a_round(lead: float, error: float) -> Against:
    """The verdict after twice as many games: results as predicted leave the lead as it is, and standard errors are
    proportional to 1 / sqrt(number of games)."""
    needed = _SURE_FROM * error / sqrt(2.0)
    return Against.BETTER if lead >= needed else Against.NOT_BETTER if lead <= -needed else Against.UNDECIDED


def more_games(played: int, lead: float, error: float) -> int | None:
    """About how many more games make this lead significant; None for more than MOST_MORE.

    Standard errors are proportional to 1 / sqrt(number of games)."""
    if abs(lead) * sqrt(1.0 + MOST_MORE / played) < _SURE_FROM * error:
        return None
    more = max(0.0, played * ((_SURE_FROM * error / lead) ** 2 - 1.0))
    step = 2 if more <= 20 else 10 if more <= 200 else 100  # the estimate is not more exact
    return max(2, ceil(more / step) * step)


def reasons(games: Sequence[PastGame], count: Collection[int]) -> dict[str, list[str]]:
    """For each agent its losses by a fault, with the reasons, oldest first; only the games whose ids are in `count`."""
    found: dict[str, list[str]] = {}
    for game in sorted(games, key=lambda game: game.number):
        if game.id in count and game.fault is not None and game.ruling is None:
            why = f"{game.verdict} ({game.detail})" if game.detail else game.verdict
            found.setdefault(game.players[game.fault], []).append(f"{game.tournament}-{game.number}: {why}")
    return found


def table(
    *,
    standings: Sequence[Standing],
    ranking: Ranking,
    bars: Mapping[str, Mapping[str, Bar]],
    faults: Mapping[str, Sequence[str]],
    wanted: Sequence[str],
    statuses: Mapping[str, str],
) -> list[dict[str, Any]]:
    """A row for each agent, in the order of the standings; `wanted`: the titles of the bars. The challengers of a
    gauntlet come last, without a rank."""
    rated = {player.name: player for player in ranking.players}
    rows = []
    for one in standings:
        player = rated.get(one.name)
        row: dict[str, Any] = {
            "agent": one.name,
            "status": statuses.get(one.name, "active"),
            "rank": None if one.apart else one.rank,
            "games": one.games,
            "wins": one.wins,
            "draws": one.draws,
            "losses": one.losses,
            "points": one.points,
            "score": one.score,
            "rating": None if player is None or player.rating is None else round(player.rating, 1),
            "error": None if player is None or player.error is None else round(player.error, 1),
        }
        for name in wanted:
            bar = bars.get(one.name, {}).get(name)
            row[name] = None if bar is None else str(bar.stands)
            row[f"{name}_likely"] = None if bar is None else round(bar.los, 4)
            row[f"{name}_games"] = [] if bar is None else bar.games
            row[f"{name}_more"] = None if bar is None else bar.more
        rows.append(row | {"faults": len(faults.get(one.name, ())), "reasons": "; ".join(faults.get(one.name, ()))})
    return rows
