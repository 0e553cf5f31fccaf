"""Which pages a report has, and their file names, which every file system and web server accepts.

The pages of all agents have unique names of lower-case letters, digits and hyphens. Each agent has a page; pairs have
one if both agents are in the crosstable, and games if they were asked for.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from arena.course.aliases import numbered
from arena.ratings.points import IN_CROSSTABLE

if TYPE_CHECKING:
    from arena.results.report import ListedGame
    from db.lately import LastResult

FRONT: Final = "index.html"
GAMES: Final = "games.html"
_LONGEST: Final = 40
"""Length limit of an agent's name in a file name."""
_RESERVED_BY_WINDOWS: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)")


class Addresses(Struct, frozen=True):
    """The path of each page in the folder of the report."""

    agents: Mapping[str, str]
    """The name of each agent -> the name of its pages."""
    crosstable: Mapping[str, None]
    """The agents in the crosstable, in the order of the standings."""
    replays: frozenset[int]
    """The ids of the games that have a page."""

    def agent(self, name: str) -> str:
        """The page of an agent."""
        return f"agents/{self.agents[name]}.html"

    def pair(self, one: str, other: str) -> str | None:
        """The page of two agents that met, the same in both orders; None if it does not exist."""
        if one not in self.crosstable or other not in self.crosstable:
            return None
        first, second = sorted((self.agents[one], self.agents[other]))
        return f"pairs/{first}.{second}.html"

    def game(self, listed: ListedGame | LastResult) -> str | None:
        """The page of a game; None if it does not exist."""
        return game(listed.number, listed.attempt) if listed.id in self.replays else None

    def seen_from(self, page: str) -> SeenFrom:
        """The addresses as links on `page`."""
        return SeenFrom(self, up(page))


class SeenFrom(Struct, frozen=True):
    """The addresses as links on a page of the report."""

    addresses: Addresses
    up: str
    """The relative path to the folder of the report."""

    def agent(self, name: str) -> str:
        """The page of an agent."""
        return self.up + self.addresses.agent(name)

    def pair(self, one: str, other: str) -> str | None:
        """The page of two agents that met; None if it does not exist."""
        page = self.addresses.pair(one, other)
        return None if page is None else self.up + page

    def game(self, listed: ListedGame | LastResult) -> str | None:
        """The page of a game; None if it does not exist."""
        page = self.addresses.game(listed)
        return None if page is None else self.up + page

    def live(self, _: int, /) -> str | None:
        """A file has no games in progress."""
        return None


def game(number: int, attempt: int) -> str:
    """The page of a game; each attempt has its own page."""
    return f"games/{number}.html" if attempt == 1 else f"games/{number}.{attempt}.html"


def further(page: str, part: int) -> str:
    """The page with this part of a list; part 1 is `page` itself."""
    return page if part == 1 else f"{page.removesuffix('.html')}.part{part}.html"


def up(page: str) -> str:
    """The relative path from `page` to the folder of the report."""
    return "../" * page.count("/")


def of(agents: Sequence[str], *, replays: Iterable[int] = ()) -> Addresses:
    """The addresses in a report of these agents, in the order of the standings. `replays`: the games with a page."""
    return Addresses(
        agents=numbered(agents, slug, "{}-{}"),
        crosstable=dict.fromkeys(agents[:IN_CROSSTABLE]),
        replays=frozenset(replays),
    )


def slug(name: str) -> str:
    """`name` in lower-case ASCII letters, digits and hyphens; never empty."""
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    plain = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:_LONGEST].strip("-")
    return f"agent-{plain}".rstrip("-") if not plain or _RESERVED_BY_WINDOWS.fullmatch(plain) else plain
