"""What a word finds: tournaments, agents and games that the viewer may see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from arena.course.roster import folded
from arena.web import links
from db import web

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.web.names import SeenNames
    from db.database import Connection

MOST: Final = 50
"""Things that are listed."""
_DIGITS: Final = 18


class Thing(Struct, frozen=True):
    """Something with a page."""

    kind: str
    name: str
    href: str
    of: str = ""
    """The tournament that it is in."""


def things(connection: Connection, names: SeenNames, words: str) -> list[Thing]:
    """What has all these words in its name, at most `MOST`; exact names first."""
    wanted = folded(words).split()
    if not wanted:
        return []
    found = [one for one in _all(connection, names, words) if all(word in folded(one.name) for word in wanted)]
    return sorted(found, key=lambda one: folded(one.name) != " ".join(wanted))[:MOST]


def _all(connection: Connection, names: SeenNames, words: str) -> Iterator[Thing]:
    titles, shown = names.titles(connection), names.read(connection).shown
    if words.isascii() and words.strip().isdigit() and len(words) <= _DIGITS:
        yield from _games(connection, titles, int(words))
    for title in titles.values():
        yield Thing("tournament", title, links.tournament(title))
    for tournament, name in web.entered(connection):
        if tournament in titles:
            title = titles[tournament]
            yield Thing("agent", shown[name], links.agent(title, shown[name]), title)


def _games(connection: Connection, titles: dict[int, str], number: int) -> Iterator[Thing]:
    """The games with this number in their tournaments, and that with this id."""
    for id, tournament, game in web.numbered(connection, number, 3 * MOST):
        if tournament in titles:
            yield Thing("game", f"game {game} (id {id})", links.game(id), titles[tournament])
