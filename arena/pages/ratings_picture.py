"""The picture of all ratings with their errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from adsearch.pictures.svg import split_style
from arena.pages import parts
from arena.pages.html import element, words
from arena.ratings.plots.ranking_plot import ranking_plot
from arena.ratings.points import IN_CROSSTABLE

if TYPE_CHECKING:
    from arena.results.report import Report


def ratings(report: Report) -> tuple[list[str], str]:
    """The picture of the ratings with an explanation, and its style sheet."""
    found = report.ranking
    if found is None or not any(player.rating is not None for player in found.players):
        return [], ""
    explanation = (
        "Ratings are in Elo, computed from all rated games together: an agent rated 100 higher scores about 64 % "
        "against the other. The true rating is within the bar 95 times in 100; where bars overlap by much, it is not "
        "certain who is stronger."
    )
    if found.pools > 1:
        explanation += " Players that no games connect are in different pools: compare ratings only within a pool."
    if len(found.players) > IN_CROSSTABLE:
        explanation += f" The picture shows the first {IN_CROSSTABLE} of {len(found.players):,} agents."
        found = replace(found, players=found.players[:IN_CROSSTABLE])
    style, picture = split_style(ranking_plot(found, title="Each rating with its 95 % error"))
    shown = [
        element("h2", "Ratings"),
        parts.box("Picture of the ratings", element("figure", picture)),
        element("p", words(explanation), class_="faint"),
    ]
    return shown, style
