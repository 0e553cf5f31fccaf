"""The ranking by ratings that were computed earlier and recorded, without a fit.

Values in, values out. Only each rating's error is recorded, not the covariance. So the error of a difference is that of
two independent ratings.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import erf, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from arena.ratings import systems
from arena.ratings.pools import connected
from arena.ratings.ranking import ANCHOR, Ranked, Ranking, marks
from arena.ratings.scale import DIGITS, WIDTH, ranks
from db.scores import Score

if TYPE_CHECKING:
    from db.scores import Scores


class Recorded(Struct, frozen=True):
    """The rating of a player."""

    rating: float
    error: float
    """Half the width of the 95 % confidence interval."""


def ranking(
    ratings: Mapping[str, Recorded], results: Scores, *, anchors: Collection[str] = (), one_scale: bool = False
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
    pool: Sequence[str], ratings: Mapping[str, Recorded], unranked: Collection[str]
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


def _opponents(ratings: Mapping[str, Recorded], results: Scores) -> dict[str, float]:
    """The mean rating of each player's opponents, weighted by games."""
    games: dict[str, int] = {}
    total: dict[str, float] = {}
    for (name, opponent), met in results.head_to_head.items():
        if opponent in ratings:
            games[name] = games.get(name, 0) + met.games
            total[name] = total.get(name, 0.0) + met.games * ratings[opponent].rating
    return {name: total[name] / count for name, count in games.items() if count}
