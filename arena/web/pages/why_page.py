"""The page that tells authors why their agents lost: the page of `arena feedback` in the web's frame.

Its games lead to their pages, on which their authors also read what their agents said.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from arena.course.feedback.page import page_parts
from arena.pages import parts
from arena.pages.drawing import Document
from arena.pages.html import element
from arena.web import links
from arena.web.links import TournamentLinks
from arena.web.pages import frame
from db.ladder import SECOND_AGENT

if TYPE_CHECKING:
    from arena.course.feedback.sentences import AgentFeedback
    from arena.web.results import Titled
    from arena.web.why import AskedFor


def title(*, has_lost: bool) -> str:
    """What the page is called. `has_lost`: whether there is a lost game to explain."""
    return "Why games were lost" if has_lost else "What your games show"


def why(asked: AskedFor, round: Titled, feedback: AgentFeedback) -> Document:
    """The page about the games of an agent in this round."""
    drawn = page_parts(feedback, links.position, TournamentLinks(round.title).agent)
    return frame.page(
        title(has_lost=asked.has_lost),
        *_others(asked),
        *drawn.result,
        *drawn.rest,
        _back(),
        of=round,
        at=links.WHY,
        made=feedback.made,
        styles=drawn.styles,
    )


def no_games(asked: AskedFor) -> Document:
    """The page without games."""
    said = element("p", "There are no finished games yet.")
    return frame.page(title(has_lost=False), *_others(asked), said, _back(), of=asked.ladder, at=links.WHY)


def _others(asked: AskedFor) -> Iterator[str]:
    """Links to the page of each agent, if the author has several."""
    if len(asked.further) > 1:
        author, _, shown = asked.agent.partition(SECOND_AGENT)
        ways = (parts.link(links.why(one), one or author, current=one == shown) for one in asked.further)
        yield element("nav", element("ul", *(element("li", way) for way in ways)), aria_label="Your agents")


def _back() -> str:
    return element("p", parts.link(links.ME, "Your agents and submissions"))
