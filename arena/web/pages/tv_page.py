"""The TV page: one game after the other on a large board, for a projector, with the standings beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from arena.history import words
from arena.pages import parts
from arena.pages.boards import board_style
from arena.pages.drawing import Document
from arena.pages.html import element
from arena.web import links
from arena.web.links import TournamentLinks
from arena.web.pages import frame
from arena.web.pages.live_page import STYLES

if TYPE_CHECKING:
    from arena.results.report import ListedGame, Report
    from arena.web.results import Titled

_KEY: Final = ". The key f fills the screen."
_TOP: Final = 6
"""Number of agents in the standings."""


def page(drawn: Mapping[str, str], side: Mapping[str, str], *, of: Titled | None) -> Document:
    """The page. `drawn`: the parts of the game that is shown now; empty if there is none. `side`: standings and last
    results."""
    playing = element(
        "div",
        element("p", drawn.get("clocks", ""), id="clocks", class_="clocks"),
        element("div", drawn.get("board", ""), id="board", class_="step"),
        element("p", drawn.get("state", ""), id="state", class_="verdict"),
        element("p", element("a", "This game", id="game", href=links.TV), _KEY, class_="faint"),
        id="playing",
        hidden=not drawn,
    )
    waiting = element("p", "Waiting for the next game.", id="waiting", class_="verdict", hidden=bool(drawn))
    aside = element(
        "div",
        element("section", element("h2", "Standings"), element("ol", side.get("standings", ""), id="standings")),
        element("section", element("h2", "Moves"), element("ol", drawn.get("moves", ""), id="moves")),
        element("section", element("h2", "Last results"), element("ul", side.get("results", ""), id="results")),
        class_="side",
    )
    return frame.page(
        "TV" if of is None else of.title,
        element("div", element("div", playing, waiting, class_="screen"), aside, class_="tv"),
        element("p", drawn.get("last", ""), id="last", class_="unseen"),
        element("p", "", id="status", class_="unseen", role="status"),
        of=of,
        at=links.tv("" if of is None else of.title),
        stream=links.events(tv="" if of is None else of.title),
        modules=("tv.js",),
        styles=(board_style(), *STYLES, "tv.css"),
    )


def side(report: Report, latest: Sequence[ListedGame]) -> dict[str, str]:
    """The parts beside the board."""
    own = TournamentLinks(report.title)
    return {"standings": "".join(_standings(report, own)), "results": "".join(_results(latest, own))}


def _standings(report: Report, own: TournamentLinks) -> Iterator[str]:
    """An item for each of the first agents, with its rating; with its points if no agent is rated."""
    are_rated = any(agent.rated is not None and agent.rated.rating is not None for agent in report.agents)
    for agent in [agent for agent in report.agents if agent.status == "active"][:_TOP]:
        name = parts.link(own.agent(agent.name), words.printable(agent.name), kind="who")
        rating = None if agent.rated is None else agent.rated.rating
        unrated = "–" if are_rated else words.number(agent.standing.points)
        number = unrated if rating is None else f"{rating:.0f}"
        yield element("li", name, " ", element("b", number))


def _results(latest: Sequence[ListedGame], own: TournamentLinks) -> Iterator[str]:
    """An item for each of the last games."""
    for game in latest:
        linked = (parts.link(own.agent(name), words.printable(name)) for name in game.players)
        players = element("span", " – ".join(linked), class_="who")
        yield element("li", players, " ", element("b", words.result(game.points or (None,))))
