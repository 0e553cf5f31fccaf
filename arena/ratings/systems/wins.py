"""Wins alone: a draw is worth nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from arena.ratings import points
from arena.ratings.ranking import RatingSystem, by_points

if TYPE_CHECKING:
    from arena.ratings.ranking import Ranking, Settings
    from db.records import PairCount, RatedGame


class _Wins(RatingSystem):
    name = "wins"
    method = "wins; a draw counts nothing"
    unit = "points"
    for_points = True

    def rank(self, games: Sequence[RatedGame], counts: Sequence[PairCount], settings: Settings) -> Ranking:
        del counts, settings
        won = [replace(game, points=tuple(float(share == 1) for share in game.points)) for game in games]
        return by_points(self, points.standings(points.of(won)))


SYSTEM: Final = _Wins()
