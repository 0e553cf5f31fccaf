"""The plot of a ranking: the dot plot of all players with a rating, with their marks in words."""

from __future__ import annotations

from typing import Final

from arena.ratings.plots.dot_plot import RatingBar, ratings
from arena.ratings.ranking import ANCHOR, ONLY_LOST, ONLY_WON, Ranking

MARKS: Final = {ONLY_WON: "won all", ONLY_LOST: "lost all", ANCHOR: "anchor"}
"""The marks of a ranking in words."""


def ranking_plot(found: Ranking, *, title: str) -> str:
    """The ranking as SVG."""
    bars = [
        RatingBar(
            player.name,
            player.rating,
            player.error,
            ", ".join(MARKS[mark] for mark in player.marks),
            player.rank,
            f"pool {player.pool}" if found.pools > 1 else "",
        )
        for player in found.players
        if player.rating is not None
    ]
    return ratings(bars, title=title, unit=found.system.unit)
