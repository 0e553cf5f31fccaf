"""The TV page: one game after the other on a large board, for a projector, with the standings beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from arena.history import words
from arena.pages import event
from arena.pages.drawing import Document, part
from arena.results import figures
from arena.results.columns import Medium
from arena.results.report import leaders
from arena.results.standings_table import columns_of
from arena.web import links
from arena.web.links import TournamentLinks
from arena.web.pages import frame
from db.ladder import FORMAT as LADDER

if TYPE_CHECKING:
    from datetime import datetime

    from arena.results.report import ListedGame, Report
    from arena.web.results import Titled

_TOP: Final = 5
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


class Upset(Struct, frozen=True):
    """A win against an agent with a higher rating."""

    game: int
    winner: str
    """Its public name."""
    loser: str
    lead: float
    """By how much the loser's rating is higher."""


class Beside(Struct, frozen=True, kw_only=True):
    """What is beside the board of the TV page."""

    report: Report
    latest: Sequence[ListedGame]
    """The last games."""
    upset: Upset | None = None
    """The greatest of the day."""
    closes: datetime | None = None
    """When a ladder closes, or has closed, whose final has not begun."""


def side(beside: Beside) -> dict[str, str]:
    """The parts beside the board, and the one that stands in its place while no game is played."""
    report, own = beside.report, TournamentLinks(beside.report.title)
    first = leaders(report.agents) if report.status == "finished" else []
    is_closed = beside.closes is not None and beside.closes <= report.made
    winners = [(words.printable(name), own.agent(name)) for name in first]
    return {
        "standings": part("leaders", [*_standings(beside.report, own)]),
        "results": part("results", [*_results(beside.latest, own)]),
        "upset": "" if beside.upset is None else part("upset", _upset(beside.upset, own)),
        "soon": "" if beside.closes is None or is_closed else part("soon", beside.closes),
        "waiting": part("waiting", report.title, event.podium(report, own), winners, is_closed),
    }


def _upset(found: Upset, own: TournamentLinks) -> dict[str, str]:
    return {
        "winner": words.printable(found.winner),
        "winner_at": own.agent(found.winner),
        "loser": words.printable(found.loser),
        "loser_at": own.agent(found.loser),
        "lead": figures.whole(found.lead),
        "game_at": links.game(found.game),
    }


def _standings(report: Report, own: TournamentLinks) -> Iterator[tuple[str, str, list[str]]]:
    """The first agents that have a rank, which anchors of a ladder have not: each with its page and its rating, or with
    its points where these decide, and what else is to be seen of it."""
    rated = [one for one in report.agents if one.rated is not None and one.rated.rating is not None]
    needless = "points" if report.format == LADDER and rated else "rating"
    columns = [one for one in columns_of(report.agents, Medium.TV) if one.name not in ("name", needless)]
    for agent in [one for one in report.agents if not one.left and one.standing.rank][:_TOP]:
        yield words.printable(agent.name), own.agent(agent.name), [one.said(agent) for one in columns]


def _results(latest: Sequence[ListedGame], own: TournamentLinks) -> Iterator[tuple[list[tuple[str, str]], str]]:
    """The last games, each with its players and result."""
    for game in latest:
        players = [(words.printable(name), own.agent(name)) for name in game.players]
        yield players, words.result(game.points or (None,))
