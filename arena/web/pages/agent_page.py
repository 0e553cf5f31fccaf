"""The page of an agent: its ratings over time by version, its worst losses, its opponents and its latest games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from adsearch.pictures.svg import split_style
from arena.pages import agent as about
from arena.pages import games as game_table
from arena.pages import parts
from arena.pages.drawing import Document
from arena.pages.html import element, words
from arena.ratings.plots import Line, Point, progress
from arena.web import links
from arena.web.links import TournamentLinks
from arena.web.pages import frame
from arena.web.pages.tournament_pages import LADDER
from arena.web.results import Wanted

if TYPE_CHECKING:
    from arena.pages.links import Links
    from arena.web.results import AgentView, VersionCurve, WorstLoss


def page(view: AgentView) -> Document:
    """The page."""
    title, name = view.heading.title, view.agent.name
    own = TournamentLinks(title)
    picture, style = _ratings(view.curves)
    opponents = [about.Met(one.name, one.points, one.games) for one in view.opponents]
    ladder = view.heading.format == LADDER
    versions, version_style = ([], "") if picture else about.progress(view.agent)
    return frame.page(
        name,
        *([element("p", words(f"By {view.person}"))] if view.person else []),
        about.facts(view.agent, made=view.made, by_rating=ladder),
        *([] if view.version is None else [element("p", f"It plays with version {view.version}.")]),
        *picture,
        *versions,
        *_worst(view.worst, own),
        about.against(name, opponents, own),
        *_latest(view, own),
        of=view.heading,
        made=view.made,
        json=links.api(title, "a", name=name),
        styles=(style, version_style),
    )


def _ratings(curves: Sequence[VersionCurve]) -> tuple[list[str], str]:
    """The picture of the ratings of all versions, one after the other, and its style sheet."""
    lines, played = [], 0
    for curve in curves:
        points = tuple(Point(played + point.games, point.rating, point.error) for point in curve.points)
        lines.append(Line(f"version {curve.number}", points))
        played += curve.points[-1].games if curve.points else 0
    if not any(len(line.points) > 1 for line in lines):
        return [], ""
    style, picture = split_style(progress(lines, title="Rating by games played", when=("game", "games")))
    text = "Each version is rated by its own games. The band is the 95 % error of the rating."
    shown = [
        element("h2", "Rating over time"),
        parts.box("Picture of the ratings over time", element("figure", picture)),
        element("p", text, class_="faint"),
    ]
    return shown, style


def _worst(losses: Sequence[WorstLoss], own: Links) -> list[str]:
    if not losses:
        return []
    rows = [
        element(
            "tr",
            parts.name(loss.opponent, own.agent(loss.opponent)),
            parts.figure(parts.whole(loss.rating)),
            parts.cell(
                parts.linked(
                    f"Game {loss.game.number}",
                    own.game(loss.game),
                    aria_label=f"Replay game {loss.game.number} against {loss.opponent}",
                )
            ),
            parts.cell(words(loss.game.ended), "ended"),
        )
        for loss in losses
    ]
    columns = [("Opponent", ""), ("Its rating", "number"), ("Game", ""), ("How it ended", "")]
    return [
        element("h2", "Worst losses"),
        element("p", "Lost games against the lowest rated opponents.", class_="faint"),
        parts.table("Worst losses", columns, rows),
    ]


def _latest(view: AgentView, own: Links) -> list[str]:
    heading = element("h2", "Latest games")
    if not view.latest:
        return [heading, element("p", "No game has finished yet.")]
    name = view.agent.name
    rounds = any(game.round is not None for game in view.latest)
    everything = links.games(view.heading.title, Wanted(player=name))
    return [
        heading,
        game_table.table(view.latest, own, rounds=rounds, of=name, caption="Latest games"),
        element("p", parts.link(everything, "All its games")),
    ]
