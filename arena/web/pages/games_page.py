"""A part of the list of a tournament's games, with a form to filter it. Every choice is part of the address."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from agents.protocol import Verdict
from arena.history.words import ENDS
from arena.pages import games as game_table
from arena.pages import parts
from arena.pages.drawing import Document
from arena.pages.html import element, words
from arena.web import links
from arena.web.links import TournamentLinks
from arena.web.pages import frame

if TYPE_CHECKING:
    from arena.web.results import GamesPart

_RESULTS: Final = {"win": "won", "draw": "drew", "loss": "lost"}
_VERDICTS: Final = {Verdict.NORMAL: "by the rules", Verdict.VOID: "does not count"} | {
    verdict: f"a player {words}" for verdict, words in ENDS.items()
}


def page(part: GamesPart) -> Document:
    """The page."""
    title, wanted = part.heading.title, part.wanted
    filtered = any(getattr(wanted, name) is not None for name in wanted.__struct_fields__)
    own = TournamentLinks(title)
    listed = game_table.table(part.games, own, rounds=part.rounds > 1, of=wanted.player, people=part.people)
    nothing = "No game matches." if filtered else "No game has finished yet."
    return frame.page(
        "Games",
        _form(part, filtered=filtered),
        listed if part.games else element("p", nothing),
        _other_parts(part),
        of=part.heading,
        at=links.games(title),
        json=links.api(title, "games", wanted),
        form=True,
    )


def _form(part: GamesPart, *, filtered: bool) -> str:
    title, wanted = part.heading.title, part.wanted
    agents = [(name, name) for name in part.agents]
    verdicts = [(verdict, _VERDICTS.get(Verdict(verdict), verdict)) for verdict in part.verdicts]
    rounds = [(str(number), str(number)) for number in range(1, part.rounds + 1)]
    choices = [
        _choice("player", "Player", "any", agents, wanted.player),
        _choice("opponent", "Opponent", "any", agents, wanted.opponent),
        _choice("result", "Result of the player", "any", _RESULTS.items(), wanted.result),
        _choice("verdict", "How it ended", "any", verdicts, wanted.verdict),
    ]
    if part.rounds > 1:
        choices.append(_choice("round", "Round", "all", rounds, None if wanted.round is None else str(wanted.round)))
    everything = [parts.link(links.games(title), "Show all games")] * filtered
    send = element("p", element("button", "Show", type="submit"), *everything, class_="send")
    return element("form", *choices, send, action=links.games(title), method="get", class_="filter")


def _choice(name: str, label: str, none: str, values: Iterable[tuple[str, str]], chosen: str | None) -> str:
    options = [element("option", none, value="")]
    options += [
        element("option", words(text), value=value, selected=value == chosen, title=text if len(text) > 40 else False)
        for value, text in values
    ]
    return element("label", element("span", label), element("select", *options, name_=name))


def _other_parts(part: GamesPart) -> str:
    """Links to the parts before and after this one."""
    title, wanted = part.heading.title, part.wanted
    ways = [(part.newer, "‹ Newer games"), (part.older, "Older games ›")]
    shown = [
        element("li", parts.link(links.games(title, wanted, cursor), text))
        for cursor, text in ways
        if cursor is not None
    ]
    return element("nav", element("ul", *shown), aria_label="Parts of the list", class_="parts") if shown else ""
