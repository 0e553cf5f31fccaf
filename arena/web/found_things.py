"""What a word finds: tournaments, agents and games that the viewer may see."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from arena.course.roster import folded
from arena.web import links
from arena.web.permissions import What, may
from db import web

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.web.permissions import SeenNames
    from db.database import Connection

MOST: Final = 50
"""Things that are listed."""

_GAME: Final = re.compile(r"(?:game\s+)?([0-9]{1,18})", re.IGNORECASE)
_PAGES: Final = (
    ("Home", links.HOME),
    ("Play", links.play()),
    ("TV", links.TV),
    ("My page", links.ME),
    ("Hand in", links.SUBMIT),
)
_PAGES_OF: Final = (("Standings", links.tournament), ("Crosstable", links.crosstable), ("Games", links.games))


class Thing(Struct, frozen=True):
    """Something with a page."""

    kind: str
    name: str
    href: str
    of: str = ""
    """The tournament that it is in."""
    person: str = ""
    """Who is behind it, if the viewer may know."""


def things(connection: Connection, names: SeenNames, words: str) -> list[Thing]:
    """What has all these words in its name, at most `MOST`; exact names first."""
    wanted = folded(words).split()
    if not wanted:
        return []
    asked = _GAME.fullmatch(words.strip())
    found = [] if asked is None else [*_games(connection, names.titles(connection), int(asked[1]))]
    for one in _named(connection, names):
        text = folded(f"{one.name} {one.person}")
        if all(word in text for word in wanted):
            found.append(one)
    return sorted(found, key=lambda one: folded(one.name) != " ".join(wanted))[:MOST]


def _named(connection: Connection, names: SeenNames) -> Iterator[Thing]:
    titles, shown = names.titles(connection), names.read(connection).shown
    yield from (Thing("tournament", title, links.tournament(title)) for title in titles.values())
    people = {id: names.people(connection, id) for id in titles}
    for id, name in web.entered(connection):
        if id in titles:
            title, alias = titles[id], shown[name]
            yield Thing("agent", alias, links.agent(title, alias), title, people[id].get(alias, ""))
    yield from (Thing("page", name, address) for name, address in _PAGES)
    for title in titles.values():
        yield from (Thing("page", f"{name} of {title}", address(title), title) for name, address in _PAGES_OF)
        if may(names.viewer, What.MANAGE):
            yield Thing("page", f"Manage {title}", links.manage(title), title)


def _games(connection: Connection, titles: dict[int, str], number: int) -> Iterator[Thing]:
    """The games with this number in their tournaments, and that with this id."""
    for id, tournament, game in web.numbered(connection, number, 3 * MOST):
        if tournament in titles:
            yield Thing("game", f"game {titles[tournament]}-{game}", links.game(id), titles[tournament])
