"""Ratings over time, of one player or of all: what the table would have said after each part of the games.

Values in, values out. Each moment is one fit of all games that were over by then. Every version of everybody is a
player of its own ("alice@2"), so a later submission is not blamed for the losses of an earlier one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from adsearch.errors import nearly, quote
from arena.errors import BadRating
from arena.ratings import bradley_terry
from arena.ratings.duels import duels
from arena.ratings.estimates import PRIOR
from db.records import RatedGame

POINTS_OF_ONE = 24
"""How many moments a player has at most, and one more for each version that another followed."""
POINTS_OF_ALL = 16
"""The same where all players are asked for, who share their moments."""


class Moment(Struct, frozen=True):
    """Where a player stood after some of its games."""

    version: str
    """Such as "alice@2"."""
    at: str | None
    """When the last of those games was over."""
    games: int
    """Of this version, by then."""
    total: int
    """Of the player, by then."""
    rating: float
    error: float


def ratings_over_time(
    games: Sequence[RatedGame],
    *,
    of: str | None = None,
    prior: float = PRIOR,
    anchors: Mapping[str, float] = MappingProxyType({}),
    points: int | None = None,
) -> dict[str, list[Moment]]:
    """The moments of each player, or of the player `of` alone, in order.

    `games` are those of everybody, with versions in their names; only games for two are rated. `anchors` are names
    without versions: each version of an anchor is one. Nobody has two moments without a game in between. Without a
    prior, a moment at which a version had won or lost all its games has no rating and is left out."""
    of_two = [game for game in games if len(game.names) == 2]
    _refuse_unknown(anchors, {agent(player) for game in of_two for player in game.names})
    found: dict[str, list[Moment]] = {}
    total: Counter[str] = Counter()
    of_version: Counter[str] = Counter()
    since: dict[str, tuple[str, RatedGame]] = {}  # who played since the last moment: as which version, the last game
    fits_after = _moments(of_two, of, points or (POINTS_OF_ALL if of is None else POINTS_OF_ONE))
    for number, game in enumerate(of_two):
        of_version.update(game.names)
        playing = {agent(player): player for player in reversed(game.names)}
        total.update(playing.keys())
        since |= {name: (version, game) for name, version in playing.items() if of in (None, name)}
        if number not in fits_after:
            continue
        fit = _fit(of_two[: number + 1], anchors, prior)
        place = {version: at for at, version in enumerate(fit.names)}
        errors = fit.errors()
        for name, (version, last) in since.items():
            if version in place:
                found.setdefault(name, []).append(
                    Moment(
                        version=version,
                        at=last.finished,
                        games=of_version[version],
                        total=total[name],
                        rating=float(fit.ratings[place[version]]),
                        error=float(errors[place[version]]),
                    )
                )
        since.clear()
    return found


def agent(version: str) -> str:
    """Whose version it is."""
    return version.rpartition("@")[0]


def _refuse_unknown(anchors: Mapping[str, float], players: set[str]) -> None:
    for anchor in anchors:
        if anchor not in players:
            raise BadRating(f"no anchor {quote(anchor)}: nobody called so is rated{nearly(anchor, sorted(players))}")


def _fit(games: Sequence[RatedGame], anchors: Mapping[str, float], prior: float) -> bradley_terry.Fit:
    """The ratings by these games, with every version of an anchor held to its rating."""
    columns = duels(games)
    held = {version: anchors[agent(version)] for version in columns.names if agent(version) in anchors}
    if not prior:  # an anchor may have won or lost everything so far, and then has no rating
        rated = bradley_terry.fit(columns, prior=prior).names
        held = {version: rating for version, rating in held.items() if version in rated}
    return bradley_terry.fit(columns, prior=prior, anchors=held)


def _moments(games: Sequence[RatedGame], of: str | None, points: int) -> set[int]:
    """The numbers of the games after which ratings are asked for: about `points`, evenly spread, the last one, and the
    last game before each change of a version. Only games of the player `of` are looked at."""
    own = [number for number, game in enumerate(games) if of is None or of in map(agent, game.names)]
    step = max(1, -(-len(own) // points))
    chosen = {*own[::-1][::step]}
    latest: dict[str, tuple[str, int]] = {}
    for number in own:
        for version in games[number].names:
            before, last = latest.get(agent(version), (version, number))
            if before != version and of in (None, agent(version)):
                chosen.add(last)
            latest[agent(version)] = version, number
    return chosen
