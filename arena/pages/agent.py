"""Parts of the page of one agent: its facts, scores against the others, ratings of its versions, and faults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from adsearch.pictures.svg import split_style
from arena.history.words import counted
from arena.pages import parts, standings
from arena.pages.html import element, words
from arena.ratings import plots
from arena.ratings.plots.ranking_plot import MARKS

if TYPE_CHECKING:
    from datetime import datetime

    from arena.pages.links import Links
    from arena.results.report import ListedGame, ReportedAgent


class Met(NamedTuple):
    """The games of an agent against another one."""

    name: str
    points: float
    """Of the agent."""
    games: int
    rank: int | None = None
    rating: str = ""


def facts(agent: ReportedAgent, *, made: datetime, reached: str = "", by_rating: bool = False) -> str:
    """The agent's rank, points, games and rating. `made`: when the page is made; `reached`: the round that it reached
    in a knockout; `by_rating`: of a ladder, whose ranks are those of the ratings."""
    one = agent.standing
    byes = f" ({parts.share(agent.bye)} for byes, rounds without an opponent)" if agent.bye else ""
    points = parts.share(one.points) + byes
    known = {
        "Rank": standings.rank_by_rating(agent) if by_rating else str(one.rank) + " in the gauntlet" * one.apart,
        **({"Reached": reached} if reached else {}),
        **({} if by_rating else {"Points": points}),
        "Games": f"{one.games:,}: {one.wins:,} won, {one.draws:,} drawn, {one.losses:,} lost",
        **({"By forfeit": f"{one.forfeits:,} of the games won"} if one.forfeits else {}),
        "Score": parts.percent(one.score),
    }
    if agent.rated is not None and agent.rated.rating is not None:
        error = "" if agent.rated.error is None else f" ± {standings.error(agent)}"
        marks = "".join(f", {MARKS[mark]}" for mark in agent.rated.marks)
        known["Rating"] = standings.rating(agent) + error + marks + standings.basis(agent, made)
    if agent.status != "active":
        known["Status"] = agent.status
    return parts.facts(known)


def against(name: str, others: Sequence[Met], links: Links) -> str:
    """The score of the agent `name` against each other agent that it met."""
    if not others:
        return element("h2", "Against each opponent") + element("p", "No game that counts has finished yet.")
    ranked, rated = any(met.rank is not None for met in others), any(met.rating for met in others)
    rows = [
        element(
            "tr",
            *([parts.figure("" if met.rank is None else str(met.rank))] * ranked),
            parts.name(met.name, links.agent(met.name)),
            *([parts.figure(met.rating)] * rated),
            parts.figure(parts.share(met.points)),
            parts.figure(parts.percent(met.points / met.games)),
            parts.cell(
                parts.linked(
                    games := counted(met.games, "game"),
                    links.pair(name, met.name),
                    aria_label=f"{games} against {met.name}",
                )
            ),
        )
        for met in others
    ]
    columns = [*([("Rank", "number")] * ranked), ("Agent", ""), *([("Rating", "number")] * rated)]
    columns += [("Points", "number"), ("Score", "number"), ("Games", "")]
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
