"""Progress: the rating of each version of an agent, from one Bradley-Terry fit in which every version is a player.

Values in, values out. All versions are on one scale, whenever they played: later, stronger opponents or the losses of
an earlier version do not lower the rating of a version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from adsearch.errors import nearly, quote
from arena.errors import BadRating
from arena.ratings import bradley_terry
from arena.ratings.bradley_terry import Fit
from arena.ratings.duels import duels
from arena.ratings.estimates import PRIOR
from db.records import RatedGame


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
