"""The front page of a report: standings, ratings with their errors, a knockout's bracket, and the crosstable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from adsearch.pictures.svg import split_style
from arena.course.report.pages import addresses, bracket, parts
from arena.history.pages.html import element, words
from arena.history.words import counted
from arena.ratings.plots.ranking_plot import ranking_plot
from arena.ratings.points import IN_CROSSTABLE
from arena.results.standings_table import counted_faults

if TYPE_CHECKING:
    from arena.course.report.gather import Report, ReportedAgent
    from arena.course.report.pages.addresses import Addresses
    from db.scores import HeadToHead


def page(report: Report, where: Addresses) -> str:
    """The front page."""
    ratings, style = _ratings(report)
    return parts.frame(
        report,
        addresses.FRONT,
        report.title,
        _about(report),
        _notice(report),
        element("h2", "Standings"),
        *_standings(report, where),
        *bracket.parts_of(report, where),
        *ratings,
        *_crosstable(report, where),
        style=style,
    )


def _about(report: Report) -> str:
    """The game, the format, and the number of finished games."""
    facts = {
        "Game": report.game,
        "Format": report.format,
        "Clock": report.clock,
        "Agents": f"{len(report.agents):,}",
        "Games": f"{report.over:,}" if report.over == report.planned else f"{report.over:,} of {report.planned:,}",
    }
    return parts.facts(facts)


def _notice(report: Report) -> str:
    """A notice if games are still to be played; empty otherwise."""
    if report.status == "finished":
        return ""
    how = "This tournament is still being played" if report.status == "running" else "This tournament was stopped"
    text = f"{how}: {report.over:,} of {report.planned:,} games have finished (as of {parts.moment(report.made)})."
    return element("p", words(text), class_="notice")


# Standings.


def _standings(report: Report, where: Addresses) -> list[str]:
    rated = report.ranking is not None
    forfeits = any(agent.standing.forfeits for agent in report.agents)
    columns = [
        ("Rank", "number"),
        ("Agent", ""),
        *([("Reached", "")] if report.bracket is not None else []),
        ("Points", "number"),
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
        rows = [_standing(agent, report, where, rated=rated, forfeits=forfeits) for agent in agents]
        return parts.table(caption, columns, rows)

    note = "Faults are games lost by misbehaviour: running out of time, an illegal move, a crash and so on."
    if forfeits:
        note += " By forfeit: wins without a game, because the opponent was withdrawn or quarantined."
    if any(agent.bye for agent in report.agents):
        note += " Points include those for byes (rounds without an opponent)."
    tables = [listed("Standings", apart=False)]
    if any(agent.standing.apart for agent in report.agents):
        tables += [
            element("h3", "The gauntlet"),
            element("p", "These agents play all the others, and are ranked among themselves.", class_="faint"),
            listed("The gauntlet", apart=True),
        ]
    return [*tables, element("p", note, class_="faint")]


def _standing(agent: ReportedAgent, report: Report, where: Addresses, *, rated: bool, forfeits: bool) -> str:
    one = agent.standing
    status = "" if agent.status == "active" else element("span", words(agent.status), class_="note")
    return element(
        "tr",
        parts.figure(str(one.rank)),
        parts.name(agent.name, where.agent(agent.name), status=status),
        *([parts.cell(words(report.bracket.reached(agent.name)))] if report.bracket is not None else []),
        parts.figure(parts.share(one.points)),
        *([parts.figure(f"{one.forfeits:,}" if one.forfeits else "")] if forfeits else []),
        *([parts.figure(parts.percent(one.score))] if report.bracket is None else []),
        *([parts.figure(rating(agent)), parts.figure(error(agent))] if rated else []),
        *(parts.figure(f"{count:,}") for count in (one.games, one.wins, one.draws, one.losses)),
        parts.cell(words(counted_faults(one.faults)), "faults"),
    )


def rating(agent: ReportedAgent) -> str:
    """The rating; a dash if there is none."""
    return "–" if agent.rated is None or agent.rated.rating is None else parts.whole(agent.rated.rating)


def error(agent: ReportedAgent) -> str:
    """The error of the rating; a dash if there is none."""
    return "–" if agent.rated is None or agent.rated.error is None else parts.whole(agent.rated.error)


# Ratings.


def _ratings(report: Report) -> tuple[list[str], str]:
    """The picture of the ratings with an explanation, and its style sheet."""
    found = report.ranking
    if found is None or not any(player.rank is not None for player in found.players):
        return [], ""
    explanation = (
        "Ratings are in Elo, computed from all rated games together: an agent rated 100 higher scores about 64 % "
        "against the other. The true rating is within the bar 95 times in 100; where bars overlap, it is not "
        "certain who is stronger."
    )
    if found.pools > 1:
        explanation += " Players that no games connect are in different pools: compare ratings only within a pool."
    if len(found.players) > IN_CROSSTABLE:
        explanation += f" The picture shows the first {IN_CROSSTABLE} of {len(found.players):,} agents."
        found = replace(found, players=found.players[:IN_CROSSTABLE])
    style, picture = split_style(ranking_plot(found, title="Each rating with its 95 % error"))
    shown = [
        element("h2", "Ratings"),
        parts.box("Picture of the ratings", element("figure", picture)),
        element("p", words(explanation), class_="faint"),
    ]
    return shown, style


# The crosstable.


def _crosstable(report: Report, where: Addresses) -> list[str]:
    players = [*where.crosstable]
    rows = {one: [report.head_to_head.get((one, other)) for other in players] for one in players}
    games = {met.games for cells in rows.values() for met in cells if met is not None}
    if not games:
        return []
    alike = len(games) == 1
    heads = [("Agent", "name")]
    heads += [
        (element("abbr", str(place), title=words(name)) + element("span", words(f" {name}"), class_="unseen"), "")
        for place, name in enumerate(players, 1)
    ]
    lines = [
        element(
            "tr",
            parts.name(name, where.agent(name), place=place),
            *(_met(where, name, other, met, alike=alike) for other, met in zip(players, cells, strict=True)),
        )
        for place, (name, cells) in enumerate(rows.items(), 1)
    ]
    explanation = "Each cell: the points of the row's agent against the column's agent, out of "
    explanation += f"{counted(max(games), 'game')}." if alike else "the number of games after the slash."
    if len(players) < len(report.agents):
        explanation += f" The table has the first {len(players)} of {len(report.agents):,} agents."
        explanation += " The page of each agent has all its opponents."
    return [
        element("h2", "Crosstable"),
        element("p", explanation, class_="faint"),
        parts.table("Crosstable", heads, lines, kind="crosstable"),
    ]


def _met(where: Addresses, name: str, other: str, met: HeadToHead | None, *, alike: bool) -> str:
    if name == other:
        return parts.cell("", "self")
    if met is None:
        return parts.cell("")
    score = met.points / met.games
    kind = "ahead" if score > 0.5 else "behind" if score < 0.5 else "even"
    text = parts.share(met.points) + f"/{met.games}" * (not alike)
    label = f"{name} against {other}: {parts.share(met.points)} of {met.games}"
    return parts.cell(parts.linked(text, where.pair(name, other), addresses.FRONT, aria_label=label), kind)
