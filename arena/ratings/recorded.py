"""Rankings of what is recorded: ratings that were computed earlier, without a fit, and the progress of each version of
an agent. Values in, values out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import erf, sqrt
from types import MappingProxyType
from typing import Any

import numpy as np
from msgspec import Struct

from adsearch.errors import nearly, quote
from arena.errors import BadRating
from arena.ratings import bradley_terry, systems
from arena.ratings.bradley_terry import Fit
from arena.ratings.duels import duels
from arena.ratings.estimates import PRIOR, connected
from arena.ratings.ranking import ANCHOR, Ranked, Ranking, marks
from arena.ratings.scale import DIGITS, WIDTH, ranks
from db.records import RatedGame
from db.scores import Score, Scores


class RecordedRatings(Struct, frozen=True):
    """The rating of a player."""

    rating: float
    error: float
    """Half the width of the 95 % confidence interval."""


def ranking(
    ratings: Mapping[str, RecordedRatings], results: Scores, *, anchors: Collection[str] = (), one_scale: bool = False
) -> Ranking:
    """The ranking of all players with a recorded rating. Another player is surely better or worse if the difference of
    their ratings is larger than its 95 % error; `rank_low` and `rank_high` count only those.

    `one_scale`: all can be compared, because anchors hold the scale; those have no rank, and are not counted in the
    ranks of others. Otherwise only players whom games connect can be compared."""
    unranked = anchors if one_scale else ()
    met = [pair for pair in results.head_to_head if pair[0] in ratings and pair[1] in ratings]
    pools = (tuple(sorted(ratings)),) if one_scale and ratings else connected(sorted(ratings), met)
    opponents = _opponents(ratings, results)
    players = [
        Ranked(
            name=name,
            opponents=opponents.get(name),
            pool=number,
            **place,
            **_results(results.players.get(name, Score()), is_anchor=name in anchors, is_ranked=name not in unranked),
        )
        for number, pool in enumerate(pools, 1)
        for name, place in _places(pool, ratings, unranked)
    ]
    # In a game of three each player meets two others.
    of_several = sum(one.games for one in results.head_to_head.values()) > sum(
        one.games for one in results.players.values()
    )
    system = systems.FOR_SEVERAL if of_several else systems.FOR_TWO
    return Ranking(system=systems.find(system), players=players, pools=len(pools))


def _places(
    pool: Sequence[str], ratings: Mapping[str, RecordedRatings], unranked: Collection[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The players of a pool, best first: rating, rank, and how sure they are."""
    ranked = ranks({name: ratings[name].rating for name in pool}, unranked)
    names = sorted(pool, key=lambda name: (-round(ratings[name].rating, DIGITS), name))
    values = np.round([ratings[name].rating for name in names], DIGITS)
    errors = np.array([ratings[name].error for name in names])
    counts = np.array([name in ranked for name in names])
    for at, name in enumerate(names):
        leads, unsure = values[at] - values, np.hypot(errors[at], errors)
        yield (
            name,
            {
                "rank": ranked.get(name),
                "rank_low": 1 + int(np.sum(counts & (leads < -unsure))) if counts[at] else None,
                "rank_high": len(ranked) - int(np.sum(counts & (leads > unsure))) if counts[at] else None,
                "rating": ratings[name].rating,
                "error": ratings[name].error,
                "los": _superiority(leads[at + 1], unsure[at + 1]) if at + 1 < len(names) else None,
            },
        )


def _superiority(lead: float, unsure: float) -> float:
    """The probability that the better rated one is stronger; `unsure`: the 95 % error of the lead."""
    if not unsure:
        return 1.0 if lead else 0.5
    return 0.5 * (1.0 + erf(lead / unsure * WIDTH / sqrt(2.0)))


def _results(score: Score, *, is_anchor: bool, is_ranked: bool) -> dict[str, Any]:
    return {
        "games": score.games,
        "wins": score.wins,
        "draws": score.draws,
        "losses": score.losses,
        "points": round(score.points, 9),
        "score": score.points / score.games if score.games else 0.0,
        "marks": [*marks(score.games, score.wins, score.losses) * is_ranked, *[ANCHOR] * is_anchor],
    }


def _opponents(ratings: Mapping[str, RecordedRatings], results: Scores) -> dict[str, float]:
    """The mean rating of each player's opponents, weighted by games."""
    games: dict[str, int] = {}
    total: dict[str, float] = {}
    for (name, opponent), met in results.head_to_head.items():
        if opponent in ratings:
            games[name] = games.get(name, 0) + met.games
            total[name] = total.get(name, 0.0) + met.games * ratings[opponent].rating
    return {name: total[name] / count for name, count in games.items() if count}


# Progress: the rating of each version of an agent, from one Bradley-Terry fit in which every version is a player.


class VersionRating(Struct, frozen=True):
    """The rating of one version."""

    version: str
    """Such as "alice@2"."""
    at: str | None
    """The time at which its last game ended."""
    games: int
    rating: float
    error: float
    better: float | None
    """The likelihood of superiority over the version before; None for the first version, and if no games connect the
    two."""


def progress(
    games: Sequence[RatedGame], *, prior: float = PRIOR, anchors: Mapping[str, float] = MappingProxyType({})
) -> dict[str, list[VersionRating]]:
    """The versions of each agent, in the order of their numbers.

    `games`: the games of all players, with versions in their names; only games of two are rated. `anchors`: names
    without versions; every version of an anchor gets the anchor's rating. Without a prior, a version that has won or
    lost every game has no rating and is left out."""
    of_two = [game for game in games if len(game.names) == 2]
    fit = _fit(of_two, anchors, prior)
    played: dict[str, list[RatedGame]] = {}
    for game in of_two:
        for version in {*game.names}:
            played.setdefault(version, []).append(game)
    errors, place = fit.errors(), {version: number for number, version in enumerate(fit.names)}
    pool = {version: number for number, versions in enumerate(fit.pools) for version in versions}
    found: dict[str, list[VersionRating]] = {}
    for version in sorted(fit.names, key=_by_number):
        earlier, at = found.setdefault(agent(version), []), place[version]
        before = earlier[-1].version if earlier else None
        connected = before is not None and pool[before] == pool[version]
        one = VersionRating(
            version=version,
            at=max((game.finished for game in played[version] if game.finished is not None), default=None),
            games=len(played[version]),
            rating=float(fit.ratings[at]),
            error=float(errors[at]),
            better=fit.superiority(at, place[before]) if before is not None and connected else None,
        )
        earlier.append(one)
    return found


def agent(version: str) -> str:
    """The agent of this version."""
    return version.rpartition("@")[0]


def _by_number(version: str) -> tuple[str, int]:
    name, _, number = version.rpartition("@")
    return name, int(number)


def _fit(games: Sequence[RatedGame], anchors: Mapping[str, float], prior: float) -> Fit:
    """The ratings of all versions, with every version of an anchor anchored at the anchor's rating."""
    columns = duels(games)
    players = {agent(version) for version in columns.names}
    for anchor in anchors:
        if anchor not in players:
            raise BadRating(
                f"no anchor {quote(anchor)}: no rated player has that name{nearly(anchor, sorted(players))}"
            )
    anchored = {version: anchors[agent(version)] for version in columns.names if agent(version) in anchors}
    if not prior:  # an anchor that has won or lost everything has no rating
        rated = bradley_terry.fit(columns, prior=prior).names
        anchored = {version: rating for version, rating in anchored.items() if version in rated}
    return bradley_terry.fit(columns, prior=prior, anchors=anchored)
