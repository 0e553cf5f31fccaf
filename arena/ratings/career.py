"""A player's rating over time, version after version: what the table would have said after each part of its games.

Values in, values out. Each point is a fit of all games that were over by then, in which every version of everybody is a
player of its own; so a later submission is not blamed for an earlier one's losses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from adsearch.errors import nearly, quote
from arena.errors import BadRating
from arena.ratings import bradley_terry
from arena.ratings.duels import duels
from arena.ratings.estimates import PRIOR
from db.records import RatedGame

POINTS = 24
"""So many points at most: each is a fit of its own."""


class Moment(Struct, frozen=True):
    """Where the player stood after so many of its games."""

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


def career(
    games: Sequence[RatedGame],
    name: str,
    *,
    prior: float = PRIOR,
    anchors: Mapping[str, float] = MappingProxyType({}),
    points: int = POINTS,
) -> list[Moment]:
    """The moments of `name`, in order; `games` are those of everybody, with versions in their names.

    `anchors` are names without versions: each version of an anchor is one. Without a prior a moment at which all games
    were won, or all lost, has no rating and is left out."""
    of_two = [game for game in games if len(game.names) == 2]
    players = {agent(player) for game in of_two for player in game.names}
    for anchor in anchors:
        if anchor not in players:
            raise BadRating(f"no anchor {quote(anchor)}: nobody called so is rated{nearly(anchor, sorted(players))}")
    own = [number for number, game in enumerate(of_two) if any(agent(player) == name for player in game.names)]
    moments = []
    for last in _spread(own, points, breaks=_changes(of_two, own, name)):
        so_far = of_two[: last + 1]
        version = next(player for player in of_two[last].names if agent(player) == name)
        held = {
            player: anchors[agent(player)]
            for player in {player for game in so_far for player in game.names}
            if agent(player) in anchors
        }
        if not prior:  # an anchor may have won or lost everything so far
            rated = bradley_terry.fit(duels(so_far), prior=prior).names
            held = {player: rating for player, rating in held.items() if player in rated}
        fit = bradley_terry.fit(duels(so_far), prior=prior, anchors=held)
        if version in fit.unrated:
            continue
        place = fit.names.index(version)
        moments.append(
            Moment(
                version=version,
                at=of_two[last].finished,
                games=sum(version in game.names for game in so_far),
                total=own.index(last) + 1,
                rating=float(fit.ratings[place]),
                error=float(fit.errors()[place]),
            )
        )
    return moments


def agent(version: str) -> str:
    """Whose version it is."""
    return version.rpartition("@")[0]


def _changes(games: Sequence[RatedGame], own: Sequence[int], name: str) -> Iterable[int]:
    """The last game of each version."""
    last = {player: number for number in own for player in games[number].names if agent(player) == name}
    return last.values()


def _spread(numbers: Sequence[int], count: int, *, breaks: Iterable[int]) -> list[int]:
    """About `count` of the numbers, evenly, and the `breaks`; the last one is always among them."""
    step = max(1, -(-len(numbers) // count))
    return sorted({*numbers[::-1][::step], *breaks})
