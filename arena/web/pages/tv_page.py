"""The TV page: one game after the other on a large board, for a projector, with the standings beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from arena.history import words
from arena.pages.drawing import Document, part
from arena.results import figures
from arena.web import links
from arena.web.links import TournamentLinks
from arena.web.pages import frame

if TYPE_CHECKING:
    from arena.results.report import ListedGame, Report
    from arena.web.results import Titled

_TOP: Final = 6
"""Number of agents in the standings."""


def page(drawn: Mapping[str, str], side: Mapping[str, str], *, of: Titled | None) -> Document:
    """The page. `drawn`: the parts of the game that is shown now; empty if there is none. `side`: standings and last
    results."""
    title = "" if of is None else of.title
    return frame.drawn(
        "tv.html",
        title or "TV",
        of=of,
        at=links.tv(title),
        stream=links.events(tv=title),
        modules=("tv.js", "screens.js"),
        drawn=drawn,
        side=side,
        tv=links.TV,
    )


def side(report: Report, latest: Sequence[ListedGame]) -> dict[str, str]:
    """The parts beside the board."""
    own = TournamentLinks(report.title)
    return {
        "standings": part("leaders", [*_standings(report, own)]),
        "results": part("results", [*_results(latest, own)]),
    }


def _standings(report: Report, own: TournamentLinks) -> Iterator[tuple[str, str, str]]:
    """The first agents, each with its page and its rating; with its points if no agent is rated."""
    are_rated = any(agent.rated is not None and agent.rated.rating is not None for agent in report.agents)
    for agent in [agent for agent in report.agents if agent.status == "active"][:_TOP]:
        rating = None if agent.rated is None else agent.rated.rating
        unrated = "–" if are_rated else words.number(agent.standing.points)
        number = unrated if rating is None else figures.whole(rating)
        yield words.printable(agent.name), own.agent(agent.name), number


def _results(latest: Sequence[ListedGame], own: TournamentLinks) -> Iterator[tuple[list[tuple[str, str]], str]]:
    """The last games, each with its players and result."""
    for game in latest:
        players = [(words.printable(name), own.agent(name)) for name in game.players]
        yield players, words.result(game.points or (None,))
