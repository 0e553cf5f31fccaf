"""The front page: games in progress, ladders and tournaments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from arena.history.words import moment
from arena.pages import parts
from arena.pages.drawing import Document
from arena.pages.html import element, words
from arena.web import links
from arena.web.links import TournamentLinks
from arena.web.pages import frame

if TYPE_CHECKING:
    from arena.web.results import Heading, Overview, PlayingGame

_MOST_PLAYING: Final = 20
"""Games in progress that are listed."""


def page(overview: Overview, *, signed_in: bool) -> Document:
    """The front page. `signed_in`: whether its reader has signed in, and sees more than visitors."""
    return frame.page(
        "Ladders and tournaments",
        element("section", *_playing(overview.playing), id="playing", data_fresh=True),
        element("section", *_tournaments(overview, signed_in=signed_in), id="tournaments", data_fresh=True),
        at=links.HOME,
        json=links.API,
        stream=links.events(front=""),
    )


def _playing(games: Sequence[PlayingGame]) -> list[str]:
    heading = element("h2", "Being played")
    if not games:
        return [heading, element("p", "No game is being played at the moment.")]
    rows = [element("li", *_game(game)) for game in games[:_MOST_PLAYING]]
    more = len(games) - len(rows)
    left_out = [element("p", f"And {more:,} more.", class_="faint")] * bool(more)
    return [heading, element("ul", *rows, class_="playing"), *left_out]


def _game(game: PlayingGame) -> list[str]:
    address = TournamentLinks(game.title).agent if game.title else lambda _: None
    number = f"game {game.number if game.title else game.id}"
    number += "" if game.round is None else f", round {game.round}"
    of = [element("span", words(game.title), class_="player-name"), ", "] if game.title else []
    return [
        " – ".join(parts.player(name, address(name)) for name in game.players),
        element("span", *of, parts.link(links.game(game.id), number), class_="faint"),
    ]


def _tournaments(overview: Overview, *, signed_in: bool) -> list[str]:
    found = []
    if overview.ladders:
        found += [element("h2", "Ladders"), _table("Ladders", overview.ladders)]
    if overview.tournaments:
        found += [element("h2", "Tournaments"), _table("Tournaments", overview.tournaments)]
    if signed_in or found:
        return found or [element("p", "There is no ladder and no tournament yet.")]
    return [element("p", "Nothing is shown to visitors here. To sign in, open the link that your instructor gave you.")]


def _table(caption: str, headings: Sequence[Heading]) -> str:
    columns = [("Name", ""), ("Status", ""), ("Game", ""), ("Format", ""), ("Agents", "number"), ("Games", "number")]
    return parts.table(caption, columns, [_row(one) for one in headings])


def _row(one: Heading) -> str:
    games = f"{one.over:,}" if one.planned in (None, one.over) else f"{one.over:,} of {one.planned:,}"
    return element(
        "tr",
        parts.name(one.title, links.tournament(one.title)),
        parts.cell(words(one.status + (f" {moment(one.finished)}" if one.finished else ""))),
        parts.cell(words(one.game)),
        parts.cell(words(one.format)),
        parts.figure(f"{one.agents:,}"),
        parts.figure(games),
    )
