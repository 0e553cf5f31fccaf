"""The bracket of a knockout: a column for each round, one below the other on a phone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from arena.history.words import counted
from arena.pages import parts
from arena.pages.html import element, words
from arena.tournament.formats.knockout import Why

if TYPE_CHECKING:
    from arena.pages.links import Links
    from arena.results.report import Report
    from arena.tournament.formats.knockout import Bracket, Series

_WHY: Final = {
    Why.TIED: "tied: the higher seed goes through",
    Why.BYE: "bye",
    Why.PAIRED: "went through before a ruling",
}
"""The reasons that the score does not show."""


def bracket(report: Report, links: Links) -> list[str]:
    """The bracket and the winner; empty if the tournament is not a knockout."""
    bracket = report.bracket
    if bracket is None:
        return []
    won = (
        []
        if bracket.winner is None
        else [element("p", parts.link(links.agent(bracket.winner), bracket.winner), " wins the knockout.")]
    )
    rounds = [
        element(
            "section",
            element("h3", words(bracket.title(number))),
            element("ol", *(_series(report, bracket, one, links) for one in series)),
        )
        for number, series in enumerate(bracket.rounds, 1)
    ]
    return [
        element("h2", "Bracket"),
        *won,
        parts.box("Bracket", element("div", *rounds, class_="bracket")),
        element("p", "The number before a name is the seed; the number after it, the points.", class_="faint"),
    ]


def _series(report: Report, bracket: Bracket, one: Series, links: Links) -> str:
    players = [
        _player(bracket, one, name, points, links)
        for name, points in zip(one.players, one.points, strict=True)
        if name is not None or one.why is not Why.BYE
    ]
    statuses = {agent.name: agent.status for agent in report.agents}
    return element(
        "li",
        element(
            "div",
            *players,
            _note(report, bracket, one, links, statuses),
            class_="series",
            title=bracket.sentence(one, statuses),
        ),
    )


def _player(bracket: Bracket, one: Series, name: str | None, points: float, links: Links) -> str:
    if name is None:
        return element("div", element("small", ""), element("span", "not known yet", class_="faint"), class_="player")
    return element(
        "div",
        element("small", str(bracket.seed(name))),
        parts.link(links.agent(name), name),
        element("b", words(parts.share(points) if one.games else "")),
        class_="player through" if name == one.winner else "player",
    )


def _note(report: Report, bracket: Bracket, one: Series, links: Links, statuses: Mapping[str, str]) -> str:
    """The number of games, and why a player went through if the points do not show it."""
    first, second = one.players
    notes = []
    met = None if first is None or second is None else report.head_to_head.get((first, second))
    if first is not None and second is not None and met is not None:
        games = counted(met.games, "game")
        label = f"{games} of {first} against {second}"
        notes.append(parts.linked(games, links.pair(first, second), aria_label=label))
    if one.why is Why.WITHDREW:
        notes.append(words(bracket.who_left(one, statuses)))
    elif one.why in _WHY:
        notes.append(words(_WHY[one.why]))
    return element("p", ", ".join(notes), class_="faint") if notes else ""
