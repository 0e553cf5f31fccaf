"""The pages of a tournament: standings with the picture of the ratings, crosstable, bracket."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from arena.history.words import moment
from arena.pages import parts
from arena.pages import standings as tables
from arena.pages.bracket import bracket as bracket_parts
from arena.pages.crosstable import crosstable as crosstable_parts
from arena.pages.drawing import Document
from arena.pages.html import element, words
from arena.pages.ratings_picture import ratings
from arena.web import links
from arena.web.links import TournamentLinks
from arena.web.pages import frame

if TYPE_CHECKING:
    from arena.results.report import Report
    from arena.web.results import Heading

LADDER: Final = "ladder"
_NO_KNOCKOUT: Final = "This tournament is not a knockout."


def standings(heading: Heading, report: Report) -> Document:
    """The standings of a tournament, or of a ladder, whose agents are ranked by rating."""
    own = TournamentLinks(heading.title)
    ladder = heading.format == LADDER
    picture, style = ratings(report)
    listed = tables.by_rating(report, own) if ladder else tables.standings(report, own)
    return frame.page(
        heading.title,
        element("div", *_about(heading, report), id="about", data_fresh=True),
        element("section", element("h2", "Standings"), *listed, id="standings", data_fresh=True),
        element("section", *picture, id="ratings", data_fresh=True),
        of=heading,
        at=links.tournament(heading.title),
        made=report.made,
        json=links.api(heading.title),
        stream=links.events(t=heading.title),
        styles=(style,),
    )


def _about(heading: Heading, report: Report) -> list[str]:
    if heading.format != LADDER:
        return [tables.about(report), tables.notice(report)]
    facts = {
        "Game": heading.game,
        "Format": heading.format,
        "Clock": heading.clock,
        "Agents": f"{len(report.agents):,}",
        "Games": f"{heading.over:,}",
    }
    return [parts.facts(facts), *_closing(heading, report.made)]


def _closing(heading: Heading, now: datetime) -> list[str]:
    """When the ladder takes its last submission, and when its final was over."""
    if heading.closes is None:
        return []
    text = "It takes submissions until" if now < heading.closes else "It has taken no submissions since"
    text += f" {moment(heading.closes)}."
    if heading.finished is not None:
        text += f" Its final ended at {moment(heading.finished)}."
    return [element("p", words(text))]


def crosstable(heading: Heading, report: Report) -> Document:
    """The points of the first agents against each other."""
    shown = crosstable_parts(report, TournamentLinks(heading.title))
    return frame.page(
        "Crosstable",
        element("div", *(shown[1:] or [element("p", "No game that counts has finished yet.")])),
        of=heading,
        at=links.crosstable(heading.title),
        made=report.made,
        json=links.api(heading.title, "crosstable"),
    )


def bracket(heading: Heading, report: Report) -> Document:
    """The bracket of a knockout."""
    shown = bracket_parts(report, TournamentLinks(heading.title))
    return frame.page(
        "Bracket",
        element("div", *([element("h2", "Rounds"), *shown[1:]] if shown else [element("p", _NO_KNOCKOUT)])),
        of=heading,
        at=links.bracket(heading.title),
        made=report.made,
        json=links.api(heading.title),
    )
