"""The values and the pages of the web for tests, made from databases or by hand; without a server."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from msgspec.structs import replace

from arena.pages.drawing import Document
from arena.ratings.ranking import ANCHOR, Ranked
from arena.results.report import Report, ReportedAgent
from arena.web.links import Wanted
from arena.web.pages import result_pages
from arena.web.results import (
    AgentView,
    GamesPart,
    Heading,
    Opponent,
    Overview,
    PlayingGame,
    VersionCurve,
    WorstLoss,
)
from db.ladder import RatingPoint
from tests.kit.sample_reports import NOW, crowd, reported


def heading(title: str, report: Report, format: str = "round-robin") -> Heading:
    """What stands above the pages of this tournament."""
    return Heading(
        id=1,
        title=title,
        format=format,
        game=report.game,
        clock=report.clock,
        status=report.status,
        agents=len(report.agents),
        over=report.over,
        planned=None if format == "ladder" else report.planned,
        finished=None,
        closes=NOW + timedelta(days=3) if format == "ladder" else None,
    )


def as_ladder(report: Report) -> Report:
    """The report with its agents ranked by rating, the last one an anchor."""
    rated = sorted(report.agents, key=lambda agent: -(_rated(agent).rating or 0.0))
    agents = [replace(agent, rated=replace(_rated(agent), rank=rank)) for rank, agent in enumerate(rated, 1)]
    anchor = replace(_rated(agents[-1]), rank=None, rank_low=None, rank_high=None, marks=[ANCHOR])
    agents[-1] = replace(agents[-1], rated=anchor)
    assert report.ranking is not None
    ranking = replace(report.ranking, players=list(map(_rated, agents)))
    return replace(report, format="ladder", agents=agents, ranking=ranking)


def _rated(agent: ReportedAgent) -> Ranked:
    assert agent.rated is not None
    return agent.rated


def curve(number: int, ratings: Sequence[float]) -> VersionCurve:
    """A version that played ten games between any two of these ratings."""
    points = [
        RatingPoint(NOW + timedelta(hours=step), rating, 200.0 / (step + 1), 10 * (step + 1))
        for step, rating in enumerate(ratings)
    ]
    return VersionCurve(number=number, points=points)


def web_pages(file: Path, names: Sequence[str], title: str, *, games: int = 2) -> dict[str, Document]:
    """Every page of a ladder and of a tournament, in which all of these agents have played each other; by name."""
    found = reported(crowd(file, names, games=games), "cs101")
    report = replace(found, title=title)
    cup, ladder = heading(title, report), heading(title, report, "ladder")
    agents, listed = [agent.name for agent in report.agents], found.games
    one, other = agents[:2]
    wanted = Wanted(player=one, opponent=other, result="loss", verdict="time", round=1)
    part = GamesPart(
        heading=cup,
        wanted=Wanted(),
        games=listed[:20],
        newer=None,
        older="c/?&=",
        agents=sorted(agents),
        verdicts=["normal", "time", "void"],
        rounds=3,
    )
    lost = [game for game in listed if one in game.players and other in game.players]
    view = AgentView(
        heading=ladder,
        agent=as_ladder(report).agents[0],
        version=2,
        curves=[curve(1, [1500.0, 1400.0, 1420.0]), curve(2, [1450.0, 1520.0, 1600.0])],
        worst=[WorstLoss(game=game, opponent=other, rating=1234.5) for game in lost],
        opponents=[Opponent(name=name, games=4, points=2.5) for name in agents[1:]],
        latest=[game for game in listed if one in game.players][:20],
        made=NOW,
    )
    playing = [PlayingGame(id=7, title=title, round=2, number=3, players=[one, other])]
    return {
        "home": result_pages.home(Overview(ladders=[ladder], tournaments=[cup], playing=playing), signed_in=False),
        "empty home": result_pages.home(Overview(ladders=[], tournaments=[], playing=[]), signed_in=False),
        "standings": result_pages.standings(cup, report),
        "ladder": result_pages.standings(ladder, as_ladder(report)),
        "crosstable": result_pages.crosstable(cup, report),
        "games": result_pages.games(part),
        "wanted games": result_pages.games(replace(part, wanted=wanted, games=lost, newer="", older=None)),
        "no games": result_pages.games(replace(part, wanted=wanted, games=[], older=None)),
        "agent": result_pages.agent(view),
        "message": result_pages.message("Not found", f"There is no {title} at this address."),
    }
