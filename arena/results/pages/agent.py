"""Parts of the page of one agent: its facts, scores against the others, ratings of its versions, and faults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from adsearch.pictures.svg import split_style
from arena.history.pages.html import element, words
from arena.history.words import counted
from arena.ratings import plots
from arena.ratings.plots.ranking_plot import MARKS
from arena.results.pages import parts, standings

if TYPE_CHECKING:
    from arena.results.pages.links import Links
    from arena.results.report import ListedGame, Report, ReportedAgent


def facts(report: Report, agent: ReportedAgent) -> str:
    """The agent's rank, points, games and rating."""
    one = agent.standing
    known = {
        "Rank": str(one.rank) + " in the gauntlet" * one.apart,
        **({} if report.bracket is None else {"Reached": report.bracket.reached(agent.name)}),
        "Points": parts.share(one.points) + f" ({parts.share(agent.bye)} without a game)" * bool(agent.bye),
        "Games": f"{one.games:,}: {one.wins:,} won, {one.draws:,} drawn, {one.losses:,} lost",
        **({"By forfeit": f"{one.forfeits:,} of the games won"} if one.forfeits else {}),
        "Score": parts.percent(one.score),
    }
    if agent.rated is not None and agent.rated.rating is not None:
        error = "" if agent.rated.error is None else f" ± {standings.error(agent)}"
        marks = "".join(f", {MARKS[mark]}" for mark in agent.rated.marks)
        known["Rating"] = standings.rating(agent) + error + marks
    if agent.status != "active":
        known["Status"] = agent.status
    return parts.facts(known)


def against(report: Report, agent: ReportedAgent, links: Links) -> str:
    """The agent's score against each other agent."""
    rows = [
        element(
            "tr",
            parts.figure(str(other.standing.rank)),
            parts.name(other.name, links.agent(other.name)),
            parts.figure(standings.rating(other)),
            parts.figure(parts.share(met.points)),
            parts.figure(parts.percent(met.points / met.games)),
            parts.cell(
                parts.linked(
                    games := counted(met.games, "game"),
                    links.pair(agent.name, other.name),
                    aria_label=f"{games} against {other.name}",
                )
            ),
        )
        for other in report.agents
        if other.name != agent.name and (met := report.head_to_head.get((agent.name, other.name))) is not None
    ]
    if not rows:
        return element("h2", "Against each opponent") + element("p", "No game that counts has finished yet.")
    columns = [("Rank", "number"), ("Agent", ""), ("Rating", "number"), ("Points", "number"), ("Score", "number")]
    columns += [("Games", "")]
    return element("h2", "Against each opponent") + parts.table("Against each opponent", columns, rows)


def progress(agent: ReportedAgent) -> tuple[list[str], str]:
    """The rating of each version, and the style sheet of its picture."""
    if len(agent.versions) < 2:
        return [], ""
    line = plots.of_versions(agent.name, agent.versions)
    explanation = (
        "Every version is rated as a separate player, from all games, including those of earlier versions. The rating "
        "above counts only games between current versions, so it can differ from the last one here."
    )
    style, picture = split_style(plots.progress([line], title=f"Versions of {agent.name}"))
    shown = [
        element("h2", "Rating of each version"),
        parts.box("Picture of the ratings of all versions", element("figure", picture)),
        element("p", explanation, class_="faint"),
    ]
    return shown, style


def faults(agent: ReportedAgent, own: Sequence[ListedGame], links: Links) -> list[str]:
    """The games that the agent lost by its own fault."""
    lost = [game for game in own if game.fault is not None and game.players[game.fault] == agent.name]
    if not lost:
        return []
    items = []
    for game in lost:
        number = f"Game {game.number}" + f", attempt {game.attempt}" * (game.attempt > 1)
        named = parts.linked(number, links.game(game))
        notes = "".join(f" ({note})" for note in game.notes)
        items.append(element("li", named, words(f": {game.ended}{notes}")))
    return [element("h2", "Faults"), element("ul", *items)]
