"""The front page of a report: standings, ratings with their errors, a knockout's bracket, and the crosstable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.course.report.pages import addresses
from arena.course.report.pages.frame import frame
from arena.pages import standings
from arena.pages.bracket import bracket
from arena.pages.crosstable import crosstable
from arena.pages.html import element
from arena.pages.ratings_picture import ratings

if TYPE_CHECKING:
    from arena.course.report.pages.addresses import Addresses
    from arena.results.report import Report


def page(report: Report, where: Addresses) -> str:
    """The front page."""
    links = where.seen_from(addresses.FRONT)
    picture, style = ratings(report)
    return frame(
        report,
        addresses.FRONT,
        report.title,
        standings.about(report),
        standings.notice(report),
        element("h2", "Standings"),
        *standings.standings(report, links),
        *bracket(report, links),
        *picture,
        *crosstable(report, links),
        style=style,
    )
