"""The page that tells authors why their agents lost: the page of `arena course feedback`, on the server.

Its games lead to their pages, on which their authors also read what their agents said.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from arena.course.feedback.write import of_feedback
from arena.pages.drawing import Document
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
    values = of_feedback(feedback, links.position, TournamentLinks(round.title).agent)
    name = title(has_lost=asked.has_lost)
    values |= {"heading": name, "others": [*_others(asked)]}
    return frame.drawn("feedback.html", name, of=round, at=links.WHY, above=links.OWN, made=feedback.made, **values)


def no_games(asked: AskedFor) -> Document:
    """The page without games."""
    name = title(has_lost=False)
    values: dict[str, Any] = {"heading": name, "others": [*_others(asked)], "feedback": None}
    return frame.drawn("feedback.html", name, of=asked.ladder, at=links.WHY, above=links.OWN, **values)


def _others(asked: AskedFor) -> Iterator[tuple[str, str, bool]]:
    """The page of each agent, if the author has several: its address, its name, and whether it is shown."""
    if len(asked.further) > 1:
        author, _, shown = asked.agent.partition(SECOND_AGENT)
        yield from ((links.why(one), one or author, one == shown) for one in asked.further)
