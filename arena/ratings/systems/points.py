"""Points, as a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.ratings import points
from arena.ratings.ranking import Ranking, RankingSettings, RatingSystem, by_points
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
