"""The file names of a report's pages: names that every file system and web server accepts.

The pages of all agents have unique names of lower-case letters, digits and hyphens.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from arena.course.aliases import numbered

if TYPE_CHECKING:
    from arena.course.report.gather import ListedGame

FRONT: Final = "index.html"
GAMES: Final = "games.html"
_LONGEST: Final = 40
"""Length limit of an agent's name in a file name."""
_RESERVED_BY_WINDOWS: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)")


class Addresses(Struct, frozen=True):
    """The path of each page in the folder of the report."""

    agents: Mapping[str, str]
    """The name of each agent -> the name of its pages."""
    replays: bool
    """Whether games have pages of their own."""

    def agent(self, name: str) -> str:
        """The page of an agent."""
        return f"agents/{self.agents[name]}.html"

    def pair(self, one: str, other: str) -> str:
        """The page of two agents that met, the same in both orders."""
        first, second = sorted((self.agents[one], self.agents[other]))
        return f"pairs/{first}.{second}.html"

    def game(self, listed: ListedGame) -> str | None:
        """The page of a game."""
        return game(listed.number, listed.attempt) if self.replays else None


def game(number: int, attempt: int) -> str:
    """The page of a game; each attempt has its own page."""
    return f"games/{number}.html" if attempt == 1 else f"games/{number}.{attempt}.html"


def further(page: str, part: int) -> str:
    """The page with this part of a list; part 1 is `page` itself."""
    return page if part == 1 else f"{page.removesuffix('.html')}.part{part}.html"


def up(page: str) -> str:
    """The relative path from `page` to the folder of the report."""
    return "../" * page.count("/")


def of(agents: Iterable[str], *, replays: bool) -> Addresses:
    """The addresses in a report of these agents."""
    return Addresses(numbered(agents, slug, "{}-{}"), replays)


def slug(name: str) -> str:
    """`name` in lower-case ASCII letters, digits and hyphens; never empty."""
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    plain = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:_LONGEST].strip("-")
    return f"agent-{plain}".rstrip("-") if not plain or _RESERVED_BY_WINDOWS.fullmatch(plain) else plain
