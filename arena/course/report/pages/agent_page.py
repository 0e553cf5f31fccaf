"""The page of one agent: its scores against the others, the ratings of its versions, its faults and its games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from arena.course.report.pages.frame import frame
from arena.course.report.pages.game_lists import in_parts
from arena.pages import agent as about
from arena.pages import standings
from arena.pages.html import element

if TYPE_CHECKING:
    from arena.course.report.pages.addresses import Addresses
    from arena.results.report import ListedGame, Report, ReportedAgent


def pages(
    report: Report, agent: ReportedAgent, own: Sequence[ListedGame], where: Addresses
) -> Iterator[tuple[str, str]]:
    """The pages of an agent, each with its address. `own`: the games of the agent."""
    at = where.agent(agent.name)
    links = where.seen_from(at)
    progress, style = about.progress(agent)
    bracket = report.bracket
    first = [
        about.facts(agent, made=report.made, reached="" if bracket is None else bracket.reached(agent.name)),
        about.against(agent.name, list(_met(report, agent)), links),
        *progress,
        *about.faults(agent, own, links),
    ]
    for place, listed in in_parts(where, at, own, of=agent.name):
        above = first if place == at else []
        yield place, frame(report, place, agent.name, *above, element("h2", "Games"), listed, style=style)


def _met(report: Report, agent: ReportedAgent) -> Iterator[about.Met]:
    """The agents that it met, in the order of the standings."""
    for other in report.agents:
        met = report.head_to_head.get((agent.name, other.name))
        if met is not None and other.name != agent.name:
            yield about.Met(other.name, met.points, met.games, other.standing.rank, standings.rating(other))
