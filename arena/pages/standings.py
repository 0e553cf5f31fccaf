"""The standings of a tournament: what is played, a table of all agents, and what its columns mean."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from arena.history.words import age, counted, moment
from arena.pages import parts
from arena.pages.html import element, words
from arena.ratings.plots.ranking_plot import MARKS
from arena.results.standings_table import counted_faults

if TYPE_CHECKING:
    from datetime import datetime

    from arena.pages.links import Links
    from arena.results.report import Report, ReportedAgent


_FAULTS: Final = "Faults are games lost by misbehaviour: running out of time, an illegal move, a crash and so on."


def about(report: Report) -> str:
    """The game, the format, and the number of finished games."""
    facts = {
        "Game": report.game,
        "Format": report.format,
        "Clock": report.clock,
        "Agents": f"{len(report.agents):,}",
        "Games": f"{report.over:,}" if report.over == report.planned else f"{report.over:,} of {report.planned:,}",
    }
    return parts.facts(facts)


def notice(report: Report) -> str:
    """A notice if games are still to be played; empty otherwise."""
    if report.status == "finished":
        return ""
    how = "This tournament is still being played" if report.status == "running" else "This tournament was stopped"
    text = f"{how}: {report.over:,} of {report.planned:,} games have finished (as of {moment(report.made)})."
    return element("p", words(text), class_="notice")


# Standings.


def standings(report: Report, links: Links) -> list[str]:
    """The tables of all agents, with an explanation."""
    rated = report.ranking is not None
    byes = any(agent.bye for agent in report.agents)
    forfeits = any(agent.standing.forfeits for agent in report.agents)
    columns = [
        ("Rank", "number"),
        ("Agent", ""),
        *([("Reached", "")] if report.bracket is not None else []),
        ("Points", "number"),
        *([("For byes", "number")] if byes else []),
        *([("By forfeit", "number")] if forfeits else []),
        *([("Score", "number")] if report.bracket is None else []),
        *([("Rating", "number"), ("±", "number")] if rated else []),
        ("Games", "number"),
        ("Won", "number"),
        ("Drawn", "number"),
        ("Lost", "number"),
        ("Faults", ""),
    ]

    def listed(caption: str, *, apart: bool) -> str:
        agents = [agent for agent in report.agents if agent.standing.apart == apart]
        rows = [_standing(agent, report, links, rated=rated, byes=byes, forfeits=forfeits) for agent in agents]
        return parts.table(caption, columns, rows)

    note = _FAULTS
    if forfeits:
        note += " By forfeit: wins without a game, because the opponent was withdrawn or quarantined."
    if byes:
        note += " For byes: points for rounds without an opponent, which count as won; they are part of the points."
    tables = [listed("Standings", apart=False)]
    if any(agent.standing.apart for agent in report.agents):
        tables += [
            element("h3", "The gauntlet"),
            element("p", "These agents play all the others, and are ranked among themselves.", class_="faint"),
            listed("The gauntlet", apart=True),
        ]
    return [*tables, *_age(report), element("p", note, class_="faint")]


def _standing(agent: ReportedAgent, report: Report, links: Links, *, rated: bool, byes: bool, forfeits: bool) -> str:
    one = agent.standing
    status = _notes([agent.status] * (agent.status != "active"))
    return element(
        "tr",
        parts.figure(str(one.rank)),
        parts.name(agent.name, links.agent(agent.name), status=status, person=report.people.get(agent.name, "")),
        *([parts.cell(words(report.bracket.reached(agent.name)))] if report.bracket is not None else []),
        parts.figure(parts.share(one.points)),
        *([parts.figure(parts.share(agent.bye) if agent.bye else "")] if byes else []),
        *([parts.figure(f"{one.forfeits:,}" if one.forfeits else "")] if forfeits else []),
        *([parts.figure(parts.percent(one.score))] if report.bracket is None else []),
        *([parts.figure(rating(agent)), parts.figure(error(agent))] if rated else []),
        *(parts.figure(f"{count:,}") for count in (one.games, one.wins, one.draws, one.losses)),
        parts.cell(words(counted_faults(one.faults)), "faults"),
    )


# Of a ladder.


def by_rating(report: Report, links: Links) -> list[str]:
    """The table of a ladder, whose agents are ranked by their ratings, with an explanation."""
    columns = [("Rank", "number"), ("Agent", ""), ("Rating", "number"), ("±", "number"), ("Rated games", "number")]
    columns += [("Possible ranks", "number"), ("Score", "number")]
    columns += [(result, "number") for result in ("Won", "Drawn", "Lost")]
    faults = any(agent.standing.faults for agent in report.agents)
    columns += [("Faults", "")] * faults
    rows = [_by_rating(agent, report, links, faults=faults) for agent in report.agents]
    note = (
        "Rated games: those of which the rating is made, of the version that plays now; score, won, drawn and lost "
        "count the games of all versions. Possible ranks: the best and the worst rank that the errors of the ratings "
        "allow. An agent is surely better than another one if all its possible ranks are above those of the other. An "
        "anchor has a fixed rating. "
    ) + _FAULTS * faults
    return [parts.table("Standings", columns, rows), *_age(report), element("p", note, class_="faint")]


def _by_rating(agent: ReportedAgent, report: Report, links: Links, *, faults: bool) -> str:
    one, rated = agent.standing, agent.rated
    marks = [MARKS[mark] for mark in rated.marks] if rated is not None else []
    marks += [agent.status] * (agent.status != "active")
    return element(
        "tr",
        parts.figure("–" if rated is None or rated.rank is None else str(rated.rank)),
        parts.name(agent.name, links.agent(agent.name), status=_notes(marks), person=report.people.get(agent.name, "")),
        parts.figure(rating(agent)),
        parts.figure(error(agent)),
        parts.figure(f"{agent.recorded.games:,}" if agent.recorded is not None and agent.recorded.games else "–"),
        parts.figure(_possible(agent)),
        parts.figure(parts.percent(one.score)),
        *(parts.figure(f"{count:,}") for count in (one.wins, one.draws, one.losses)),
        *([parts.cell(words(counted_faults(one.faults)), "faults")] * faults),
    )


def _notes(marks: Iterable[str]) -> str:
    return "".join(element("span", words(mark), class_="note") for mark in marks)


def rank_by_rating(agent: ReportedAgent) -> str:
    """The rank of an agent of a ladder, with its possible ranks; a dash if it has none."""
    if agent.rated is None or agent.rated.rank is None:
        return "–"
    possible = _possible(agent)
    return f"{agent.rated.rank} (possibly {possible})" if "–" in possible else str(agent.rated.rank)


def _possible(agent: ReportedAgent) -> str:
    """The ranks that the errors of the ratings allow; a dash if they are not known."""
    rated = agent.rated
    if rated is None or rated.rank_low is None or rated.rank_high is None:
        return "–"
    return str(rated.rank_low) if rated.rank_low == rated.rank_high else f"{rated.rank_low}–{rated.rank_high}"


# Ratings in words.


def rating(agent: ReportedAgent) -> str:
    """The rating; a dash if there is none."""
    return "–" if agent.rated is None or agent.rated.rating is None else parts.whole(agent.rated.rating)


def basis(agent: ReportedAgent, now: datetime) -> str:
    """Of how many games the recorded rating is made, and how old it is; empty if it is of all games until now."""
    point = agent.recorded
    return "" if point is None or not point.games else f", from {counted(point.games, 'game')}, {age(point.time, now)}"


def _age(report: Report) -> list[str]:
    """How old the ratings are that were recorded last."""
    times = [agent.recorded.time for agent in report.agents if agent.recorded is not None and agent.recorded.games]
    return [element("p", f"The ratings are {age(max(times), report.made)}.")] if times else []


def error(agent: ReportedAgent) -> str:
    """The error of the rating; a dash if there is none."""
    return "–" if agent.rated is None or agent.rated.error is None else parts.whole(agent.rated.error)
