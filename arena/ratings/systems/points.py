"""Points, as a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from arena.ratings import points
from arena.ratings.ranking import RatingSystem, by_points

if TYPE_CHECKING:
    from arena.ratings.ranking import Ranking, RankingSettings
    from db.records import PairCount, RatedGame


class _Points(RatingSystem):
    name = "points"
    method = "points; ties: direct encounter, Sonneborn-Berger, Buchholz, wins"
    unit = "points"
    for_points = True

    def rank(self, games: Sequence[RatedGame], counts: Sequence[PairCount], settings: RankingSettings) -> Ranking:
        del counts, settings
        return by_points(self, points.standings(points.of(games)))


SYSTEM: Final = _Points()
