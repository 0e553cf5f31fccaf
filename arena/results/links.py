"""The addresses of other pages, which tables and pages with results link to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from arena.results.report import ListedGame
    from db.lately import LastResult


class Links(Protocol):
    """Addresses of other pages, as seen from the page that is made."""

    def agent(self, name: str) -> str:
        """The page of an agent."""
        ...

    def pair(self, one: str, other: str) -> str | None:
        """The games of two agents against each other; None if they have no page."""
        ...

    def game(self, listed: ListedGame | LastResult) -> str | None:
        """The page of a game; None if it has none."""
        ...

    def live(self, _: int, /) -> str | None:
        """The page of a game in progress; None if it has none."""
        ...
