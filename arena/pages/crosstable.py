"""The crosstable: the points of each of the first agents against each other one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.history.words import counted
from arena.pages import parts
from arena.pages.html import element, words
from arena.ratings.points import IN_CROSSTABLE

if TYPE_CHECKING:
    from arena.pages.links import Links
    from arena.results.report import Report
    from db.scores import HeadToHead


def crosstable(report: Report, links: Links) -> list[str]:
    """The table and its explanation; empty if no game that counts has finished."""
    players = [agent.name for agent in report.agents[:IN_CROSSTABLE]]
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
            parts.name(name, links.agent(name), place=place, person=report.people.get(name, "")),
            *(_met(links, name, other, met, alike=alike) for other, met in zip(players, cells, strict=True)),
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


def _met(links: Links, name: str, other: str, met: HeadToHead | None, *, alike: bool) -> str:
    if name == other:
        return parts.cell("", "self")
    if met is None:
        return parts.cell("")
    score = met.points / met.games
    kind = "ahead" if score > 0.5 else "behind" if score < 0.5 else "even"
    text = parts.share(met.points) + f"/{met.games}" * (not alike)
    label = f"{name} against {other}: {parts.share(met.points)} of {met.games}"
    return parts.cell(parts.linked(text, links.pair(name, other), aria_label=label), kind)
