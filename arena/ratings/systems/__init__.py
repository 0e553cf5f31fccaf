"""The rating systems, a file each. A module is loaded only when its system is used, because numpy loads slowly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from adsearch.errors import meant, quote
from adsearch.plugins import Plugins
from arena.errors import BadRating

if TYPE_CHECKING:
    from arena.ratings.ranking import FittedSystem, Ranking, RankingSettings, RatingSystem
    from db.records import PairCount, RatedGame

SYSTEMS: Final = Plugins("arena.ratings.systems", "arena.ratings", "SYSTEM")
FOR_TWO: Final = "elo"
"""The default for games of two players."""
FOR_SEVERAL: Final = "plackett-luce"
"""The default if all games have more players."""


def names() -> tuple[str, ...]:
    """The names of our systems."""
    return SYSTEMS.names()


def find(name: str) -> RatingSystem:
    """The system of that name, ours or that of an installed package; BadRating if there is none."""
    from arena.ratings.ranking import RatingSystem

    found = SYSTEMS.find(name)
    if not isinstance(found, RatingSystem):
        raise BadRating(f"expected a rating system ({', '.join(names())}), got {quote(name)}{meant(name, names())}")
    return found


def taking(option: str) -> list[str]:
    """The names of our systems that use this option."""
    return [name for name in names() if option in find(name).options]


def default(games: Sequence[RatedGame]) -> FittedSystem:
    """The default system for these games."""
    from arena.ratings.ranking import FittedSystem

    found = find(FOR_SEVERAL if games and all(len(game.names) > 2 for game in games) else FOR_TWO)
    assert isinstance(found, FittedSystem)
    return found


def rank(
    games: Sequence[RatedGame],
    counts: Sequence[PairCount] = (),
    *,
    system: RatingSystem | None = None,
    settings: RankingSettings | None = None,
) -> Ranking:
    """The ranking of all players with a rated game. `games`: in the order of play. `counts`: only for a system for two.
    `system`: by default the one for such games."""
    from arena.ratings.ranking import RankingSettings

    chosen, how = settings or RankingSettings(), system or default([] if counts else games)
    if chosen.anchors and "anchor" not in how.options:
        only = " and ".join(taking("anchor"))
        raise BadRating(f"anchors are for {only} only: {how} starts from fixed numbers")
    return how.rank(games, counts, chosen)
